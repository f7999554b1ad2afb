/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches - two threads do equal work and meet, a number of times; between two meetings one of
 * them does a unit.
 *
 *	branches UNITS
 */
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t meeting, begin;
static long units;

__attribute__((noinline)) static void left_branch(void)
{
	for (volatile int i = 0; i < 400000; i++)
		;
}

__attribute__((noinline)) static void right_branch(void)
{
	for (volatile int i = 0; i < 400010; i++)
		;
}

static void *other(void *unused)
{
	for (long i = 0; i < units; i++) {
		right_branch();
		pthread_barrier_wait(&meeting);
		pthread_barrier_wait(&begin);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t thread;

	units = count > 1 ? atol(arguments[1]) : 1000;
	pthread_barrier_init(&meeting, NULL, 2);
	pthread_barrier_init(&begin, NULL, 2);
	pthread_create(&thread, NULL, other, NULL);
	for (long i = 0; i < units; i++) {
		left_branch();
		pthread_barrier_wait(&meeting);
		unit();
		pthread_barrier_wait(&begin);
	}
	pthread_join(thread, NULL);
	return 0;
}
