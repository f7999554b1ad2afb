/* SPDX-License-Identifier: BSD-2-Clause */
/* run_totals - adds up runs, visits and latencies. */
#include "report/run_totals.h"

#include <math.h>
#include <sys/wait.h>

/* Another host's part of a run of lever scale. */
static bool is_beside(const struct recording *recording, const struct recording_run *run)
{
	return run->kind == RUN_SCALE && recording_first_run(recording, run->id);
}

/* Shares of the wall time of all runs, or of one. */
static void add_overheads(struct run_totals *totals, const struct recording *recording,
			  const struct recording_run *only)
{
	uint64_t engine_ns = 0, kernel_ns = 0;
	size_t known = 0, known_kernel = 0;

	for (size_t i = 0; i < recording->overheads.count; i++) {
		const struct recording_overhead *cost = &recording->overheads.items[i];
		const struct recording_run *run = recording_run(recording, cost->run_id);
		if (only ? run != only : !run || is_beside(recording, run))
			continue;
		known++;
		known_kernel += cost->knows_kernel;
		engine_ns += cost->engine_ns;
		kernel_ns += cost->kernel_ns;
	}
	bool has_time = totals->runs && totals->wall_ns;
	totals->engine_share = has_time && known == totals->runs ?
				       (double)engine_ns / (double)totals->wall_ns :
				       NAN;
	totals->kernel_share = has_time && known_kernel == totals->runs ?
				       (double)kernel_ns / (double)totals->wall_ns :
				       NAN;
}

struct run_totals run_totals_of(const struct recording *recording)
{
	struct run_totals totals = {0};
	double weighted_share = 0;
	for (size_t i = 0; i < recording->runs.count; i++) {
		const struct recording_run *run = &recording->runs.items[i];
		if (is_beside(recording, run))
			continue;
		totals.runs++;
		totals.last = run;
		totals.unfinished += !run->finished;
		totals.wall_ns += run->wall_ns;
		totals.delay_ns += run->delay_ns;
		totals.samples += run->samples;
		totals.lost += run->lost;
		totals.capped += run->capped;
		totals.paused_ns += run->paused_ns;
		totals.unwound_badly += run->unwound_badly;
		weighted_share += run->interrupt_share * (double)run->wall_ns;
	}
	if (totals.wall_ns)
		totals.interrupt_share = weighted_share / (double)totals.wall_ns;
	else if (totals.last)
		totals.interrupt_share = totals.last->interrupt_share;
	add_overheads(&totals, recording, NULL);
	return totals;
}

struct run_totals run_totals_of_run(const struct recording *recording,
				    const struct recording_run *run)
{
	struct run_totals totals = {.runs = 1,
				    .last = run,
				    .wall_ns = run->wall_ns,
				    .lost = run->lost};

	totals.unfinished = !run->finished;
	add_overheads(&totals, recording, run);
	return totals;
}

uint64_t run_totals_visits(const struct recording *recording, int64_t point_id)
{
	uint64_t visits = 0;
	for (size_t i = 0; i < recording->totals.count; i++) {
		if (recording->totals.items[i].point_id == point_id)
			visits += recording->totals.items[i].visits;
	}
	return visits;
}

double run_totals_latency_ns(const struct recording *recording, int64_t point_id)
{
	double inside_ns = 0, visits = 0;
	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *experiment = &recording->experiments.items[i];
		if (experiment->verdict != VERDICT_COUNTED || experiment->speedup > 0)
			continue;
		for (size_t j = 0; j < experiment->visits.count; j++) {
			const struct recording_visit *visit = &experiment->visits.items[j];
			if (visit->point_id != point_id)
				continue;
			inside_ns += visit->in_flight * (double)visit->duration_ns;
			visits += visit->visits;
		}
	}
	return visits > 0 ? inside_ns / visits : 0;
}

int run_exit_status(const struct recording_run *run)
{
	if (!run || run->exit_status < 0)
		return -1;
	if (WIFEXITED(run->exit_status))
		return WEXITSTATUS(run->exit_status);
	return WIFSIGNALED(run->exit_status) ? 128 + WTERMSIG(run->exit_status) : -1;
}

double run_totals_rate(const struct recording *recording, const struct run_totals *totals,
		       const struct recording_point *point)
{
	if (totals->wall_ns <= totals->delay_ns || point->kind == POINT_END_TO_END)
		return NAN;
	return (double)run_totals_visits(recording, point->id) /
	       ((double)(totals->wall_ns - totals->delay_ns) / 1e9);
}
