/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * backlog - queue.c with a queue of 64, which is full at first: with the consumer faster, it
 * empties during the first windows, and progress is that of the consumer alone until it has
 * (stats/settle.h).
 *
 * period = max(240 * A, 330 * B)
 */
#define QUEUE_MOST 64
#define PRODUCE_US 240
#define CONSUME_US 330
#include "queue.c"
/* target A is produce */
/* target B is consume */
