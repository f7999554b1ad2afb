/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unequal_phases - two threads go through steps of three phases, with a barrier after each: equal
 * shares, unequal shares, and chunks for whoever is free. Then one thread works alone. Each thread
 * has a core of its own, since on one core they stay there for seconds.
 *
 * period = measured
 * set = B C
 */
#include "work.h"

static pthread_barrier_t barrier;
static int is_over, next_chunk;

WORK_FUNCTION void forces(void)
{
	WORK(work_loops(160, 'A')); /* target A */
}

WORK_FUNCTION void long_share(void)
{
	WORK(work_loops(300, 'B')); /* target B */
}

WORK_FUNCTION void short_share(void)
{
	WORK(work_loops(180, 'C')); /* target C */
}

WORK_FUNCTION void chunk(void)
{
	WORK((uint64_t)(25 * work.loops_per_us));
}

WORK_FUNCTION void reduce(void)
{
	WORK((uint64_t)(50 * work.loops_per_us));
}

/* On the core of this number among those that the program may use. */
static void stay_on(int number)
{
	cpu_set_t allowed, core;
	int chosen = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	while (chosen < CPU_SETSIZE && (!CPU_ISSET(chosen, &allowed) || number--))
		chosen++;
	CPU_ZERO(&core);
	CPU_SET(chosen, &core);
	sched_setaffinity(0, sizeof(core), &core);
}

static void *run(void *argument)
{
	int own = (int)(intptr_t)argument;
	stay_on(own);
	for (;;) {
		if (own == 0) {
			is_over = !work_goes_on();
			next_chunk = 0;
		}
		pthread_barrier_wait(&barrier);
		if (is_over)
			return NULL;
		forces();
		pthread_barrier_wait(&barrier);
		if (own)
			long_share();
		else
			short_share();
		pthread_barrier_wait(&barrier);
		while (__atomic_fetch_add(&next_chunk, 1, __ATOMIC_RELAXED) < 8)
			chunk();
		pthread_barrier_wait(&barrier);
		if (own == 0) {
			reduce();
			work.visits++;
			LEVER_PROGRESS_NAMED("step");
		}
	}
}

int main(int count, char **arguments)
{
	pthread_t other;
	work_begin(count, arguments);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&other, NULL, run, (void *)1);
	run(NULL);
	pthread_join(other, NULL);
	work_end();
	return 0;
}
