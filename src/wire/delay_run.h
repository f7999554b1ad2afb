/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_run - the CPU time of the program on a core, to the nanosecond: progress of `sampled:*`.
 *
 * The weights of ticks add up to it only while the distance from tick to tick is a period. After a
 * pause the next tick comes half a period later, on average, and the first one after idleness
 * stands for a whole period: where cores become idle, pauses alone would make CPU time grow.
 * Pauses, and what ticks take, are left out.
 */
#pragma once

#include "wire/delay_core.h"

/* Of a core. Written on that core. */
struct delay_run {
	__u64 since_ns, paused_at_since_ns; /* counted until then */
	__s64 uncounted_ns;                 /* of the program, since the last tick that counts it */
	__u64 cpu_ns;                       /* of the program and its peers */
	__u32 is_member;                    /* the current task is the program's */
	__u32 is_peer;                      /* it is a client's that pauses with the program */
};
_Static_assert(sizeof(struct delay_run) == 40, "delay_run layout");

/* Before delay_tick, and at each switch. */
DELAY_RULE void delay_run_add(struct delay_run *run, const struct delay_core *core, __u64 now)
{
	__u64 overhead = run->since_ns == core->tick_ns ? core->tick_overhead_ns : 0;
	__u64 paused = core->paused_ns - run->paused_at_since_ns;
	__u64 passed = now - run->since_ns - paused - overhead;

	if (run->is_member)
		run->uncounted_ns += (__s64)passed;
	if (run->is_member | run->is_peer)
		run->cpu_ns += passed;
	run->since_ns = now;
	run->paused_at_since_ns = core->paused_ns;
}

/*
 * At a tick in the program: what is to be counted. Of `stalled_ns` others had the core. The first
 * tick of a recording tells a stall since the machine's start: it is no debt.
 */
DELAY_RULE __u64 delay_run_take(struct delay_run *run, __u64 stalled_ns)
{
	__s64 uncounted = run->uncounted_ns;
	__u64 taken = delay_not_negative(uncounted - (__s64)stalled_ns);

	run->uncounted_ns = uncounted < 0 ? uncounted : 0;
	run->cpu_ns -= delay_not_negative(uncounted) - taken;
	return taken;
}
