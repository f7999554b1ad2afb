/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slowdown_limit - whether the program may be paused again, where --max-slowdown bounds the pauses.
 *
 * Over the whole recording, what the program was delayed is at most a share of the time that it had
 * without the delays. Before more may be paused, there is room for what the next step may delay,
 * and for as much as the dearest step so far, so that the bound holds at the end of a step, too.
 *
 * Decisions only: no clock and no thread, so it is tested.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct slowdown_limit {
	double most; /* a fraction; 0: no bound, and all else is unused */
	bool has_begun;
	uint64_t first_ns, first_delay_ns;
	uint64_t delay_ns;   /* at the last question */
	uint64_t dearest_ns; /* the largest delay between two questions */
};

/*
 * Delays so far in all (G), at this time; `next_ns`: what the next step may delay. To be asked
 * after each step and while resting.
 */
bool slowdown_limit_allows(struct slowdown_limit *limit, uint64_t now_ns, uint64_t delay_ns,
			   uint64_t next_ns);
/*
 * The time between two samples while the program must not be paused: they are to take no more than
 * SLOWDOWN_REST_SHARE of what is allowed.
 */
uint64_t slowdown_limit_period_ns(const struct slowdown_limit *limit, uint64_t usual_ns,
				  uint64_t tick_ns);
#define SLOWDOWN_REST_SHARE 0.2
