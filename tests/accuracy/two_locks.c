/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * two_locks - two threads pass through two critical sections of equal length, one after the other:
 * while one thread holds the first lock, the other holds the second. Handing over takes time, too,
 * so the truth is measured.
 *
 * period = measured
 * set = A B
 */
#include "work.h"

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void first(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void second(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run(void *unused)
{
	uint64_t first_loops = work_loops(400, 'A'), second_loops = work_loops(400, 'B');

	while (work_goes_on()) {
		pthread_mutex_lock(&first_lock);
		first(first_loops);
		pthread_mutex_unlock(&first_lock);
		pthread_mutex_lock(&second_lock);
		second(second_loops);
		work.visits++;
		pthread_mutex_unlock(&second_lock);
		LEVER_PROGRESS_NAMED("operation");
	}
	return unused;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	work_in_threads(2, run);
	work_end();
	return 0;
}
