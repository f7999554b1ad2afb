/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nested - rounds of work in spans that stand in each other, and one that ends in another thread.
 *
 *	nested ROUNDS
 */
#include <lever.h>

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static pthread_barrier_t both;
static long rounds;

__attribute__((noinline)) static void work(int parts)
{
	for (volatile int i = 0; i < parts * 100000; i++)
		;
}

static void *other(void *unused)
{
	for (long i = 0; i < rounds; i++) {
		pthread_barrier_wait(&both);
		LEVER_END("crossing");
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t thread;

	rounds = count > 1 ? atol(arguments[1]) : 1;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, other, NULL);
	for (long i = 0; i < rounds; i++) {
		LEVER_BEGIN("crossing");
		pthread_barrier_wait(&both);
		{
			LEVER_SPAN("outer");
			work(2);
			{
				LEVER_SPAN("inner");
				work(1);
			}
			work(1);
		}
		work(2);
		LEVER_PROGRESS_NAMED("rounds");
	}
	pthread_join(thread, NULL);
	return 0;
}
