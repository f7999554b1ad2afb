/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_core - ticks and switch in: of a core, and of a thread of the runtime engine.
 */
#pragma once

#include "wire/delay_gap.h"
#include "wire/delay_growth.h"
#include "wire/delay_hand_over.h"
#include "wire/delay_spin.h"

/* A core. Written on that core. */
struct delay_core {
	struct delay_local local;
	__u64 paused_ns;                  /* sum of its pauses */
	__u64 tick_ns, paused_at_tick_ns; /* the last tick, and paused_ns then */
	__u64 tick_overhead_ns;           /* charged by the last tick */
	__u64 busy_since_ns;              /* last left the idle task */
	__u64 charged_at_tick_ns;         /* sum of the target's charges, at the last tick here */
	__u64 charge_ns;                  /* of the target, by the last tick */
};
_Static_assert(sizeof(struct delay_core) == 72, "delay_core layout");

/* ---- ticks ---- */

/* What a tick stands for, and time in which the core was stalled, mostly by a hypervisor. */
struct delay_tick {
	__u64 weight_ns, stalled_ns;
};

/*
 * The core's un-paused time since its last tick. An idle core may miss ticks; the next one stands
 * for one period, as any tick does on average. On a busy core, a tick that is more than a period
 * late was stalled.
 */
DELAY_RULE struct delay_tick delay_tick(struct delay_core *core,
					const struct delay_settings *settings, __u64 now)
{
	__u64 paused = core->paused_ns - core->paused_at_tick_ns;
	__s64 weight = now - core->tick_ns - paused - core->tick_overhead_ns;
	bool was_idle = (__s64)(core->busy_since_ns - core->tick_ns) > 0;
	__s64 most = was_idle ? settings->period_ns : 2 * settings->period_ns;
	struct delay_tick tick = {.weight_ns = delay_not_negative(weight)};

	core->tick_ns = now;
	core->paused_at_tick_ns = core->paused_ns;
	core->tick_overhead_ns = 0;
	if (weight > most) {
		tick.weight_ns = most;
		tick.stalled_ns = was_idle ? 0 : weight - settings->period_ns;
	}
	return tick;
}

/* The same of a thread's clock of CPU time, which contains no pause, no stall and no other task. */
DELAY_RULE __u64 delay_tick_of_thread(__u64 cpu_ns, __u64 cpu_accounted_ns, __u64 overhead_ns)
{
	return delay_not_negative(cpu_ns - cpu_accounted_ns - overhead_ns);
}

/* The same of a core, at each of its ticks; `charged_ns`: in all. Returns whether a spin ended. */
DELAY_RULE bool delay_spin(struct delay_core *core, struct delay_task *task,
			   struct delay_spin_tick *tick, __u64 charged_ns)
{
	bool spun = delay_spun(task->spin);

	tick->charged_ns = charged_ns - core->charged_at_tick_ns;
	core->charged_at_tick_ns = charged_ns;
	core->local.delay_ns += delay_spin_credit(&task->spin, tick);
	return spun && !tick->is_spinning;
}

/* The core's task releases a lock. */
DELAY_RULE struct delay_holder delay_holder_of(const struct delay_core *core)
{
	return (struct delay_holder){.tick_ns = core->tick_ns,
				     .charge_ns = core->charge_ns,
				     .paused_ns = core->paused_ns - core->paused_at_tick_ns +
						  core->tick_overhead_ns};
}

/* ---- switch in ---- */

/* What the caller does next: bits. */
enum delay_entered {
	DELAY_RAISES_G = 1, /* G becomes delay_later(L, G) */
	DELAY_PAYS = 2,     /* the core consumes before the task goes on */
	DELAY_BY_TIMER = 4, /* a timer has ended the wait of a task that pays (delay_turn.h) */
};

/*
 * Switch in (SCOZ: post_idle; COZ: post_block). A new task owes nothing, since its parent has paid
 * (fork). A task that was preempted is credited with the growth of G meanwhile and keeps its gap:
 * the target may have run on its core.
 */
