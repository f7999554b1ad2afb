/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * window_end - when a window of rare visits ends: at a visit, as soon as there are enough.
 *
 * What passes after the last visit counts for nothing. And a number of visits that is reached at a
 * visit is a stopping time of their sequence: their mean is unbiased (Wald's identity).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct window_progress {
	uint64_t elapsed_ns;
	double visits;        /* between the first edge and the last one so far */
	uint64_t duration_ns; /* between those */
};

/* The fewest visits of a window of this length that counts. */
double window_end_visits_least(uint64_t elapsed_ns);

/*
 * How long to wait until asking again; 0: the window ends. `planned`: how the window stood when
 * its planned time was over; `before`: when this was asked last, at first as planned.
 */
uint64_t window_end_wait_ns(const struct window_progress *planned,
			    const struct window_progress *before,
			    const struct window_progress *now);
