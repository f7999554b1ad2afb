/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * pause - pays the delays of wire/delay.h by spinning: each core at ticks, wake-ups and switches.
 *
 * Every pause is capped, and so is the sum of a core's pauses (wire/delay_budget.h). A task that an
 * external wake-up leaves with more than the cap pays the rest before it goes on with anything
 * else, in the tail of its switch, where interrupts are allowed, no lock is held, and other tasks
 * can ask for the core.
 */
#pragma once

#include "bpf/spin.h"
#include "bpf/waiters.h"

#define PAUSE_SHORTEST_NS 300      /* below this the bookkeeping costs more than the debt */
#define PAUSE_GROWN_MOST_NS 500000 /* with what is charged meanwhile: interrupts are off */
#define PAUSE_STEPS_MOST (1 << 18)
#define PAUSE_PARTS_MOST 256

/*
 * What follows in functions that are not inlined: the verifier checks each once, and not behind
 * each path to it.
 */

/* G becomes at least `value`. Returns by how much it has grown. */
__noinline u64 global_delay_raise(u64 value)
{
	for (int i = 0; i < 16; i++) {
		u64 old = global_delay();
		u64 raised = delay_later(value, old);
		if (raised == old)
			return 0;
		if (__sync_val_compare_and_swap(&delay_ns, old, raised) == old)
			return raised - old;
	}
	return 0;
}

static __always_inline bool owes_more(const struct kernel_cpu *cpu)
{
	return delay_is_due(&cpu->delay.local, global_delay(), PAUSE_SHORTEST_NS);
}

/* The gap of the task on this core. */
static __always_inline s64 core_gap(const struct kernel_cpu *cpu, u64 global)
{
	return delay_gap(&cpu->delay.local, &settings.delay, global);
}

struct pause {
	u64 begin_ns, end_ns, last_ns; /* it may grow up to the last */
};

/*
 * Meanwhile the target runs on, and G grows: a pause that ended here would leave that unpaid, and
 * this core would run beside the target until its next tick, further ahead of it each time.
 */
static long pause_step(u32 index, void *context)
{
	struct pause *pause = context;
	u64 now = bpf_ktime_get_ns();

	if (now < pause->end_ns)
		return 0;
	s64 rest = core_gap(this_cpu(), global_delay()) - (s64)(now - pause->begin_ns);
	if (rest <= PAUSE_SHORTEST_NS || now >= pause->last_ns)
		return 1;
	pause->end_ns = now + rest < pause->last_ns ? now + rest : pause->last_ns;
	return 0;
}

/* Where interrupts are allowed, others are served in between: the budget is for the rest. */
static __always_inline u64 pause_longest(struct kernel_cpu *cpu, u64 now)
{
	u64 cap = settings.delay.cap_ns;

	return cpu->is_finishing ? cap : delay_budget_left(&cpu->budget, cap, now);
}

/* At which event a core pauses. */
enum pause_at { PAUSE_AT_TICK, PAUSE_AT_WAKE, PAUSE_AT_SWITCH };

static __always_inline void pause_count(struct kernel_cpu *cpu, u32 at, u64 spun)
{
	cpu->spins++;
	if (at == PAUSE_AT_TICK)
		cpu->tick_spins++;
	else if (at == PAUSE_AT_WAKE)
		cpu->wake_spins++;
	else
		cpu->switch_spins++;
	if (spun > cpu->longest_spin_ns)
		cpu->longest_spin_ns = spun;
}

/* Pays the gap of the core that it runs on, by spinning there. `at`: enum pause_at. */
__noinline int pay_delay_due(u32 at)
{
	struct kernel_cpu *cpu = this_cpu();
	u64 global = global_delay();

	u64 start = bpf_ktime_get_ns();
	u64 most = pause_longest(cpu, start);
	u64 first = delay_consume(&cpu->delay.local, &settings.delay, global, start, most);
	if (!first)
		return 0;
	if (delay_is_due(&cpu->delay.local, global, first))
		cpu->capped += !cpu->is_finishing;
	u64 grown = first > PAUSE_GROWN_MOST_NS ? first : PAUSE_GROWN_MOST_NS;
	struct pause pause = {.begin_ns = start,
			      .end_ns = start + first,
			      .last_ns = start + (grown < most ? grown : most)};
	bpf_loop(PAUSE_STEPS_MOST, pause_step, &pause, 0);
	u64 now = bpf_ktime_get_ns(), spun = now - start;
	if (!cpu->is_finishing)
		delay_budget_spend(&cpu->budget, spun, now);
	delay_pay(&cpu->delay.local, spun);
	cpu->delay.paused_ns += spun;
	cpu->overshoot_ns += now > pause.end_ns ? now - pause.end_ns : 0;
	pause_count(cpu, at, spun);
	return 0;
}

