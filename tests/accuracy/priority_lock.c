/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * priority_lock - two threads and a lock that is handed to its first waiter (priority inheritance).
 * Without a speedup they hardly ever meet there; with one they meet at each turn.
 *
 * period = measured
 */
#include "work.h"

static pthread_mutex_t mutex;

WORK_FUNCTION void work_outside(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void work_inside(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run(void *unused)
{
	uint64_t outside = work_loops(300, 'A'), inside = work_loops(200, 'B');

	while (work_goes_on()) {
		work_outside(outside);
		pthread_mutex_lock(&mutex);
		work_inside(inside);
		work.visits++;
		LEVER_PROGRESS_NAMED("visit");
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&mutex, &attributes);
	work_begin(count, arguments);
	work_in_threads(2, run);
	work_end();
	return 0;
}
