/* SPDX-License-Identifier: BSD-2-Clause */
/* trials - reasons for which a window that the recorder counted does not count. */
#include "analyze/causal/trials.h"

#include "analyze/causal/charge_check.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>

/*
 * A target has phases if it is active less than IDLE_SHARE of its usual activity in at least
 * IDLE_CONTROLS of its controls. Windows with less than BUSY_SHARE of the usual activity then lie
 * outside of its phase, or on the border.
 */
#define IDLE_CONTROLS 0.1
#define ABSENT_SAMPLES 100 /* that windows would have by the target's share of the run, ... */
#define ABSENT_PART 0.02   /* ... and the part of their time that they have */
#define IDLE_SHARE 0.1
#define BUSY_SHARE 0.7

/* Displaced shares of windows that count: up to twice the median, and these anyway. */
#define DISPLACED_LEAST 0.03
#define DISPLACED_FACTOR 2.0

/* A target with fewer samples in a usual window has no phases: chance would decide. */
#define SAMPLES_LEAST 30.0
#define CONTROLS_LEAST 6

/* Experiments of the recording have their order of time as places in its array. */
static int by_target_and_time(const void *left, const void *right)
{
	const struct recording_experiment *const *a = left, *const *b = right;

	if ((*a)->target_id != (*b)->target_id)
		return (*a)->target_id < (*b)->target_id ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

static int by_target_and_place(const void *left, const void *right)
{
	const struct recording_sample *const *a = left, *const *b = right;

	if ((*a)->target_id != (*b)->target_id)
		return (*a)->target_id < (*b)->target_id ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

static void index_samples(struct trials_index *index, const struct recording *recording)
{
	index->sample_count = recording->samples.count;
	index->samples = memory_new(index->sample_count, sizeof(*index->samples));
	for (size_t i = 0; i < index->sample_count; i++)
		index->samples[i] = &recording->samples.items[i];
	if (index->sample_count)
		qsort(index->samples, index->sample_count, sizeof(*index->samples),
		      by_target_and_place);
	for (size_t i = 0; i < index->sample_count; i++)
		if (!i || index->samples[i - 1]->target_id != index->samples[i]->target_id)
			hash_map_set(&index->first_samples, (uint64_t)index->samples[i]->target_id,
				     0, (uint32_t)i);
}

struct trials_index trials_index_of(const struct recording *recording)
{
	struct trials_index index = {.count = recording->experiments.count};

	index.items = memory_new(index.count, sizeof(*index.items));
	for (size_t i = 0; i < index.count; i++)
		index.items[i] = &recording->experiments.items[i];
	if (index.count)
		qsort(index.items, index.count, sizeof(*index.items), by_target_and_time);
	for (size_t i = 0; i < index.count; i++)
		if (!i || index.items[i - 1]->target_id != index.items[i]->target_id)
			hash_map_set(&index.firsts, (uint64_t)index.items[i]->target_id, 0,
				     (uint32_t)i);
	index_samples(&index, recording);
	return index;
}

void trials_index_release(struct trials_index *index)
{
	free(index->items);
	free(index->samples);
	hash_map_clear(&index->firsts);
	hash_map_clear(&index->first_samples);
}

const struct recording_sample **trials_samples(const struct trials_index *index, int64_t target_id,
					       size_t *count)
{
	uint32_t found = hash_map_get(&index->first_samples, (uint64_t)target_id, 0);
	size_t first = found == HASH_MAP_NONE ? index->sample_count : found, end = first;

	while (end < index->sample_count && index->samples[end]->target_id == target_id)
		end++;
	*count = end - first;
	return index->samples + first;
}

static struct trials trials_with(const struct trials_index *index, int64_t target_id,
				 enum verdict also)
{
	size_t first = hash_map_get(&index->firsts, (uint64_t)target_id, 0), end = first;

	if (first == HASH_MAP_NONE)
		first = end = 0;
	while (end < index->count && index->items[end]->target_id == target_id)
		end++;
	struct trials trials = {.items = memory_new(end - first, sizeof(*trials.items))};
	for (size_t i = first; i < end; i++)
		if (index->items[i]->verdict == VERDICT_COUNTED || index->items[i]->verdict == also)
			trials.items[trials.count++] = index->items[i];
	return trials;
}

struct trials trials_of(const struct trials_index *index, int64_t target_id)
{
	return trials_with(index, target_id, VERDICT_COUNTED);
}

struct trials trials_with_displaced(const struct trials_index *index, int64_t target_id)
{
	return trials_with(index, target_id, VERDICT_DISPLACED);
}

void trials_release(struct trials *trials)
{
	free(trials->items);
}

double trials_most_of_runs(const struct recording *recording, const struct trials *trials,
			   double (*value_of)(const struct recording_run *run))
{
	double most = 0;
	const struct recording_run *last = NULL;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_run *run =
			recording_run(recording, trials->items[i]->run_id);
		if (run && run != last)
			most = fmax(most, value_of(run));
		last = run;
	}
	return most;
}

/* Drops the windows in which the growth of G contradicts the target's samples. */
void trials_drop_mischarged(struct trials *trials, struct causal_target *target)
{
	struct charge_window *windows = memory_new(trials->count, sizeof(*windows));
	enum charge_verdict *verdicts = memory_new(trials->count, sizeof(*verdicts));
	size_t kept = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *experiment = trials->items[i];
		windows[i] = (struct charge_window){.speedup = experiment->speedup,
						    .duration_ns = experiment->duration_ns,
						    .delay_ns = experiment->delay_ns,
						    .target_ns = experiment->target_ns,
						    .unrecognized_ns = experiment->unrecognized_ns,
						    .sampled_ns = experiment->sampled_ns,
						    .capped = experiment->capped};
	}
	charge_check(windows, trials->count, verdicts);
	for (size_t i = 0; i < trials->count; i++) {
		target->overcharged += verdicts[i] == CHARGE_EXCESSIVE;
		target->uncharged += verdicts[i] == CHARGE_MISSING;
		target->paused_whole += verdicts[i] == CHARGE_WHOLE;
		if (verdicts[i] == CHARGE_AGREES)
			trials->items[kept++] = trials->items[i];
	}
	trials->count = kept;
	free(windows);
	free(verdicts);
}

