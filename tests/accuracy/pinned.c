/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pinned - two threads pinned to one core and a third to another meet after each round: the first
 * core does the work of both of its threads, in any order.
 *
 * period = measured
 */
#include "work.h"

#include <sched.h>

static struct {
	pthread_barrier_t done, begins;
	int is_over; /* written between the barriers */
} meeting;

WORK_FUNCTION void larger(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void smaller(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void apart(uint64_t loops)
{
	WORK(loops); /* target C */
}

static const struct {
	void (*piece)(uint64_t loops);
	double microseconds;
	char letter;
	int core;
} threads[] = {{larger, 900, 'A', 0}, {smaller, 600, 'B', 0}, {apart, 1000, 'C', 1}};

static void *run(void *which)
{
	size_t own = (size_t)which;
	uint64_t loops = work_loops(threads[own].microseconds, threads[own].letter);
	cpu_set_t core;

	CPU_ZERO(&core);
	CPU_SET(threads[own].core, &core);
	sched_setaffinity(0, sizeof(core), &core);
	while (!meeting.is_over) {
		threads[own].piece(loops);
		if (pthread_barrier_wait(&meeting.done) == PTHREAD_BARRIER_SERIAL_THREAD) {
			LEVER_PROGRESS_NAMED("round");
			work.visits++;
			meeting.is_over = !work_goes_on();
		}
		pthread_barrier_wait(&meeting.begins);
	}
	return NULL;
}

int main(int count, char **arguments)
{
	pthread_t others[2];

	work_begin(count, arguments);
	pthread_barrier_init(&meeting.done, NULL, 3);
	pthread_barrier_init(&meeting.begins, NULL, 3);
	for (size_t i = 0; i < 2; i++)
		pthread_create(&others[i], NULL, run, (void *)(i + 1));
	run((void *)0);
	for (size_t i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	work_end();
	return 0;
}
