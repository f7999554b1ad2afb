/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * pause - virtual speedups: the global delay G, each core's local delay L, and paying the gap.
 *
 * The rules of ARCHITECTURE.md: the unpaid gap follows the task, the pause is paid by the core,
 * at once and where it is noticed. A task that another task wakes is credited, since its waker has
 * paid before waking it; a task that an interrupt (or a foreign task) wakes owes what accrued. Kernel
 * threads never pay, but pass on what they owe to whom they wake: what accrued while they worked, waited for a
 * device, or slept until an interrupt woke them, but not while they waited for a core. If they paid, the devices
 * that they start would end later, and who waits for those would owe the same once more.
 *
 * Every pause ends by itself: it is capped, and nothing pauses when the engine's heartbeat is old. Who was
 * woken from outside and owes more than the cap pays the rest before it goes on with anything else, in the
 * tail of its switch, where interrupts are allowed, no lock is held, and others may ask for the core. (What it
 * did before would come too early: whoever it wakes is credited, as if all were paid.)
 */
#pragma once

#include "bpf/spin.h"
#include "bpf/wait_classes.h"

#define PAUSE_SHORTEST_NS 300 /* below this the bookkeeping costs more than the debt */
#define PAUSE_STEPS_MOST (1 << 18)
#define PAUSE_PARTS_MOST 256

static __always_inline bool pausing_is_allowed(u64 now)
{
	/* The heartbeat may be later than `now`. */
	return !settings.is_disarmed &&
	       (s64)(now - settings.heartbeat_ns) < (s64)WIRE_HEARTBEAT_LIMIT_NS;
}

/* Returns by how much G has grown. */
static __always_inline u64 global_delay_raise(u64 value)
{
	for (int i = 0; i < 16; i++) {
		u64 old = global_delay();
		if ((s64)(value - old) <= 0)
			return 0;
		if (__sync_val_compare_and_swap(&delay_ns, old, value) == old)
			return value - old;
	}
	return 0;
}

static long pause_step(u32 index, void *context)
{
	return bpf_ktime_get_ns() >= *(u64 *)context;
}

/* Pays this core's gap by spinning here. */
static __always_inline void pay_delay(struct kernel_cpu *cpu, u64 *counter)
{
	s64 gap = global_delay() - cpu->local_ns;
	if (gap <= PAUSE_SHORTEST_NS)
		return;
	u64 start = bpf_ktime_get_ns();
	if (!pausing_is_allowed(start) || cpu->generation != settings.generation) {
		cpu->generation = settings.generation;
		cpu->local_ns = global_delay();
		return;
	}
	if (gap > (s64)settings.cap_ns) {
		gap = settings.cap_ns;
		cpu->capped += !cpu->is_finishing;
	}
	u64 end = start + gap;
	bpf_loop(PAUSE_STEPS_MOST, pause_step, &end, 0);
	u64 spun = bpf_ktime_get_ns() - start;
	cpu->local_ns += spun;
	cpu->spun_ns += spun;
	cpu->overshoot_ns += spun - gap;
	cpu->spins++;
	(*counter)++;
	if (spun > cpu->longest_spin_ns)
		cpu->longest_spin_ns = spun;
}

static __always_inline bool owes_more(const struct kernel_cpu *cpu)
{
	return (s64)(global_delay() - cpu->local_ns) > PAUSE_SHORTEST_NS;
}

/*
 * Does another task ask for this core, or a signal for this task? These flags of x86 (need_resched, lazily or
 * not, signals, work to be done before user mode) have moved within bits 1 to 4; none of them stays set.
 */
#define PAUSE_FLAGS_ASKING 0x1e

static long pause_part(u32 index, void *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_cpu *cpu = this_cpu();

	if (!owes_more(cpu) || task->thread_info.flags & PAUSE_FLAGS_ASKING)
		return 1;
	pay_delay(cpu, &cpu->switch_spins);
	return 0;
}

/* The task on this core, whose switch is done, pays what it still owes. Asked for its core, it goes on later. */
static __always_inline void pay_rest(struct kernel_cpu *cpu, struct task_state *task)
{
	cpu->is_finishing = 1;
	bpf_loop(PAUSE_PARTS_MOST, pause_part, NULL, 0);
	cpu->is_finishing = 0;
	cpu->owes_more = task->owes_more = owes_more(cpu);
}

