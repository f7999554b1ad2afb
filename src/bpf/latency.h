/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * latency - the time average, in effective time, of spans that are open, for Little's law (COZ,
 * section 3.3).
 */
#pragma once

#include "bpf/state.h"
#include "bpf/waiters.h"

/* Open spans of pair i. */
static __always_inline s64 pair_open(u32 i)
{
	u32 begin = settings.pairs[i].begin & (WIRE_POINTS_MOST - 1);
	u32 end = settings.pairs[i].end & (WIRE_POINTS_MOST - 1);
	s64 open = points[begin].total - points[end].total;
	return open > 0 ? open : 0;
}

/* With the spans that are open now. Below 0: a pause. A function of its own, as is_at_pause. */
__noinline int latency_add(s64 time)
{
	struct kernel_cpu *cpu = this_cpu();

	cpu->pair_weight_ns += time;
	for (u32 i = 0; i < WIRE_PAIRS_MOST && i < settings.pair_count; i++)
		cpu->pair_ns[i] += pair_open(i) * time;
	return 0;
}

/*
 * A tick on any core adds the time since the last tick of all cores, since idle cores may not tick.
 * latency_pause subtracts pauses, with the spans that are open when the target earns them.
 */
static __always_inline void latency_tick(u64 now)
{
	if (!settings.pair_count || !settings.window)
		return;
	u64 last = *(volatile u64 *)&latency_updated_ns;
	if ((s64)(now - last) <= 0 ||
	    __sync_val_compare_and_swap(&latency_updated_ns, last, now) != last)
		return;
	waiters_advance(now);
	u64 delay = *(volatile u64 *)&waiters_delay_ns;
	if (*(volatile u64 *)&latency_window == settings.window)
		latency_add((s64)(now - last) - (s64)(delay - latency_updated_delay_ns));
	latency_updated_delay_ns = delay;
	latency_window = settings.window;
}

static __always_inline void latency_pause(u64 growth)
{
	if (settings.pair_count && settings.window)
		latency_add(-(s64)growth);
}
