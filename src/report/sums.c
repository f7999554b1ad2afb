/* SPDX-License-Identifier: BSD-2-Clause */
/* sums - adding up runs, visits and latencies. */
#include "report/sums.h"

#include <math.h>
#include <sys/wait.h>

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
