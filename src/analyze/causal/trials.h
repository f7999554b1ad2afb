/* SPDX-License-Identifier: BSD-2-Clause */
/* trials - a target's experiments that count. */
#pragma once

#include "analyze/causal/causal.h"
#include "base/hash_map.h"

/* Borrowed from the recording, in the order of time. */
struct trials {
	const struct recording_experiment **items;
	size_t count;
};

/* The experiments and samples of a recording, by target, and of each in their order. */
struct trials_index {
	const struct recording_experiment **items;
	struct hash_map firsts; /* of a target's: place in items */
	size_t count;
	const struct recording_sample **samples;
	struct hash_map first_samples;
	size_t sample_count;
};

struct trials_index trials_index_of(const struct recording *recording);
void trials_index_release(struct trials_index *index);

struct trials trials_of(const struct trials_index *index, int64_t target_id);
/* Those that do not count since other programs disturbed them, too. */
struct trials trials_with_displaced(const struct trials_index *index, int64_t target_id);
void trials_release(struct trials *trials);
/* The largest value of the runs that these windows are of; 0: none is positive. */
double trials_most_of_runs(const struct recording *recording, const struct trials *trials,
			   double (*value_of)(const struct recording_run *run));
/* The samples of a target, by run; they belong to the index. */
const struct recording_sample **trials_samples(const struct trials_index *index, int64_t target_id,
					       size_t *count);
/*
 * The target's share of the sampled time. Pauses are not sampled, so equal work has an equal share
 * at any speedup.
 */
double trial_activity(const struct recording_experiment *experiment);

/*
 * The recorder judged each window by those shortly before it. Of a run that other programs
 * disturbed for a while, the windows of that while are left out.
 */
void trials_drop_displaced(struct trials *trials, struct causal_target *target);
/* Drops the windows in which the growth of G contradicts the target's samples. */
void trials_drop_mischarged(struct trials *trials, struct causal_target *target);
/*
 * Drops windows with a speedup that were sampled much more rarely than the others of their run: the
 * first ones, before it is known how often tasks hand over to each other (sampling_rate.h). Uneven
 * pauses keep them from meeting.
 */
void trials_drop_coarse(struct trials *trials);
/*
 * Drops the windows in which the target did not run; the phase factor accounts for them. The factor
 * follows from the activity of the windows that are kept, so a window on a border does no harm.
 */
void trials_drop_idle(const struct recording *recording, struct trials *trials);
/*
 * Drops all windows if the target, which has this share of the run, hardly ran in any: code of a
 * phase that is over, or that was compiled anew. They say nothing about it.
 */
void trials_drop_absent(const struct recording *recording, struct trials *trials, double share);
