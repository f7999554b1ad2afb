/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick_cost - what one sampling interrupt takes, from the holes that it makes in a thread's time.
 *
 * A loop that only reads the clock sees each interrupt as a hole: what the interrupt, the
 * hypervisor and the handler take together. So it is right in a virtual machine, too.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TICK_COST_HOLES_MOST 4096

/*
 * Reads the clock for this long, and adds the sizes of the holes in ns to the `count` that are
 * known. Returns how many there are then, sorted. A hole in which another task had the core does
 * not count: a busy core has more of these than ticks. `ticks` grows by one with each tick on this
 * core, or in this thread, and a hole counts if one came in it; NULL: every hole counts.
 */
size_t tick_cost_find_holes(uint64_t holes[TICK_COST_HOLES_MOST], size_t count,
			    uint64_t duration_ns, const volatile uint64_t *ticks);
/*
 * The time of a tick, if `ticks` of them came: the quartile `quarters` of the longest `ticks`
 * holes, which are the ticks. 1 leaves out time that other load adds to a tick; 2 is the median.
 * 0 if fewer than half of the ticks were found.
 */
uint64_t tick_cost_of(const uint64_t *holes, size_t count, size_t ticks, unsigned quarters);
/*
 * The mean of the same holes, which is what a program loses to many ticks; a hole counts as at most
 * 1.5 times the lower quartile, since other load adds to some.
 */
uint64_t tick_cost_mean(const uint64_t *holes, size_t count, size_t ticks);