/*
 * A tick at `now`: the target ran for `weight` ns on this core, and everything else must wait for
 * `weight` x speedup. What the tick itself costs is a pause that this core has had and the others have
 * not: so effective time is that of a program which nobody samples, also where one that waits, which
 * no tick slows down, meets one that computes. Returns by how much G has grown.
 */
static __always_inline u64 pause_charge(struct kernel_cpu *cpu, u64 weight, u64 now)
{
	u64 handled = bpf_ktime_get_ns() - now;

	cpu->handled_ns += handled;
	cpu->tick_overhead_ns = 0;
	if (!settings.tick_overhead_ns || !pausing_is_allowed(now))
		return 0;
	cpu->tick_overhead_ns = settings.tick_overhead_ns + handled;
	u64 charge = (weight * settings.speedup) / WIRE_SPEEDUP_ONE;
	cpu->local_ns += cpu->tick_overhead_ns + charge;
	u64 growth = global_delay_raise(cpu->local_ns);
	if (charge && growth)
		__sync_fetch_and_add(&charged_ns, growth < charge ? growth : charge);
	return growth;
}

/*
 * Un-paused time since the core's last tick: what this tick stands for. An idle core may miss ticks;
 * the first one after that stands for one period, as any tick does on average. Where the core was
 * busy all the time, a tick that comes more than a period late was held up from outside, mostly by a
 * hypervisor that ran somebody else: that time (`stalled`) is nobody's.
 */
static __always_inline u64 tick_weight(struct kernel_cpu *cpu, u64 now, u64 *stalled)
{
	s64 weight = now - cpu->last_tick_ns - (cpu->spun_ns - cpu->spun_at_tick_ns) -
		     cpu->tick_overhead_ns;
	bool was_idle = (s64)(cpu->busy_since_ns - cpu->last_tick_ns) > 0;
	u64 most = was_idle ? settings.period_ns : 2 * settings.period_ns;

	cpu->last_tick_ns = now;
	cpu->spun_at_tick_ns = cpu->spun_ns;
	cpu->tick_overhead_ns = 0;
	*stalled = 0;
	if (weight < 0)
		return 0;
	if ((u64)weight <= most)
		return weight;
	if (!was_idle)
		*stalled = weight - settings.period_ns;
	return most;
}

/* What the task on this core owes. */
static __always_inline s64 core_gap(const struct kernel_cpu *cpu, u64 global)
{
	return cpu->generation == settings.generation ? (s64)(global - cpu->local_ns) : 0;
}

/*
 * Who spun at the last tick and does no more has been let go since by another task. If that was the target, it owed
 * nothing, and what the target has charged since is not owed here either, as after a wake-up. All other debts that the one
 * had and could not be made to pay make up for those that the other has. Such a wait ends unseen, and
 * counts as one that tells how often to sample.
 */
static __always_inline void spin_check(struct bpf_perf_event_data *context, struct kernel_cpu *cpu,
				       struct task_state *state)
{
	bool is_spinning = spins(context);
	u64 charged = *(volatile u64 *)&charged_ns;
	s64 gap = core_gap(cpu, global_delay()), since = charged - cpu->charged_at_tick_ns;

	cpu->charged_at_tick_ns = charged;
	if (state->is_spinning && !is_spinning) {
		cpu->waits++;
		if (gap > 0)
			cpu->local_ns += gap < since ? gap : since;
	}
	state->is_spinning = is_spinning;
}

/*
 * Displacement: the program had a runnable task without a core while a foreign task had one. It is
 * sampled: a tick in a foreign task while somebody waits stands for the time since the last tick.
 * Which core the waiting task stands on does not matter, since a foreign task on one core squeezes
 * the program's tasks together on the others.
 */
static __always_inline void waiting_set(struct task_state *task, bool is_waiting)
{
	if (!task->is_member || task->is_waiting == is_waiting)
		return;
	task->is_waiting = is_waiting;
	__sync_fetch_and_add(&waiting_tasks, is_waiting ? 1 : -1);
}

static __always_inline void displacement_count(struct kernel_cpu *cpu, u64 weight)
{
	if (*(volatile s64 *)&waiting_tasks > 0)
		cpu->displaced_ns += weight;
}

static __always_inline void pause_leave(struct kernel_cpu *cpu, struct task_state *task, u64 now,
					bool blocked)
{
	u64 global = global_delay();
	task->gap_ns = core_gap(cpu, global);
	task->generation = settings.generation;
	task->delay_at_leave_ns = global;
	task->left_ns = now;
	task->is_blocked = blocked;
	task->is_seen = 1;
	waiting_set(task, !blocked);
}

