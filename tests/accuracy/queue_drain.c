/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue_drain - queue.c with a queue of 64, which is full at first: with a faster consumer it
 * empties during the first windows, and until then the consumer alone determines the progress
 * (stats/warm_up.h).
 *
 * period = max(240 * A, 330 * B)
 */
#define QUEUE_MOST 64
#define PRODUCE_US 240
#define CONSUME_US 330
#include "queue.c"
/* target A is produce */
/* target B is consume */