static __always_inline void pay_delay(u32 at)
{
	if (delay_is_due(&this_cpu()->delay.local, global_delay(), PAUSE_SHORTEST_NS))
		pay_delay_due(at);
}

/*
 * Flags by which another task asks for this core, or a signal for this task: need_resched, lazily
 * or not, signals, work before user mode. Their positions differ between kernels: on x86 within
 * bits 1 to 4, elsewhere bits 0 to 2. No other flag in these bits stays set.
 */
#ifdef __TARGET_ARCH_x86
#define PAUSE_FLAGS_ASKING 0x1e
#else
#define PAUSE_FLAGS_ASKING 0x7
#endif

static long pause_part(u32 index, void *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_cpu *cpu = this_cpu();

	if (!owes_more(cpu) || task->thread_info.flags & PAUSE_FLAGS_ASKING)
		return 1;
	pay_delay(PAUSE_AT_SWITCH);
	return 0;
}

/* The current task, whose switch is done, pays its rest. Asked for its core, it goes on later. */
static __always_inline void pay_rest(struct kernel_cpu *cpu, struct task_state *task)
{
	cpu->is_finishing = 1;
	bpf_loop(PAUSE_PARTS_MOST, pause_part, NULL, 0);
	cpu->is_finishing = 0;
	cpu->owes_more = task->owes_more = owes_more(cpu);
}

/* A tick at `now` took `overhead`. Returns by how much G has grown. */
static __always_inline u64 count_tick(u64 overhead, u64 now)
{
	u64 slot = *(volatile u64 *)&tick_slot_ns;
	u64 next = delay_tick_slot(slot, settings.delay.period_ns, now);

	if (!overhead || next == slot ||
	    __sync_val_compare_and_swap(&tick_slot_ns, slot, next) != slot)
		return 0;
	__sync_fetch_and_add(&delay_ns, overhead);
	return overhead;
}

/* After a charge. Returns by how much G has grown. */
static __always_inline u64 raise_by_charge(u64 local, u32 levels, u64 now)
{
	u64 slot = *(volatile u64 *)&charge_slot_ns, global = global_delay();
	s64 ahead = local - global;
	s64 most = delay_charge_most(&settings.delay, slot, levels, now);
	s64 growth = ahead < most ? ahead : most;

	if (growth <= 0)
		return 0;
	u64 next = delay_charge_slot(&settings.delay, slot, levels, growth, now);
	if (__sync_val_compare_and_swap(&charge_slot_ns, slot, next) != slot)
		return 0;
	return global_delay_raise(global + growth);
}

/* A tick at `now`: the target ran for `weight` at these levels. Returns by how much G has grown. */
__noinline u64 pause_charge(u32 levels, u64 weight, u64 now)
{
	struct kernel_cpu *cpu = this_cpu();
	u64 handled = bpf_ktime_get_ns() - now;
	delay_turn_tick(&cpu->turn, &cpu->delay, now);
	u64 overhead = settings.delay.tick_overhead_ns + handled;

	cpu->handled_ns += handled;
	u64 charge = delay_charge_target(&cpu->delay.local, &settings.delay, levels, weight, now);
	cpu->delay.charge_ns = charge;
	cpu->delay.tick_overhead_ns =
		delay_charge_tick(&cpu->delay.local, &settings.delay, overhead, now);
	u64 counted = count_tick(cpu->delay.tick_overhead_ns, now);
	if (!charge)
		return counted;
	u64 growth = raise_by_charge(cpu->delay.local.delay_ns, levels, now);
	if (growth)
		__sync_fetch_and_add(&charged_ns, growth < charge ? growth : charge);
	return counted + growth;
}

/*
 * A tick that stands for `weight`. A released spinner counts as a wait where the sampling period is
 * chosen.
 */
__noinline int spin_check(struct task_state *state, u32 is_spinning, u64 weight)
{
	struct kernel_cpu *cpu = this_cpu();
	struct delay_spin_tick tick = {.is_spinning = is_spinning,
				       .gap_ns = core_gap(cpu, global_delay()),
				       .weight_ns = weight};

	if (!state)
		return 0;
	delay_spin_repeat(&cpu->spin_repeats, &state->delay, is_spinning, weight);
	cpu->hand_overs +=
		delay_spin(&cpu->delay, &state->delay, &tick, *(volatile u64 *)&charged_ns);
	return 0;
}

