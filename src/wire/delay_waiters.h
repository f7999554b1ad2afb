/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_waiters - the growth of G while tasks wait in the target.
 *
 * `waiters` is the number of tasks that wait in the target, plus generation << 32. While there is
 * one, G grows by the speedup for each ns, so that everything else pauses as while the target runs
 * on a CPU (blocked samples; BCOZ). Overlapping waits count once, since each waiter is credited
 * with its whole wait (delay_task.h).
 *
 * The next core or thread with an event updates G first: it sets `updated_ns` to now by compare and
 * swap, and if that succeeds, adds delay_growth() to G.
 */
#pragma once

#include "wire/delay.h"

DELAY_RULE bool delay_has_waiters(__u64 waiters, __u32 generation)
{
	return waiters >> 32 == generation && (__u32)waiters;
}

/* `waiters` with one more. If there was none, the caller sets `updated_ns` to now. */
DELAY_RULE __u64 delay_waiters_joined(__u64 waiters, __u32 generation)
{
	return delay_has_waiters(waiters, generation) ? waiters + 1 : (__u64)generation << 32 | 1;
}

/* Whether a task that joined in the generation `joined` still counts: it leaves with a credit. */
DELAY_RULE bool delay_waiters_has(__u64 waiters, __u32 joined, __u32 generation)
{
	return delay_has_waiters(waiters, generation) && joined == (__u32)(waiters >> 32);
}

/*
 * How fast G grows now. With external_speedup it grows all the time and no task is credited: the
 * whole program pauses, and events that are paced externally keep their rate by the wall clock.
 */
DELAY_RULE __u32 delay_growth_speedup(const struct delay_settings *settings, __u64 waiters)
{
	bool waits = settings->speedup && delay_has_waiters(waiters, settings->generation);

	return waits ? settings->speedup : settings->external_speedup;
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
