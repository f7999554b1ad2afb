/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_hand_over - the way onto an idle core that a task would not have gone, were the target as
 * fast as it is virtually.
 *
 * A task waits for a lock, and is woken onto an idle core. Were the target in the critical section
 * faster, some of such tasks would have come when the lock was free, and gone on without a wait.
 * These are charged with the way, as if it were the target's time. One tick stands for a period and
 * hits few of such waits. So what a hit tells is kept as a store of ways, from which this wait of
 * the task and its next ones take one each, at most. No charge exceeds the way that was measured.
 * docs/decisions.md, "The way onto an idle core".
 */
#pragma once

#include "wire/delay_task.h"

#define DELAY_WAYS_ONE 256                    /* a way, in parts */
#define DELAY_WAYS_MOST (32 * DELAY_WAYS_ONE) /* that a task keeps */
#define DELAY_WAY_MOST_NS 100000
#define DELAY_LOCK_WAIT_LEAST_NS 2000

/* What a task that releases a lock did since its core's last tick. */
struct delay_holder {
	__u64 tick_ns, charge_ns; /* that tick, and what it charged for the target */
	__u64 paused_ns;          /* since then, with what the tick took */
};

/*
 * The ways that a wait with a charge in it stands for: `charge / waited`, as one in `period /
 * waited` of such waits has a tick. A wait that would last for a period without the target's share
 * is none of them: its task has paid at a tick before it came, so that there are as many of those
 * waits as there would be.
 */
DELAY_RULE __u32 delay_ways_of_wait(const struct delay_settings *settings, __u64 waited,
				    __u64 charge)
{
	__u64 period = settings->period_ns;
	__u64 left = delay_scaled(waited, DELAY_SPEEDUP_ONE - settings->speedup);

	if (left >= period)
		return 0;
	__u64 ways = charge * DELAY_WAYS_ONE / waited * (period - left) / period;
	return ways < DELAY_WAYS_MOST ? ways : DELAY_WAYS_MOST;
}

/* A task of the program ends the task's wait for a lock; after delay_wake. */
DELAY_RULE void delay_hand_over(struct delay_task *task, const struct delay_settings *settings,
				const struct delay_holder *holder)
{
	__s64 waited = task->woken_ns - task->left_ns - holder->paused_ns;

	task->is_handed_over = 1;
	if (!holder->charge_ns || (__s64)(holder->tick_ns - task->left_ns) < 0)
		return;
	waited = waited > DELAY_LOCK_WAIT_LEAST_NS ? waited : DELAY_LOCK_WAIT_LEAST_NS;
	__u32 ways = task->ways + delay_ways_of_wait(settings, waited, holder->charge_ns);
	task->ways = ways < DELAY_WAYS_MOST ? ways : DELAY_WAYS_MOST;
}

/* Such a task enters a core that was idle. Returns the charge. */
DELAY_RULE __u64 delay_way_charge(struct delay_task *task, __s64 way_ns)
{
	__u32 parts = task->ways < DELAY_WAYS_ONE ? task->ways : DELAY_WAYS_ONE;
	__u64 way = way_ns < DELAY_WAY_MOST_NS ? delay_not_negative(way_ns) : DELAY_WAY_MOST_NS;

	task->ways -= parts;
	return way * parts / DELAY_WAYS_ONE;
}
