/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue_short_items - queue.c with items that are handed over more often than the sampling clock
 * ticks. Where one of the two is much faster, it waits for each item, and waking it takes a part of
 * the other's time. Between ticks pauses come too late for that: large speedups promise too much,
 * and the report says so.
 *
 * period = measured
 */
#define QUEUE_MOST 64
#define PRODUCE_US 26
#define CONSUME_US 36
#include "queue.c"
/* target A is produce */
/* target B is consume */
