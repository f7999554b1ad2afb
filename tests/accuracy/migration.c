/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * migration - two unequal threads, each pinned to a core of its own, exchange cores in each round
 * and meet twice in it: a thread's debt must move with it, and what its core has paid must not.
 *
 * period = measured
 */
#include "work.h"

#include <sched.h>

static struct {
	pthread_barrier_t changed, done;
	int cores[2];
	int is_over; /* written between the barriers */
} round_of_both;

WORK_FUNCTION void slow(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void fast(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void move_to(int core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(core, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void *run(void *is_slow)
{
	uint64_t slow_loops = work_loops(1500, 'A'), fast_loops = work_loops(1000, 'B');
	int place = is_slow ? 0 : 1;

	while (!round_of_both.is_over) {
		move_to(round_of_both.cores[place ^= 1]);
		pthread_barrier_wait(&round_of_both.changed);
		if (is_slow)
			slow(slow_loops);
		else
			fast(fast_loops);
		if (pthread_barrier_wait(&round_of_both.done) == PTHREAD_BARRIER_SERIAL_THREAD) {
			LEVER_PROGRESS_NAMED("round");
			work.visits++;
			round_of_both.is_over = !work_goes_on();
		}
		pthread_barrier_wait(&round_of_both.changed);
	}
	return NULL;
}

/* The first two cores that the program may use; the same one twice if there is no other. */
static void find_cores(void)
{
	cpu_set_t allowed;
	int found = 0;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int core = 0; core < CPU_SETSIZE && found < 2; core++)
		if (CPU_ISSET(core, &allowed))
			round_of_both.cores[found++] = core;
	if (found == 1)
		round_of_both.cores[1] = round_of_both.cores[0];
}

int main(int count, char **arguments)
{
	pthread_t other;

	work_begin(count, arguments);
	find_cores();
	pthread_barrier_init(&round_of_both.changed, NULL, 2);
	pthread_barrier_init(&round_of_both.done, NULL, 2);
	pthread_create(&other, NULL, run, NULL);
	run(&other);
	pthread_join(other, NULL);
	work_end();
	return 0;
}
