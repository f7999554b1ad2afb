/* SPDX-License-Identifier: BSD-2-Clause */
/* hand_over_error - by the work between hand-overs and the period of a target's runs. */
#include "analyze/causal/hand_over_error.h"

#include "profile/window_values.h"

#include <math.h>

#define SAME_COUNT 1000 /* visits of which one may be missing: those of two processes are equal */
#define BRIEF_SPIN_FACTOR 6
#define BESIDE_FACTOR 2 /* cores that work beside the target, from half of one on */

/* CPU time for a visit. */
static double visit_ns(const struct trials *trials, int64_t run_id, int64_t point_id)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *window = trials->items[i];
		const struct recording_visit *visit = recording_visit(window, point_id);
		if (window->run_id != run_id || window->speedup > 0 || !visit)
			continue;
		double work = window_sampled_work(window, visit);
		sum += work;
		count += work > 0;
	}
	return count ? sum / (double)count : 0;
}

/*
 * How many processes pass the point once for each unit of work, as a server and its client do with
 * a system call: they have the same count. Workers that share the units have not.
 */
static unsigned passages(const struct recording *recording, int64_t run_id, int64_t point_id)
{
	const struct recording_process_visits *rows = recording->process_visits.items;
	uint64_t most = 0;
	unsigned count = 0;

	for (size_t i = 0; i < recording->process_visits.count; i++)
		if (rows[i].run_id == run_id && rows[i].point_id == point_id)
			most = rows[i].visits > most ? rows[i].visits : most;
	for (size_t i = 0; i < recording->process_visits.count; i++)
		count += rows[i].run_id == run_id && rows[i].point_id == point_id &&
			 most - rows[i].visits <= most / SAME_COUNT;
	return count > 1 ? count : 1;
}

double hand_over_unit_ns(const struct recording *recording, const struct trials *trials,
			 int64_t run_id, int64_t point_id)
{
	return visit_ns(trials, run_id, point_id) * passages(recording, run_id, point_id);
}

/* Of the time in loops that retry nobody knows how much is retries: at most all of it. */
static double retry_error(const struct recording_run *run)
{
	double share = run->sampled_ns ? (double)run->retried_ns / (double)run->sampled_ns : 0;

	return share >= RETRIES_LEAST ? fmin(share, HAND_OVER_ERROR_MOST) : 0;
}

/*
 * Code beside the target takes a part of the work, and so many cores work. Is their product far
 * below one core, that code cannot be what threads spin for all the time.
 */
static double brief_spin_error(const struct recording_run *run, const struct trials *trials)
{
	double target_ns = 0, sampled_ns = 0, duration_ns = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *window = trials->items[i];
		if (window->run_id != run->id || window->speedup > 0)
			continue;
		target_ns += (double)window->target_ns;
		sampled_ns += (double)window->sampled_ns;
		duration_ns += (double)window->duration_ns;
	}
	double work_ns = sampled_ns * (1 - run->brief_spin_share);
	double beside = duration_ns > 0 ? fmax(0, work_ns - target_ns) / duration_ns : 1;
	return fmin(HAND_OVER_ERROR_OF_BRIEF_SPINS, BRIEF_SPIN_FACTOR * run->brief_spin_share) *
	       fmin(1, BESIDE_FACTOR * beside);
}

double brief_spin_share_of(const struct recording *recording)
{
	double most = 0;

	for (size_t i = 0; i < recording->runs.count; i++)
		most = fmax(most, recording->runs.items[i].brief_spin_share);
	return most;
}

bool hand_over_spins_briefly(const struct recording_run *run, double unit_ns)
{
	return run->brief_spin_share > 0 &&
	       unit_ns < (double)(RECORDING_HAND_OVER_PERIODS * run->period_ns);
}

/* `unit_ns`: CPU time of a unit; 0: the point has none. */
static double of_hand_overs(const struct recording_run *run, double unit_ns)
{
	double work_ns = (double)run->hand_over_ns;
	double most = (double)(RECORDING_HAND_OVER_PERIODS * run->period_ns);
	double of_wakes = fmin(HAND_OVER_ERROR_MOST, HAND_OVER_WAKE_NS / fmax(work_ns, 1));

	if (!run->hand_over_ns)
		return 0;
	if (unit_ns >= most)
		return work_ns > most ? 0 : fmin(HAND_OVER_ERROR_OF_LONG_UNITS, of_wakes);
	if (work_ns <= most)
		return unit_ns > 0 ? HAND_OVER_ERROR_MOST : of_wakes;
	return work_ns < HAND_OVER_UNITS_MOST * unit_ns ? HAND_OVER_ERROR_OF_SHORT_UNITS : 0;
}

double hand_over_error_of(const struct recording *recording, const struct trials *trials,
			  const struct recording_point *point)
{
	double error = 0;
	const struct recording_run *last = NULL;

	if (point->kind == POINT_LATENCY)
		return 0;
	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_run *run =
			recording_run(recording, trials->items[i]->run_id);
		if (!run || run == last)
			continue;
		last = run;
		error = fmax(error, retry_error(run));
		error = fmax(error, run->poll_ns ? HAND_OVER_ERROR_OF_POLLS : 0);
		double unit = hand_over_unit_ns(recording, trials, run->id, point->id);
		if (hand_over_spins_briefly(run, unit))
			error = fmax(error, brief_spin_error(run, trials));
		error = fmax(error, of_hand_overs(run, point->kind == POINT_SAMPLED ? 0 : unit));
	}
	return error;
}

double hand_over_reach(double error, double gain)
{
	return (1 / (1 - 2 * fmin(error, HAND_OVER_ERROR_MOST)) - 1) * fmax(gain, 0);
}
