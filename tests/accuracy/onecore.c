/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * onecore - as beside, but on a single core, and the second thread computes after its wait: who waits
 * does not hold the core.
 *
 * period = max(1000 * A, 3000 * B) + 500 * C
 */
#include "work.h"

#include <sched.h>
#include <sys/prctl.h>

static pthread_barrier_t round_done, round_begins;
static int is_over; /* written between the barriers */

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void digest(uint64_t loops)
{
	WORK(loops); /* target C */
}

WORK_FUNCTION void rest(long nanoseconds)
{
	struct timespec time = {0, nanoseconds};

	if (nanoseconds > 0)
		nanosleep(&time, NULL); /* target B */
}

static void *run_computing(void *unused)
{
	uint64_t loops = work_loops(1000, 'A');

	while (!is_over) {
		compute(loops);
		pthread_barrier_wait(&round_done);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
		is_over = !work_goes_on();
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

static void *run_waiting(void *unused)
{
	long nanoseconds = (long)work_left_of(3000e3, 'B');
	uint64_t loops = work_loops(500, 'C');

	prctl(PR_SET_TIMERSLACK, 1);
	while (!is_over) {
		rest(nanoseconds);
		digest(loops);
		pthread_barrier_wait(&round_done);
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t computing, waiting;
	cpu_set_t core;

	work_begin(count, arguments);
	CPU_ZERO(&core);
	CPU_SET(0, &core);
	sched_setaffinity(0, sizeof(core), &core);
	pthread_barrier_init(&round_done, NULL, 2);
	pthread_barrier_init(&round_begins, NULL, 2);
	pthread_create(&computing, NULL, run_computing, NULL);
	pthread_create(&waiting, NULL, run_waiting, NULL);
	pthread_join(computing, NULL);
	pthread_join(waiting, NULL);
	work_end();
	return 0;
}
