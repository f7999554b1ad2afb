/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * classes - waits for a lock (class L) and for a core (class S) as targets.
 *
 * What ends such a wait is another task of the program, which itself may have been paused meanwhile.
 * So its length is known only when it ends, in effective time: what passed, less what G grew by.
 * Then the task is as far ahead of the others as the speedup would have brought it: its core's L
 * grows by length x speedup, G follows, and everybody else pauses until they are as far. Tasks that
 * wait at the same time each gain on the others, and not twice: G is the largest L, not their sum.
 */
#pragma once

#include "bpf/state.h"

static __always_inline s64 not_below_zero(s64 value)
{
	return value > 0 ? value : 0;
}

/* By how much the task is ahead, when it enters a core: its `waited` ns less those of pauses. */
static __always_inline u64 wait_class_gain(s64 waited, s64 delayed, s64 gap)
{
	s64 effective = waited - not_below_zero(delayed) - not_below_zero(gap);

	return ((u64)not_below_zero(effective) * settings.speedup) / WIRE_SPEEDUP_ONE;
}

/* The task enters its core at `now`: what of its L is due to waits that were sped up. */
static __always_inline u64 wait_class_credit(struct task_state *task, bool was_woken, u64 now)
{
	u64 credit = 0;

	if (task->is_lock_target && was_woken && !task->is_external)
		credit += wait_class_gain(task->woken_ns - task->left_ns,
					  task->delay_at_wake_ns - task->delay_at_leave_ns,
					  task->gap_ns);
	if (task->is_runnable_target) {
		u64 since = was_woken ? task->woken_ns : task->left_ns;
		u64 then = was_woken ? task->delay_at_wake_ns : task->delay_at_leave_ns;
		credit += wait_class_gain(now - since, global_delay() - then, 0);
	}
	task->is_lock_target = task->is_runnable_target = 0;
	return credit;
}
