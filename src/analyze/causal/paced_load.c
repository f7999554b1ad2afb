/* SPDX-License-Identifier: BSD-2-Clause */
/* paced_load - from windows in which the whole program pauses: each and the controls around it. */
#include "analyze/causal/paced_load.h"

#include "analyze/causal/external_pacing.h"
#include "analyze/causal/hand_over_error.h"
#include "analyze/causal/paced_share.h"
#include "profile/window_values.h"
#include "stats/distribution.h"

#include <math.h>
#include <stdlib.h>

#define QUANTILE 1.96
/* Of each growth, standard error: caches of paused cores. Programs without timers have -0.01 to
 * 0.03 (docs/decisions.md, "A timer's work on the critical thread"). */
#define METHOD_ERROR 0.015
#define SUSPECTED_ERRORS 2
#define KEPT_LEAST 0.1 /* of a period */

enum spending { SPENDING_EFFECTIVE_TIME, SPENDING_WORK, SPENDING_TARGET };

static double spent_ns(const struct recording_experiment *experiment,
		       const struct recording_visit *visit, enum spending what)
{
	if (what == SPENDING_EFFECTIVE_TIME)
		return (double)(visit->duration_ns - visit->delay_ns) / visit->visits;
	return what == SPENDING_WORK ?
		       external_pacing_cpu(experiment, visit) :
		       window_sampled_work(experiment, visit) * (double)experiment->target_ns /
			       (double)experiment->sampled_ns;
}

static bool counts(const struct recording_experiment *experiment,
		   const struct recording_visit *visit)
{
	return visit && experiment->verdict == VERDICT_COUNTED && visit->visits > 0 &&
	       visit->duration_ns > visit->delay_ns && experiment->sampled_ns;
}

/* Windows of TARGET_EXTERNAL; `armed`: while this target's code was marked, or 0. */
static size_t gather(const struct recording *recording, const struct recording_point *point,
		     enum spending what, int64_t armed, struct paced_window *windows)
{
	int64_t last = 0;
	size_t count = 0;

	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *experiment = &recording->experiments.items[i];
		const struct recording_target *target =
			recording_target(recording, experiment->target_id);
		const struct recording_visit *visit = recording_visit(experiment, point->id);
		bool is_external = target && target->kind == TARGET_EXTERNAL;
		last = is_external ? last : experiment->target_id;
		if (!is_external || !counts(experiment, visit) || (armed && armed != last))
			continue;
		double wall = (double)visit->duration_ns;
		windows[count++] = (struct paced_window){
			.start_ns = experiment->start_ns,
			.duration_ns = experiment->duration_ns,
			.rate = visit->visits / wall,
			.effective = (wall - (double)visit->delay_ns) / wall,
			.is_paused = experiment->speedup > 0,
			.run_id = experiment->run_id,
			.spent_ns = spent_ns(experiment, visit, what),
		};
	}
	return count;
}

/*
 * Each time that a core becomes idle, its ticks weigh a sixth of a period more where it pauses
 * (docs/decisions.md, "CPU time of cores that become idle"). By so much CPU time seems to grow.
 */
static double growth_by_ticks(const struct recording *recording, const struct paced_window *windows,
			      size_t count)
{
	const struct recording_run *run =
		count ? recording_run(recording, windows[0].run_id) : NULL;
	double wall[2] = {0}, number[2] = {0}, spent = 0;

	if (!run || !run->hand_over_ns)
		return 0;
	for (size_t i = 0; i < count; i++) {
		wall[windows[i].is_paused] += 1 / windows[i].rate;
		number[windows[i].is_paused]++;
		spent += windows[i].is_paused ? 0 : windows[i].spent_ns;
	}
	if (!(number[0] > 0) || !(number[1] > 0))
		return 0;
	double longer = wall[1] / number[1] - wall[0] / number[0];
	double turns = spent / number[0] / (double)run->hand_over_ns;
	return longer > 0 ? turns * (double)run->period_ns / 6 / longer : 0;
}

/* `effective`: of the controls; or NULL. */
static struct paced_share growth_of(const struct recording *recording,
				    const struct recording_point *point, enum spending what,
				    int64_t armed, double *effective)
{
	struct paced_window *windows = memory_new(recording->experiments.count, sizeof(*windows));
	size_t count = gather(recording, point, what, armed, windows);
	struct paced_share growth = paced_growth_of(windows, count);
	double sum = 0, number = 0;

	for (size_t i = 0; i < count; i++) {
		sum += windows[i].is_paused ? 0 : windows[i].effective;
		number += !windows[i].is_paused;
	}
	if (effective)
		*effective = number > 0 ? sum / number : 1;
	growth.error = hypot(growth.error, METHOD_ERROR);
	growth.share -= what == SPENDING_WORK ? growth_by_ticks(recording, windows, count) : 0;
	free(windows);
	return growth;
}

static double bounded(double value, double most)
{
	return fmax(0, fmin(value, most));
}

/* Threads that spin more while others pause spend more, without any timer. */
static bool spins_briefly(const struct recording *recording, const struct recording_point *point)
{
	if (!(brief_spin_share_of(recording) > 0))
		return false;
	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *window = &recording->experiments.items[i];
		const struct recording_visit *visit = recording_visit(window, point->id);
		const struct recording_run *run = recording_run(recording, window->run_id);
		if (run && visit && !(window->speedup > 0) &&
		    hand_over_spins_briefly(run, window_sampled_work(window, visit)))
			return true;
	}
	return false;
}

struct paced_load paced_load_of(const struct recording *recording,
				const struct recording_point *point)
{
	struct paced_load load = {.effective = 1};
	struct paced_share work = growth_of(recording, point, SPENDING_WORK, 0, NULL);
	struct paced_share slower =
		growth_of(recording, point, SPENDING_EFFECTIVE_TIME, 0, &load.effective);

	if (point->kind == POINT_LATENCY || point->kind == POINT_SAMPLED ||
	    spins_briefly(recording, point) || work.windows < PACED_WINDOWS_LEAST ||
	    slower.share <= PACED_LOAD_SLOWER_LEAST)
		return load;
	double chance = PACED_CHANCE / (double)recording->points.count;
	double sure = work.share - student_quantile(1 - chance, work.windows - 1) * work.error;
	double most = work.share + QUANTILE * work.error;
	bool is_suspected = work.share > SUSPECTED_ERRORS * work.error &&
			    slower.share > SUSPECTED_ERRORS * slower.error;
	load.work = work.share;
	if (sure > PACED_LOAD_LEAST || is_suspected)
		load.high = bounded(slower.share + QUANTILE * slower.error, most);
	if (sure > PACED_LOAD_LEAST) {
		load.low = bounded(slower.share - QUANTILE * slower.error, load.high);
		load.share = bounded(slower.share, work.share);
	}
	return load;
}

struct paced_part paced_load_part(const struct recording *recording,
				  const struct recording_point *point,
				  const struct paced_load *load, int64_t target_id)
{
	struct paced_share own = growth_of(recording, point, SPENDING_TARGET, target_id, NULL);

	if (own.windows < PACED_WINDOWS_LEAST || !(load->work > 0))
		return (struct paced_part){0, 1};
	double part = own.share / load->work, reach = QUANTILE * own.error / load->work;
	return (struct paced_part){bounded(part - reach, 1), bounded(part + reach, 1)};
}

double paced_load_period(double period_ns, double effective, double load)
{
	return period_ns * fmax(KEPT_LEAST, 1 - load / effective) / (1 - load);
}
