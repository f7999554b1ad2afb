/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_task - the debt of a task off its core: switch out, wake-up, and what it owes afterwards.
 *
 * The gap follows the task; the core that runs the task pays. In the runtime engine a thread pays
 * for itself, as if each thread had a core of its own.
 *
 * A task woken by a task of the program is credited with the growth of G meanwhile, since its waker
 * has paid before waking it. A task woken by a device, a timer or another program owes that growth
 * (COZ, section 3.4.1; SCOZ, section 3.5.1). Kernel threads that work for the program never pay,
 * since that would delay the devices that they start, for which the waiting task pays already.
 * They pass their debt on to the tasks that they wake.
 *
 * A task consumes before it wakes, forks, execs or exits, since another task may go on then; exec
 * and exit change nothing else. G is brought up to date (delay_waiters.h) before each rule.
 */
#pragma once

#include "wire/delay.h"

enum delay_waker {
	DELAY_WAKER_TASK,          /* of the program */
	DELAY_WAKER_KERNEL_THREAD, /* that works for the program */
	DELAY_WAKER_EXTERNAL,      /* a device, a task of another program */
	DELAY_WAKER_TIMER,         /* the same, in other respects */
	DELAY_WAKER_HOST,          /* a task of the program on another host, by a message */
};

/* A task while it is off its core. Zero: a new one. */
struct delay_task {
	__s64 gap_ns; /* at switch out */
	__u64 left_ns, delay_at_leave_ns;
	__u64 woken_ns, delay_at_wake_ns;
	__s64 waker_gap_ns; /* of what has woken it */
	__u64 credit_ns;    /* of a wait in the target that has ended */
	__u64 latest_ns;    /* time - L, the latest at a switch out in this generation */
	__u32 generation;
	__u8 is_seen;         /* has been on a core */
	__u8 is_blocked;      /* left its core to wait; 0: was preempted */
	__u8 is_woken, waker; /* since it left; enum delay_waker */
	__u8 is_in_io;        /* a kernel thread that waits for a device */
	__u8 lock_levels;     /* its wait for a lock is the target, at these levels */
	__u8 runnable_levels; /* its wait for a core is */
	__u8 spin;            /* enum delay_spinning */
	__u8 brief_turns;     /* delay_turn.h */
	__u8 is_handed_over;  /* its wait was for a lock that a task has released */
	__u16 spun_share;     /* of its last ticks, in 1 / DELAY_SPIN_ONE: delay_spin.h */
	__u32 brief_left_ns;  /* of a turn that was preempted */
	__u32 ways;           /* delay_hand_over.h */
	__u32 looks_left;     /* delay_turn.h */
	__u32 wait_ns;        /* the last wait's length, also before the generation; 4 s at most */
};
_Static_assert(sizeof(struct delay_task) == 96, "delay_task layout");

/* ---- switch out and wake-up ---- */

/* Switch out (SCOZ: pre_idle; COZ: pre_block), or a call of the runtime engine's that may wait. */
DELAY_RULE void delay_leave(struct delay_task *task, const struct delay_settings *settings,
			    __s64 gap, bool is_blocked, __u64 global, __u64 now)
{
	__u64 clock = now - (global - gap);

	if (task->is_seen && task->generation == settings->generation)
		clock = delay_later(clock, task->latest_ns);
	task->latest_ns = clock;
	task->gap_ns = gap;
	task->generation = settings->generation;
	task->delay_at_leave_ns = global;
	task->left_ns = now;
	task->is_blocked = is_blocked;
	task->is_seen = 1;
}

/*
 * `waker_gap`: what a kernel thread that wakes owes, or the growth of G since a message was sent;
 * of a task of the program, which has paid, what it has paid in advance, below 0.
 */
DELAY_RULE void delay_wake(struct delay_task *task, enum delay_waker waker, __s64 waker_gap,
			   __u64 global, __u64 now)
{
	bool is_ahead = waker == DELAY_WAKER_TASK && waker_gap < 0;

	task->waker = waker;
	task->waker_gap_ns = is_ahead                  ? waker_gap :
			     waker == DELAY_WAKER_TASK ? 0 :
							 delay_not_negative(waker_gap);
	task->delay_at_wake_ns = global;
	task->woken_ns = now;
	task->wait_ns = now - task->left_ns < ~0u ? now - task->left_ns : ~0u;
	task->is_woken = 1;
}

/* The wait lasted until the task had a core: as if it were woken only now. */
DELAY_RULE void delay_wake_late(struct delay_task *task, __u64 global, __u64 now)
{
	task->delay_at_wake_ns = global;
	task->woken_ns = now;
}

/* The credit of a waiter (delay_waiters.h) whose wait in the target ends: what G grew by for it. */
DELAY_RULE __u64 delay_wait_credit(const struct delay_settings *settings, __u32 level,
				   __u64 waited_ns)
{
	return delay_scaled(waited_ns, settings->speedups[level & (DELAY_LEVELS - 1)]);
}

/* A wait that began before the generation counts as begun with it. */
DELAY_RULE void delay_task_renew(struct delay_task *task, const struct delay_settings *settings)
{
	if (task->generation == settings->generation)
		return;
	task->generation = settings->generation;
	task->gap_ns = task->waker_gap_ns = 0;
	task->ways = 0;
	task->delay_at_leave_ns =
		delay_later(settings->generation_delay_ns, task->delay_at_leave_ns);
	task->delay_at_wake_ns = delay_later(settings->generation_delay_ns, task->delay_at_wake_ns);
	task->left_ns = delay_later(settings->generation_ns, task->left_ns);
	task->woken_ns = delay_later(settings->generation_ns, task->woken_ns);
	task->latest_ns = task->left_ns - task->delay_at_leave_ns;
}

/* ---- waits of classes L and S as the target ---- */

/*
 * Another task of the program ends such a wait, and may have been paused meanwhile. So the length
 * is known only at the end, in effective time: `waited` less the growth of G, less the `gap` that
 * it could have paid. The task is then ahead by length x speedup, and G follows. Simultaneous waits
 * do not add up: G is the largest L.
 */
DELAY_RULE __u64 delay_effective_length(__s64 waited, __s64 delayed, __s64 gap)
{
	return delay_not_negative(waited - delay_not_negative(delayed) - delay_not_negative(gap));
}

/* Of a wait for a lock that a task of the program has ended. */
DELAY_RULE __u64 delay_lock_length(const struct delay_task *task)
{
	return delay_effective_length(task->woken_ns - task->left_ns,
				      task->delay_at_wake_ns - task->delay_at_leave_ns,
				      task->gap_ns);
}

/* The gain of all waits of a task that enters a core. */
DELAY_RULE __u64 delay_classes_gain(struct delay_task *task, const struct delay_settings *settings,
				    bool is_fresh, __u64 global, __u64 now)
{
	__u64 gain = 0;

	if (task->lock_levels && is_fresh && task->waker == DELAY_WAKER_TASK)
		gain += delay_scaled(delay_lock_length(task),
				     delay_speedup_of(settings, task->lock_levels));
	if (task->runnable_levels) {
		__u64 since = is_fresh ? task->woken_ns : task->left_ns;
		__u64 then = is_fresh ? task->delay_at_wake_ns : task->delay_at_leave_ns;
		gain += delay_scaled(delay_effective_length(now - since, global - then, 0),
				     delay_speedup_of(settings, task->runnable_levels));
	}
	task->lock_levels = task->runnable_levels = 0;
	return gain;
}
