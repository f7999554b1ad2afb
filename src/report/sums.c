/* SPDX-License-Identifier: BSD-2-Clause */
/* sums - adding up runs, visits and latencies. */
#include "report/sums.h"

#include <math.h>
#include <sys/wait.h>

/* Shares of the wall time of the runs that there are, or of one. */
static void add_costs(struct sums *sums, const struct recording *recording,
		      const struct recording_run *only)
{
	uint64_t engine_ns = 0, kernel_ns = 0;
	size_t known = 0, known_kernel = 0;

	for (size_t i = 0; i < recording->costs.count; i++) {
		const struct recording_cost *cost = &recording->costs.items[i];
		if (only ? cost->run_id != only->id : !recording_run(recording, cost->run_id))
			continue;
		known++;
		known_kernel += cost->knows_kernel;
		engine_ns += cost->engine_ns;
		kernel_ns += cost->kernel_ns;
	}
	bool has_time = sums->runs && sums->wall_ns;
	sums->engine_share =
		has_time && known == sums->runs ? (double)engine_ns / (double)sums->wall_ns : NAN;
	sums->kernel_share = has_time && known_kernel == sums->runs ?
				     (double)kernel_ns / (double)sums->wall_ns :
				     NAN;
}

struct sums sums_of(const struct recording *recording)
{
	struct sums sums = {.runs = recording->runs.count};
	double weighted_share = 0;
	for (size_t i = 0; i < recording->runs.count; i++) {
		const struct recording_run *run = &recording->runs.items[i];
		sums.last = run;
		sums.unfinished += !run->finished;
		sums.wall_ns += run->wall_ns;
		sums.delay_ns += run->delay_ns;
		sums.samples += run->samples;
		sums.lost += run->lost;
		sums.capped += run->capped;
		sums.paused_ns += run->paused_ns;
		sums.unwound_badly += run->unwound_badly;
		weighted_share += run->interrupt_share * (double)run->wall_ns;
	}
	if (sums.wall_ns)
		sums.interrupt_share = weighted_share / (double)sums.wall_ns;
	else if (sums.last)
		sums.interrupt_share = sums.last->interrupt_share;
	add_costs(&sums, recording, NULL);
	return sums;
}

struct sums sums_of_run(const struct recording *recording, const struct recording_run *run)
{
	struct sums sums = {.runs = 1, .last = run, .wall_ns = run->wall_ns, .lost = run->lost};

	sums.unfinished = !run->finished;
	add_costs(&sums, recording, run);
	return sums;
}

uint64_t sums_visits(const struct recording *recording, int64_t point_id)
{
	uint64_t visits = 0;
	for (size_t i = 0; i < recording->totals.count; i++) {
		if (recording->totals.items[i].point_id == point_id)
			visits += recording->totals.items[i].visits;
	}
	return visits;
}

double sums_latency_ns(const struct recording *recording, int64_t point_id)
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

int sums_exit_status(const struct recording_run *run)
{
	if (!run || run->exit_status < 0)
		return -1;
	if (WIFEXITED(run->exit_status))
		return WEXITSTATUS(run->exit_status);
	return WIFSIGNALED(run->exit_status) ? 128 + WTERMSIG(run->exit_status) : -1;
}

double sums_rate(const struct recording *recording, const struct sums *sums,
		 const struct recording_point *point)
{
	if (sums->wall_ns <= sums->delay_ns || point->kind == POINT_END_TO_END)
		return NAN;
	return (double)sums_visits(recording, point->id) /
	       ((double)(sums->wall_ns - sums->delay_ns) / 1e9);
}