/* A task's gap from before it slept, when that was time to spare: it shrinks by what of it was not itself a pause. */
static __always_inline s64 gap_after_wake(const struct task_state *task)
{
	s64 gap = task->gap_ns;
	if (gap <= 0)
		return gap;
	s64 waited = task->woken_ns - task->left_ns;
	s64 paused = task->delay_at_wake_ns - task->delay_at_leave_ns;
	return not_below_zero(gap - not_below_zero(waited - paused));
}

/*
 * Woken by an interrupt or a foreign task: no credit, all that accrued while it slept is owed. By a kernel
 * thread: no more than that thread owes, since it may have waited, too, for those who had to be waited for; but
 * what it owed before stays. A kernel thread that does not wait for a device is taken to have been idle.
 * On a core that was busy it has waited since: as long as that was no pause, it would have had to wait less.
 */
static __always_inline s64 gap_after_external_wake(const struct task_state *task, u64 now,
						   u64 global, bool core_was_idle)
{
	s64 queued = (now - task->woken_ns) - not_below_zero(global - task->delay_at_wake_ns);
	s64 own = task->is_member || task->is_in_io ? task->gap_ns : gap_after_wake(task);
	s64 gap = own + not_below_zero(task->delay_at_wake_ns - task->delay_at_leave_ns);
	if (task->is_by_kernel_thread && gap > (s64)task->waker_gap_ns)
		gap = own > (s64)task->waker_gap_ns ? own : (s64)task->waker_gap_ns;
	if (!core_was_idle && gap > 0)
		gap = not_below_zero(gap - not_below_zero(queued));
	return gap;
}

/*
 * Between who wakes and who is woken, on one core, G may have grown by `grown`; each hop of kernel threads would
 * lose that. Who leaves the core owes it, too.
 */
static __always_inline s64 gap_after_wake_chain(s64 gap, s64 grown, s64 left_gap)
{
	s64 with_chain = gap + not_below_zero(grown);
	s64 most = left_gap < with_chain ? left_gap : with_chain;

	return most > gap ? most : gap;
}

static __always_inline void raise_to(u64 *value, u64 least)
{
	if ((s64)(least - *value) > 0)
		*value = least;
}

/* A task that has waited since before the generation: as if it had begun to wait when that began. */
static __always_inline void gap_reset(struct task_state *task)
{
	task->generation = settings.generation;
	task->gap_ns = task->waker_gap_ns = 0;
	raise_to(&task->delay_at_leave_ns, settings.generation_delay_ns);
	raise_to(&task->delay_at_wake_ns, settings.generation_delay_ns);
	raise_to(&task->left_ns, settings.generation_ns);
	raise_to(&task->woken_ns, settings.generation_ns);
}

/* `left_gap`: what who leaves this core owes; 0 if it was idle. */
static __always_inline void pause_enter(struct kernel_cpu *cpu, struct task_state *task, u64 now,
					bool core_was_idle, s64 left_gap)
{
	u64 global = global_delay();
	bool fresh = task->is_woken && task->is_blocked;
	bool external = fresh && (task->is_by_kernel_thread || task->is_external);

	task->is_woken = 0;
	waiting_set(task, false);
	cpu->generation = settings.generation;

	if (!task->is_seen) {
		task->is_seen = 1;
		task->generation = settings.generation;
		cpu->local_ns = global;
		return;
	}
	if (task->generation != settings.generation)
		gap_reset(task);
	u64 credit = wait_class_credit(task, fresh, now);
	s64 gap = task->gap_ns;
	u64 base = global;
	if (fresh && core_was_idle && (s64)(global - task->delay_at_wake_ns) > 0)
		base = task->delay_at_wake_ns;
	if (external)
		gap = gap_after_external_wake(task, now, global, core_was_idle);
	else if (fresh)
		gap = gap_after_wake(task);
	if (task->credit_ns) {
		gap = not_below_zero(gap - (s64)task->credit_ns);
		task->credit_ns = 0;
	}
	if (fresh && (task->is_by_kernel_thread || !task->is_member))
		gap = gap_after_wake_chain(gap, global - task->delay_at_wake_ns, left_gap);
	cpu->local_ns = base - gap;
	if (credit && pausing_is_allowed(now)) {
		cpu->local_ns += credit;
		global_delay_raise(cpu->local_ns);
	}
	if (external && task->is_member) {
		pay_delay(cpu, &cpu->switch_spins);
		task->owes_more = owes_more(cpu);
	}
	cpu->owes_more = task->owes_more;
}
