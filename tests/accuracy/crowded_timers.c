/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crowded_timers - three threads with timers of their own work under a lock, beside one that
 * needs it, too: on two cores they are more than the cores, and each timer's thread owes pauses.
 *
 * period = measured
 */
#include "work.h"

#define TIMERS 3
#define EACH_NS 5000000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void by_timer(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void inside(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void outside(uint64_t loops)
{
	WORK(loops); /* target C */
}

static void *run_timer(void *unused)
{
	uint64_t loops = work_loops(400, 'A'), next = work_now_ns();

	while (work_goes_on()) {
		next += EACH_NS;
		struct timespec then = {(time_t)(next / 1000000000), (long)(next % 1000000000)};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
		pthread_mutex_lock(&mutex);
		by_timer(loops);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *run_other(void *unused)
{
	uint64_t inside_loops = work_loops(300, 'B'), outside_loops = work_loops(500, 'C');

	while (work_goes_on()) {
		pthread_mutex_lock(&mutex);
		inside(inside_loops);
		pthread_mutex_unlock(&mutex);
		outside(outside_loops);
		work.visits++;
		LEVER_PROGRESS_NAMED("unit");
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t timers[TIMERS], other;

	work_begin(count, arguments);
	for (int i = 0; i < TIMERS; i++)
		pthread_create(&timers[i], NULL, run_timer, NULL);
	pthread_create(&other, NULL, run_other, NULL);
	for (int i = 0; i < TIMERS; i++)
		pthread_join(timers[i], NULL);
	pthread_join(other, NULL);
	work_end();
	return 0;
}
