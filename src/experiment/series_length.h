/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * series_length - how many windows follow each other at one speedup.
 *
 * Now and then a series is longer than one window, to test whether the program warms up
 * (stats/warm_up.h). On a target that does, a series is so long that half of its windows count.
 */
#pragma once

#include <stdint.h>

/* `number`: of the target's earlier series at speedup 0, or of those above it. */
unsigned series_length(unsigned number, unsigned warm_up_level, uint64_t window_ns);
/*
 * Where the unit of work is a request: clients have a bounded number of them under way, so that
 * probes are rare until one has found something.
 */
unsigned series_length_of_requests(unsigned number, unsigned warm_up_level, uint64_t window_ns);
/* The longest: where only that tells whether the program warms up. */
unsigned series_length_longest(uint64_t window_ns);