/*
 * Displacement: the program had a runnable task without a core while a foreign task had one. It is
 * sampled: a tick in a foreign task while a task of the program waits stands for the time since
 * the last tick. The waiting task's own core does not matter, since a foreign task on one core
 * squeezes the program's tasks together on the others. A task can use one core only: ticks on all
 * cores together count for no more than the waiting tasks times the time since the last such tick.
 * What G grew by is not lost, as a task of the program would have paused then.
 */
static __always_inline void waiting_set(struct task_state *task, enum core_wait waiting)
{
	enum core_wait before = task->waiting;

	if (!task->is_member || before == waiting)
		return;
	task->waiting = waiting;
	__sync_fetch_and_add(&waiting_tasks, (waiting != HAS_CORE) - (before != HAS_CORE));
	__sync_fetch_and_add(&wanted_cores,
			     (waiting == WAITS_FOR_CORE) - (before == WAITS_FOR_CORE));
}

static __always_inline void displacement_count(struct kernel_cpu *cpu, u64 weight, u64 now)
{
	s64 waiting = *(volatile s64 *)&waiting_tasks;
	if (waiting <= 0)
		return;
	u64 last = *(volatile u64 *)&displaced_at_ns;
	s64 grown = core_gap(cpu, global_delay());
	*(volatile u64 *)&displaced_at_ns = now;
	u64 lost = now > last ? (now - last) * waiting : 0;
	lost = lost < weight ? lost : weight;
	if (grown > 0 && weight)
		lost -= (u64)grown < weight ? lost * grown / weight : lost;
	cpu->displaced_ns += lost;
}

#define CROWDING_CORES 16 /* those that are looked at, around a core */

/*
 * A tick in the program that stands for `weight`, while tasks of it wait for a core. Idle cores
 * beside them are those that the scheduler leaves unused. Each core with a task counts its part.
 */
__noinline int crowding_count(u64 weight)
{
	struct kernel_cpu *cpu = this_cpu();
	s64 waiting = *(volatile s64 *)&waiting_tasks;
	u32 first = bpf_get_smp_processor_id() & ~(CROWDING_CORES - 1), idle = 0, busy = 0;

	if (waiting <= 0)
		return 0;
	cpu->crowded_ns += weight;
	for (u32 i = 0; i < CROWDING_CORES; i++) {
		const struct kernel_cpu *other = &cpus[(first + i) & (KERNEL_CPUS_MOST - 1)];
		idle += *(volatile u32 *)&other->is_idle;
		busy += *(volatile u8 *)&other->has_user_task;
	}
	u64 unused = idle < waiting ? idle : waiting;
	cpu->unused_ns += busy ? weight * unused / busy : 0;
	return 0;
}

static __always_inline void pause_leave(struct kernel_cpu *cpu, struct task_state *task, u64 now,
					bool blocked)
{
	u32 nap_ns = delay_turn_end(&cpu->turn, &cpu->delay, &task->delay, blocked, now);
	cpu->short_naps += nap_ns > 0;
	cpu->short_naps_ns += nap_ns;
	u64 global = global_delay();

	delay_leave(&task->delay, &settings.delay, core_gap(cpu, global), blocked, global, now);
	waiting_set(task, blocked ? HAS_CORE : WAITS_FOR_CORE);
}

/* The task on this core has released a lock for which that one waited. */
__noinline int hand_over(struct task_state *woken)
{
	struct delay_holder holder = delay_holder_of(&this_cpu()->delay);

	if (woken)
		delay_hand_over(&woken->delay, &settings.delay, &holder);
	return 0;
}

/* `left_gap`: of the task that leaves this core; 0: it was idle. */
__noinline int pause_enter(struct task_state *task, u64 now, u32 core_was_idle, s64 left_gap)
{
	struct kernel_cpu *cpu = this_cpu();

	if (!task)
		return 0;
	struct delay_entry entry = {.now_ns = now,
				    .global_ns = global_delay(),
				    .left_gap_ns = left_gap,
				    .core_was_idle = core_was_idle,
				    .is_member = task->is_member | task->is_peer,
				    .core_is_wanted = *(volatile s64 *)&wanted_cores > 0};

	waiting_set(task, HAS_CORE);
	int next = delay_enter(&cpu->delay.local, &task->delay, &settings.delay, &entry);
	delay_turn_begin(&cpu->turn, &cpu->delay, &task->delay, next & DELAY_BY_TIMER, &entry);
	if (next & DELAY_RAISES_G)
		global_delay_raise(cpu->delay.local.delay_ns);
	if (next & DELAY_PAYS) {
		pay_delay(PAUSE_AT_SWITCH);
		task->owes_more = owes_more(cpu);
	}
	cpu->owes_more = task->owes_more;
	return 0;
}
