/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page - a timeline for the HTML page: columns in the order of time.
 */
#pragma once

#include "analyze/timeline/timeline.h"

#include <stdio.h>

/*
 * A JSON object. Times are ns since the timeline's start; each `start` and each `at` is the
 * difference to the one before it. Texts are numbers in `texts`, threads are numbers in `threads`.
 * start_ns     a text, since it may be too large for a JSON number
 * duration_ns
 * texts        an array
 * threads      columns pid, tid, name
 * cores        of each: cpu, of several hosts name, and columns start, length, thread, left (as
 *              enum sample_class: why the thread left; 6: it ended), call (the text of its system
 *              call + 1, 0: none)
 * wakes        columns at, waker (its number + 1; 0: unknown, or of another program), woken
 * spans        of each thread with spans: thread, and columns start, length, name, depth (a row
 *              without overlaps), argument (a number, a text, or null)
 * instants     columns at, thread, name, argument
 * counters     of each: name, and columns at, value
 * flows        columns at, length, from, to (threads), name, id (a number, or a text if too large)
 */
void timeline_page_write(FILE *out, const struct timeline *timeline);
