/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clocks - sampling clocks on every core: cpu-clock events that run a BPF program.
 *
 * A core has one clock, or several with different periods that together tick as often as one.
 *
 * Life: clocks_clear, clocks_open, clocks_enable, clocks_close.
 */
#pragma once

#include "base/error.h"
#include "wire/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLOCKS_MOST 5 /* of a core */

struct clocks {
	int events[KERNEL_CPUS_MOST][CLOCKS_MOST]; /* -1 where the core is offline */
	unsigned each;                             /* clocks of a core */
	uint64_t period_ns;                        /* as opened: of a core's ticks */
	uint64_t set_ns;                           /* as set last */
	unsigned cores;                            /* possible ones */
	int program;
	bool is_enabled;
	uint64_t followed_ns;
	uint64_t enabled_ns[KERNEL_CPUS_MOST]; /* of a core's first clock, as seen last */
};

void clocks_clear(struct clocks *clocks);
/* `each`: clocks of a core, 1 to CLOCKS_MOST. */
int clocks_open(struct clocks *clocks, int program, uint64_t period_ns, unsigned each,
		struct error *error);
void clocks_close(struct clocks *clocks);
void clocks_enable(struct clocks *clocks, bool enable);
/* Once a second: cores that have come, or have gone and come again, get clocks. Call it often. */
void clocks_follow_cores(struct clocks *clocks);
int clocks_set_period(struct clocks *clocks, uint64_t period_ns, struct error *error);
/* Of one clock, from its next tick on. Nothing happens if the core is offline. */
void clock_set_period(const struct clocks *clocks, unsigned cpu, unsigned clock,
		      uint64_t period_ns);
/* Where the program counts the ticks of core 0, and how far on that of the next core is. */
struct clocks_ticks {
	const volatile void *first; /* NULL: it counts none, and the longest interrupts are taken */
	size_t stride_bytes;
};
/* What one tick takes of its core, in ns; 0: not measurable. `period_ns` is the one that is set. */
uint64_t clocks_measure_tick(struct clocks *clocks, uint64_t period_ns, uint64_t duration_ns,
			     const struct clocks_ticks *ticks);
/*
 * The period of a core's clock number `clock` of `each`. Each core's differ a little, so that the
 * cores' ticks do not stay in step; the rates of a core's clocks add up to that of one.
 */
uint64_t clocks_period_on(uint64_t period_ns, unsigned cpu, unsigned clock, unsigned each);
