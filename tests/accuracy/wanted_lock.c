/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wanted_lock - three threads need a lock that is always wanted. The work outside is hidden by it,
 * until a thread that has released the lock is back before the next one has woken: then that takes
 * no time any more, which pauses do not show (docs/limits.md).
 *
 * period = measured
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void outside(void)
{
	WORK(work_loops(120, 'A')); /* target A */
}

WORK_FUNCTION void inside(void)
{
	WORK(work_loops(300, 'B')); /* target B */
}

static void *run(void *unused)
{
	while (work_goes_on()) {
		outside();
		pthread_mutex_lock(&mutex);
		inside();
		work.visits++;
		LEVER_PROGRESS_NAMED("unit");
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	work_in_threads(3, run);
	work_end();
	return 0;
}
