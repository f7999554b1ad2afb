/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* record - the processes that `lever record` samples, tasks off CPU, and the weights of samples. */
#pragma once

#include "bpf/process_set.h"
#include "wire/record.h"

struct record_settings settings __attribute__((aligned(256)));
struct record_cpu record_cpus[KERNEL_CPUS_MOST];
struct record_slot slots[RECORD_SLOTS];

static __always_inline struct record_cpu *record_this_cpu(void)
{
	return &record_cpus[bpf_get_smp_processor_id() & (KERNEL_CPUS_MOST - 1)];
}

static __always_inline bool record_is_member(u32 tgid)
{
	return member_get(tgid) || settings.is_system_wide;
}

static __always_inline struct record_slot *slot_of(u32 tid)
{
	return &slots[tid & (RECORD_SLOTS - 1)];
}

/* Uniform in 0 ... bound - 1. The seed must be new each time. Cheaper than the helper call. */
static __always_inline u64 uniform_below(u64 bound, u64 seed)
{
	u64 mixed = seed * 0x9e3779b97f4a7c15ull;
	mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ull;
	return ((mixed >> 32) * bound) >> 32;
}

/*
 * Where a wait that began at `left` lies on the grid of sampling points: the same at each call, so
 * that the waker knows which waits are sampled.
 */
static __always_inline u64 grid_offset(struct task_struct *task, u64 left)
{
	return uniform_below(settings.period_ns, left ^ (u64)task->pid << 32);
}

/*
 * How many points of its clock's grid a tick stands for; each stands for settings.period_ns, as the
 * clocks of a core together tick once in that time. The kernel fires a clock on a grid of its
 * period. A tick that is late (the hypervisor had the core, or interrupts were off) stands for each
 * point of the grid since the last tick at which its task was on the core. `due_ns` is the next
 * point, as far as the ticks show it: the first tick may be late, and a tick before `due_ns`
 * corrects the grid.
 */
static __always_inline u64 tick_points(struct record_clock *clock, u64 entered_ns, u64 now)
{
	u64 period = clock->period_ns, due = clock->due_ns;

	if (!due || now <= due || !period) {
		clock->due_ns = now + period;
		return 1;
	}
	u64 points = (now - due) / period + 1;
	clock->due_ns = due + points * period;
	u64 last = clock->due_ns - period;
	if (entered_ns <= due)
		return points;
	return last > entered_ns ? (last - entered_ns) / period + 1 : 1;
}

/* The time that a tick stands for. */
static __always_inline u64 tick_stands_for(struct record_cpu *cpu, u64 opened_ns, u64 now)
{
	for (u32 i = 0; i < RECORD_CLOCKS; i++)
		if (cpu->clocks[i].opened_ns == opened_ns)
			return tick_points(&cpu->clocks[i], cpu->entered_ns, now) *
			       settings.period_ns;
	return settings.period_ns;
}

/* Weights of the sampling points in the wait, and in its end, where the task was runnable. */
static __always_inline void off_weigh(struct record_sample *sample, u64 off, u64 offset,
				      u64 runnable)
{
	u64 period = settings.period_ns;
	if (!period)
		return;
	if (runnable > off)
		runnable = off;
	u64 all = (off + offset) / period, blocked = (off - runnable + offset) / period;
	sample->weight_ns = blocked * period;
	sample->waiting_ns = (all - blocked) * period;
}
