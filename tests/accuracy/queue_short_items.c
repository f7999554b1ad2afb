/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue_short_items - queue.c with items that are handed over more often than the sampling clock
 * ticks. Where one of the two is much faster, it waits for each item, and waking it costs the other
 * time. Pauses are inserted at ticks, too late to reproduce this: large speedups are overestimated,
 * and the report warns.
 *
 * period = measured
 */
#define QUEUE_MOST 64
#define PRODUCE_US 26
#define CONSUME_US 36
#include "queue.c"
/* target A is produce */
/* target B is consume */
