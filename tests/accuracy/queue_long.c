/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue_long - queue.c with a queue of 64 long items: with the consumer twice as fast, it takes
 * 0.4 s of pauses and progress to empty, several times a window's length.
 *
 * period = max(600 * A, 1000 * B)
 */
#define QUEUE_MOST 64
#define PRODUCE_US 600
#define CONSUME_US 1000
#include "queue.c"
/* target A is produce */
/* target B is consume */
