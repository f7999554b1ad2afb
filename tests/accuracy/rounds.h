/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rounds - two threads do one piece each, meet at a barrier, and begin anew: a round is one visit.
 */
#pragma once

#include "work.h"

typedef void rounds_piece(void);

static struct {
	pthread_barrier_t done, begins;
	rounds_piece *other;
	int is_over; /* written between the barriers */
} rounds;

static inline void *rounds_of_other(void *unused)
{
	while (!rounds.is_over) {
		rounds.other();
		pthread_barrier_wait(&rounds.done);
		pthread_barrier_wait(&rounds.begins);
	}
	return unused;
}

/* `own` runs in the calling thread, `other` in one of its own, until the time is over. */
static inline void rounds_run(rounds_piece *own, rounds_piece *other)
{
	pthread_t thread;

	rounds.other = other;
	pthread_barrier_init(&rounds.done, NULL, 2);
	pthread_barrier_init(&rounds.begins, NULL, 2);
	pthread_create(&thread, NULL, rounds_of_other, NULL);
	while (!rounds.is_over) {
		own();
		pthread_barrier_wait(&rounds.done);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
		rounds.is_over = !work_goes_on();
		pthread_barrier_wait(&rounds.begins);
	}
	pthread_join(thread, NULL);
}
