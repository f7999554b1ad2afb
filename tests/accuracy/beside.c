/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * beside - one thread computes while another waits for a timer; they meet after each round. The wait
 * decides, until it is shorter than the work.
 *
 * period = max(2000 * A, 5000 * B)
 */
#include "work.h"

#include <sys/prctl.h>

static pthread_barrier_t round_done, round_begins;
static int is_over; /* written between the barriers */

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void rest(long nanoseconds)
{
	struct timespec time = {0, nanoseconds};

	if (nanoseconds > 0)
		nanosleep(&time, NULL); /* target B */
}

static void *run_computing(void *unused)
{
	uint64_t loops = work_loops(2000, 'A');

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
	long nanoseconds = (long)work_left_of(5000e3, 'B');

	prctl(PR_SET_TIMERSLACK, 1);
	while (!is_over) {
		rest(nanoseconds);
		pthread_barrier_wait(&round_done);
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t computing, waiting;

	work_begin(count, arguments);
	pthread_barrier_init(&round_done, NULL, 2);
	pthread_barrier_init(&round_begins, NULL, 2);
	pthread_create(&computing, NULL, run_computing, NULL);
	pthread_create(&waiting, NULL, run_waiting, NULL);
	pthread_join(computing, NULL);
	pthread_join(waiting, NULL);
	work_end();
	return 0;
}