DELAY_RULE int delay_enter(struct delay_local *local, struct delay_task *task,
			   const struct delay_settings *settings, const struct delay_entry *entry)
{
	bool is_fresh = task->is_woken && task->is_blocked;
	bool is_external = is_fresh && task->waker != DELAY_WAKER_TASK;
	bool by_timer = is_fresh && task->waker == DELAY_WAKER_TIMER && entry->is_member;
	__u64 base = entry->global_ns;

	task->is_woken = 0;
	local->generation = settings->generation;
	local->delay_ns = entry->global_ns;
	if (!task->is_seen) {
		task->is_seen = 1;
		task->generation = settings->generation;
		return 0;
	}
	delay_task_renew(task, settings);
	__u64 gain = delay_classes_gain(task, settings, is_fresh, entry->global_ns, entry->now_ns);
	__s64 grown = entry->global_ns - task->delay_at_wake_ns; /* since it was woken */
	__s64 gap = is_external ? delay_gap_after_external_wake(task, settings, entry) :
		    is_fresh    ? delay_gap_after_wake(task, entry->core_was_idle) :
				  task->gap_ns;
	if (settings->grows_by_waits && is_fresh && !is_external)
		gap = delay_gap_of_own_clock(task, task->delay_at_wake_ns, task->woken_ns);

	task->credit_ns = 0;
	if (task->is_handed_over && is_fresh && entry->core_was_idle)
		gain += delay_way_charge(task, entry->now_ns - task->woken_ns);
	task->is_handed_over = 0;
	if (is_fresh && (task->waker == DELAY_WAKER_KERNEL_THREAD || !entry->is_member))
		gap = delay_gap_after_wake_chain(gap, grown, entry->left_gap_ns);
	if (is_fresh && entry->core_was_idle && grown > 0)
		base = task->delay_at_wake_ns;
	if (!delay_is_allowed(settings, entry->now_ns))
		gain = 0;
	local->delay_ns = base - gap + gain;
	return (gain ? DELAY_RAISES_G : 0) | (is_external && entry->is_member ? DELAY_PAYS : 0) |
	       (by_timer ? DELAY_BY_TIMER : 0);
}

/* ---- threads of the runtime engine: a wait ends when its call returns ---- */

/* If a generation has begun during the wait, the thread owes the growth of G since then. */
DELAY_RULE void delay_thread_renew(struct delay_local *local, struct delay_task *task,
				   const struct delay_settings *settings)
{
	delay_renew(local, settings);
	delay_task_renew(task, settings);
}

/* A wait in the target has ended. */
DELAY_RULE void delay_thread_credit(struct delay_local *local, const struct delay_task *task,
				    __u64 credit, __u64 global)
{
	__s64 grown = delay_not_negative(global - task->delay_at_leave_ns);

	local->delay_ns += grown - delay_credited(grown, credit);
}

/*
 * After a wait that a thread of the program has ended (delay_wake at the call's return). After
 * other waits L stays as it is, and so the growth of G is owed. L does not fall, so that the
 * charges of the call itself stay.
 */
DELAY_RULE void delay_thread_enter(struct delay_local *local, const struct delay_task *task,
				   __u64 global)
{
	local->delay_ns = delay_later(global - delay_gap_after_wake(task, true), local->delay_ns);
}

/*
 * A thread was runnable without a core for `displaced_ns` since it was last asked, and ran for
 * `ran_ns`; G has grown by `grown_ns`. Like a preempted task (delay_enter) it is credited with the
 * growth while it had no core. No event tells when that was, so the growth is divided by the time
 * of the cores that can have caused it: all while it was displaced, all but its own while it ran.
 */
DELAY_RULE void delay_thread_displaced(struct delay_local *local, __s64 grown_ns,
				       __u64 displaced_ns, __u64 ran_ns, __u32 cores)
{
	__u64 off = displaced_ns * cores, on = ran_ns * (cores - 1);

	if (grown_ns > 0 && off)
		local->delay_ns += (__u64)grown_ns * (off * 1024 / (off + on)) / 1024;
}

/* A new thread: its parent's pauses have delayed its creation (COZ, section 3.4). */
DELAY_RULE void delay_thread_inherit(struct delay_local *child, const struct delay_local *parent)
{
	*child = *parent;
}
