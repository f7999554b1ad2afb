/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_gap - what a task owes when it enters a core after a wait, by what has woken it.
 */
#pragma once

#include "wire/delay_task.h"

/*
 * Woken by a task: the growth of G is credited. A gap from before the wait shrinks by the part of
 * the wait that was no pause, in which it could have been paid. What its waker has paid in advance,
 * by a tick or a pause that took too long, the task has waited for, too, unless it then waits for a
 * core. So the clock of a task, time - L, is the later of its own and its waker's.
 */
DELAY_RULE __s64 delay_gap_after_wake(const struct delay_task *task, bool core_was_idle)
{
	__s64 waited = task->woken_ns - task->left_ns;
	__s64 paused = task->delay_at_wake_ns - task->delay_at_leave_ns;
	bool inherits = task->waker == DELAY_WAKER_TASK && core_was_idle;
	__s64 least = inherits ? task->waker_gap_ns : 0;

	__s64 gap = task->gap_ns - delay_not_negative(waited - paused);
	return gap > least ? gap : least;
}

/*
 * The same where G grows by whole waits at once (grows_by_waits): by more, in a moment, than the
 * task was away. A task whose clock is later than its waker's keeps its own, and owes that: its
 * waker has acted before it began to wait. Preempted, it is away until `now`.
 */
DELAY_RULE __s64 delay_gap_of_own_clock(const struct delay_task *task, __u64 global, __u64 now)
{
	__s64 away = now - task->left_ns, grown = global - task->delay_at_leave_ns;

	return delay_not_negative(task->gap_ns + grown - away);
}

/* What is owed of the growth of G during a wait, after the credit of a wait in the target. */
DELAY_RULE __s64 delay_credited(__s64 grown, __s64 credit)
{
	return delay_not_negative(grown - credit);
}

/* A task enters a core. */
struct delay_entry {
	__u64 now_ns, global_ns;
	__s64 left_gap_ns; /* of the task that leaves the core; 0: the core was idle */
	bool core_was_idle;
	bool is_member;      /* of the program, so that it pays; else a kernel thread */
	bool core_is_wanted; /* a task of the program that no timer has woken waits for a core */
};

/*
 * Woken by a message of another host, which carries its sender's L. The clock of a task is wall
 * time - L, and nothing arrives before it was sent by that clock, or before the task has asked for
 * it: of the message's clock and the task's own the later one counts. A tick charges a whole period
 * at once for code that ran for a part of it each time, so the own clock may go back by one period
 * from the latest that it has shown, and no further (docs/decisions.md, "A message carries its
 * sender's delay").
 */
DELAY_RULE __s64 delay_gap_after_message(const struct delay_task *task,
					 const struct delay_settings *settings)
{
	__u64 earliest = task->latest_ns - settings->period_ns;
	__s64 own = task->delay_at_wake_ns - (task->woken_ns - earliest);
	__s64 message = task->waker_gap_ns;

	return own > message ? own : message;
}

/*
 * Woken externally: the growth of G during the wait is owed, less the credit of a wait in the
 * target. Woken by a kernel thread: at most what that thread owes, which has waited for the same
 * delays, or what the task owed before. A kernel thread that waits for no device was idle. On a
 * busy core the task has then waited for the core: the part that was no pause is credited.
 */
DELAY_RULE __s64 delay_gap_after_external_wake(const struct delay_task *task,
					       const struct delay_settings *settings,
					       const struct delay_entry *entry)
{
	__s64 waker_gap = task->waker_gap_ns;
	__s64 queued = (entry->now_ns - task->woken_ns) -
		       delay_not_negative(entry->global_ns - task->delay_at_wake_ns);
	__s64 own = entry->is_member || task->is_in_io ? task->gap_ns :
							 delay_gap_after_wake(task, false);
	__s64 slept = delay_not_negative(task->delay_at_wake_ns - task->delay_at_leave_ns);
	__s64 most = own > waker_gap ? own : waker_gap;
	__s64 gap = own + delay_credited(slept, task->credit_ns);

	if (task->waker == DELAY_WAKER_KERNEL_THREAD && gap > most)
		gap = most;
	if (task->waker == DELAY_WAKER_HOST)
		gap = delay_gap_after_message(task, settings);
	if (!entry->core_was_idle && gap > 0)
		gap = delay_not_negative(gap - delay_not_negative(queued));
	return gap;
}

/*
 * Wake chains of kernel threads on one core would lose the growth of G between wake-up and switch
 * at each link. It is added, up to the gap of the task that leaves the core.
 */
DELAY_RULE __s64 delay_gap_after_wake_chain(__s64 gap, __s64 grown, __s64 left_gap)
{
	__s64 with_chain = gap + delay_not_negative(grown);
	__s64 most = left_gap < with_chain ? left_gap : with_chain;

	return most > gap ? most : gap;
}
