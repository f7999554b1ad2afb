/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * barrier - two unequal threads meet after each round: the slower one decides, until it is not.
 *
 * period = max(4000 * A, 3200 * B)
 */
#include "work.h"

static pthread_barrier_t round_done, round_begins;
static int is_over; /* written between the barriers */

WORK_FUNCTION void slow(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void fast(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run_slow(void *unused)
{
	uint64_t loops = work_loops(4000, 'A');

	while (!is_over) {
		slow(loops);
		pthread_barrier_wait(&round_done);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
		is_over = !work_goes_on();
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

static void *run_fast(void *unused)
{
	uint64_t loops = work_loops(3200, 'B');

	while (!is_over) {
		fast(loops);
		pthread_barrier_wait(&round_done);
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t slow_thread, fast_thread;

	work_begin(count, arguments);
	pthread_barrier_init(&round_done, NULL, 2);
	pthread_barrier_init(&round_begins, NULL, 2);
	pthread_create(&slow_thread, NULL, run_slow, NULL);
	pthread_create(&fast_thread, NULL, run_fast, NULL);
	pthread_join(slow_thread, NULL);
	pthread_join(fast_thread, NULL);
	work_end();
	return 0;
}
