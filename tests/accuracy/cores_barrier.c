/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cores_barrier - one thread a core; all meet after each round, and one of them has more to do.
 *
 * period = 1500 * A + 3000 * B
 */
#include "work.h"

static pthread_barrier_t done, begins;
static int is_over; /* written between the barriers */

WORK_FUNCTION void alone(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void together(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run_other(void *unused)
{
	uint64_t loops = work_loops(3000, 'B');

	while (!is_over) {
		together(loops);
		pthread_barrier_wait(&done);
		pthread_barrier_wait(&begins);
	}
	return unused;
}

static void *run_first(void *unused)
{
	uint64_t alone_loops = work_loops(1500, 'A'), together_loops = work_loops(3000, 'B');

	while (!is_over) {
		alone(alone_loops);
		together(together_loops);
		pthread_barrier_wait(&done);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
		is_over = !work_goes_on();
		pthread_barrier_wait(&begins);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t first;

	work_begin(count, arguments);
	pthread_barrier_init(&done, NULL, (unsigned)work_cores());
	pthread_barrier_init(&begins, NULL, (unsigned)work_cores());
	pthread_create(&first, NULL, run_first, NULL);
	work_in_threads(work_cores() - 1, run_other);
	pthread_join(first, NULL);
	work_end();
	return 0;
}