/* A window's period is drawn within 15 % of what is wanted. */
#define COARSE_FACTOR 1.6

static bool is_sped_up(const struct recording_experiment *experiment)
{
	return experiment->speedup > 0 && experiment->period_ns;
}

/* The usual period of a run's windows with a speedup; they are from `first` to before `end`. */
static double usual_period(const struct trials *trials, size_t first, size_t end)
{
	double *periods = memory_new(end - first, sizeof(*periods));
	size_t count = 0;

	for (size_t i = first; i < end; i++)
		if (is_sped_up(trials->items[i]))
			periods[count++] = (double)trials->items[i]->period_ns;
	double usual = count ? summary_median(periods, count) : 0;
	free(periods);
	return usual;
}

void trials_drop_coarse(struct trials *trials)
{
	size_t kept = 0;

	for (size_t first = 0, end; first < trials->count; first = end) {
		end = first + 1;
		while (end < trials->count &&
		       trials->items[end]->run_id == trials->items[first]->run_id)
			end++;
		double most = COARSE_FACTOR * usual_period(trials, first, end);
		for (size_t i = first; i < end; i++)
			if (!is_sped_up(trials->items[i]) ||
			    (double)trials->items[i]->period_ns <= most)
				trials->items[kept++] = trials->items[i];
	}
	trials->count = kept;
}

static double displaced_share(const struct recording_experiment *experiment)
{
	return experiment->duration_ns ?
		       (double)experiment->displaced_ns / (double)experiment->duration_ns :
		       0;
}

/*
 * The recorder judged each window by those shortly before it. Of a run that other programs
 * disturbed for a while, the windows of that while are left out.
 */
