/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * balance - an example for `lever trace`: threads that work in rounds and meet at a barrier, where
 * one has 30 % more to do than all have on average.
 *
 *	balance [THREADS [ROUNDS]]     two threads, 40 rounds
 */
#include <lever.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MOST 64
#define UNIT 2000000u /* steps of work for a mean share of a round */
#define OVERLOAD 0.30 /* what the first thread has on top of the mean */

static pthread_barrier_t barrier;
static unsigned thread_count = 2, rounds = 40;
static volatile uint64_t results[THREADS_MOST];

static uint64_t work(unsigned steps)
{
	uint64_t value = steps;
	while (steps--)
		value = value * 6364136223846793005u + 1442695040888963407u;
	return value;
}

/* The others share what the first has too much. */
static unsigned steps_of(unsigned thread)
{
	double share = thread ? 1 - OVERLOAD / (thread_count - 1) : 1 + OVERLOAD;
	return (unsigned)(UNIT * share);
}

static void *run(void *argument)
{
	unsigned thread = (unsigned)(uintptr_t)argument;

	LEVER_THREAD_NAME("worker");
	for (unsigned round = 0; round < rounds; round++) {
		LEVER_SPAN_VALUE("round", round);
		{
			LEVER_SPAN("work");
			results[thread] += work(steps_of(thread));
		}
		LEVER_SPAN("barrier");
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MOST];

	if (argc > 1)
		thread_count = (unsigned)atoi(argv[1]);
	if (argc > 2)
		rounds = (unsigned)atoi(argv[2]);
	if (thread_count < 2 || thread_count > THREADS_MOST || !rounds) {
		fprintf(stderr, "usage: balance [THREADS [ROUNDS]]\n");
		return 2;
	}
	pthread_barrier_init(&barrier, NULL, thread_count);
	for (unsigned i = 0; i < thread_count; i++)
		pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	printf("%u rounds by %u threads\n", rounds, thread_count);
	return 0;
}
