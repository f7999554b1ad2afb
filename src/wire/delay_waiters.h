/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_waiters - the growth of G while tasks wait in the target.
 *
 * `waiters` holds the number of tasks that wait in the target at each level, 12 bits each, below
 * the generation's last 16 bits. While there is one, G grows by the largest speedup of their levels
 * for each ns, so that everything else pauses as while the target runs on a CPU (blocked samples;
 * BCOZ). Overlapping waits count once, since each waiter is credited with its whole wait at its own
 * speedup (delay_task.h).
 *
 * The next core or thread with an event updates G first: it sets `updated_ns` to now by compare and
 * swap, and if that succeeds, adds delay_growth() to G.
 */
#pragma once

#include "wire/delay.h"

/* Of these levels, a bit each, the one with the largest speedup; of several the first. */
DELAY_RULE __u32 delay_level_of(const struct delay_settings *settings, __u32 levels)
{
	__u32 most = delay_speedup_of(settings, levels), level = 0;

	for (int i = DELAY_LEVELS - 1; i >= 0; i--)
		level = levels >> i & 1 && settings->speedups[i] == most ? (__u32)i : level;
	return level;
}

#define DELAY_WAITERS_BITS 12
#define DELAY_WAITERS_MOST ((1u << DELAY_WAITERS_BITS) - 1) /* at one level */
#define DELAY_WAITERS_ALL (DELAY_LEVELS * DELAY_WAITERS_BITS)
_Static_assert(DELAY_WAITERS_ALL == 48, "16 bits are the generation");

DELAY_RULE bool delay_has_waiters(__u64 waiters, __u32 generation)
{
	return waiters >> DELAY_WAITERS_ALL == (generation & 0xffff) && waiters << 16;
}

/* One task at this level, as a part of `waiters`. */
DELAY_RULE __u64 delay_waiter(__u32 level)
{
	return 1ull << DELAY_WAITERS_BITS * (level & (DELAY_LEVELS - 1));
}

DELAY_RULE __u32 delay_waiters_at(__u64 waiters, __u32 level)
{
	return waiters >> DELAY_WAITERS_BITS * (level & (DELAY_LEVELS - 1)) & DELAY_WAITERS_MOST;
}

/*
 * `waiters` with one more; the same if no more fit. If there was none, the caller sets `updated_ns`
 * to now.
 */
DELAY_RULE __u64 delay_waiters_joined(__u64 waiters, __u32 level, __u32 generation)
{
	if (!delay_has_waiters(waiters, generation))
		return (__u64)(generation & 0xffff) << DELAY_WAITERS_ALL | delay_waiter(level);
	return delay_waiters_at(waiters, level) == DELAY_WAITERS_MOST ?
		       waiters :
		       waiters + delay_waiter(level);
}

/* Whether a task that joined in the generation `joined` still counts: it leaves with a credit. */
DELAY_RULE bool delay_waiters_has(__u64 waiters, __u32 joined, __u32 generation)
{
	return delay_has_waiters(waiters, generation) && joined == generation;
}

/*
 * How fast G grows now. With external_speedup it grows all the time and no task is credited: the
 * whole program pauses, and events that are paced externally keep their rate by the wall clock.
 */
DELAY_RULE __u32 delay_growth_speedup(const struct delay_settings *settings, __u64 waiters)
{
	__u32 most = settings->external_speedup;

	if (!delay_has_waiters(waiters, settings->generation))
		return most;
	for (int i = 0; i < DELAY_LEVELS; i++) {
		__u32 own = delay_waiters_at(waiters, i) ? settings->speedups[i] : 0;
		most = own > most ? own : most;
	}
	return most;
}

/* Whether G has to be updated. */
DELAY_RULE bool delay_growth_is_due(const struct delay_settings *settings, __u64 waiters,
				    __u64 updated_ns, __u64 now)
{
	return delay_growth_speedup(settings, waiters) &&
	       (__s64)(now - delay_later(settings->generation_ns, updated_ns)) > 0;
}

/* The growth of G from `updated_ns` to `now`. */
DELAY_RULE __u64 delay_growth(const struct delay_settings *settings, __u64 waiters,
			      __u64 updated_ns, __u64 now)
{
	__u64 time = delay_in_generation(settings, updated_ns, now);

	if (!delay_is_allowed(settings, now))
		return 0;
	return delay_scaled(time, delay_growth_speedup(settings, waiters));
}