void trials_drop_displaced(struct trials *trials, struct causal_target *target)
{
	double *shares = memory_new(trials->count + 1, sizeof(*shares));
	size_t kept = 0;

	for (size_t i = 0; i < trials->count; i++)
		shares[i] = displaced_share(trials->items[i]);
	double usual = trials->count ? summary_median(shares, trials->count) : 0;
	double limit = fmax(DISPLACED_LEAST, DISPLACED_FACTOR * usual);
	free(shares);
	for (size_t i = 0; i < trials->count; i++)
		if (displaced_share(trials->items[i]) <= limit)
			trials->items[kept++] = trials->items[i];
	target->displaced = (unsigned)(trials->count - kept);
	trials->count = kept;
}

/*
 * The target's share of the sampled time. Pauses are not sampled, so equal work has an equal share
 * at any speedup.
 */
double trial_activity(const struct recording_experiment *experiment)
{
	return experiment->sampled_ns ?
		       (double)experiment->target_ns / (double)experiment->sampled_ns :
		       0;
}

static int compare_activities(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/* Of ascending activities, the one at the middle of the target's time. */
static double usual_activity(const double *activities, size_t count)
{
	double sum = 0, passed = 0;
	size_t i = 0;

	for (size_t j = 0; j < count; j++)
		sum += activities[j];
	while (i + 1 < count && (passed += activities[i]) < 0.5 * sum)
		i++;
	return count ? activities[i] : 0;
}

static size_t count_below(const double *activities, size_t count, double limit)
{
	size_t below = 0;
	for (size_t i = 0; i < count; i++)
		below += activities[i] < limit;
	return below;
}

/*
 * Below this activity a window fell into a phase in which the target does not run (COZ 3.4.4, phase
 * B), or on the border of one. 0 if the target has no such phases, or too few samples to tell.
 */
static double idle_limit(const struct recording *recording, const struct trials *trials)
{
	double *activities = memory_new(trials->count, sizeof(*activities));
	double samples = 0;
	size_t count = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *experiment = trials->items[i];
		const struct recording_run *run = recording_run(recording, experiment->run_id);
		if (experiment->speedup > 0 || !run || !run->period_ns)
			continue;
		activities[count++] = trial_activity(experiment);
		samples += (double)experiment->sampled_ns / (double)run->period_ns;
	}
	qsort(activities, count, sizeof(*activities), compare_activities);
	double usual = usual_activity(activities, count);
	size_t idle = count_below(activities, count, usual * IDLE_SHARE);
	free(activities);
	if (count < CONTROLS_LEAST || usual * samples < SAMPLES_LEAST * (double)count ||
	    (double)idle < IDLE_CONTROLS * (double)count)
		return 0;
	return usual * BUSY_SHARE;
}

void trials_drop_absent(const struct recording *recording, struct trials *trials, double share)
{
	double target_ns = 0, sampled_ns = 0, period_ns = 0;

	for (size_t i = 0; i < trials->count; i++) {
		const struct recording_experiment *window = trials->items[i];
		const struct recording_run *run = recording_run(recording, window->run_id);
		target_ns += (double)window->target_ns;
		sampled_ns += (double)window->sampled_ns;
		period_ns = fmax(period_ns, run ? (double)run->period_ns : 0);
	}
	if (period_ns > 0 && share * sampled_ns >= ABSENT_SAMPLES * period_ns &&
	    target_ns < ABSENT_PART * share * sampled_ns)
		trials->count = 0;
}

/*
 * Drops the windows in which the target did not run; the phase factor accounts for them. The factor
 * follows from the activity of the windows that are kept, so a window on a border does no harm.
 */
void trials_drop_idle(const struct recording *recording, struct trials *trials)
{
	double limit = idle_limit(recording, trials);
	size_t kept = 0;

	for (size_t i = 0; i < trials->count; i++) {
		if (trial_activity(trials->items[i]) < limit)
			continue;
		trials->items[kept++] = trials->items[i];
	}
	trials->count = kept;
}
