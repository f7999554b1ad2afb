/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock_class - waits for a lock: two threads spend more than half of their time in one critical
 * section. Without the waits the section would not need the lock.
 *
 * period = 600 if A else 500
 * cuts = 100
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void section(uint64_t loops)
{
	WORK(loops);
}

static void *run(void *unused)
{
	int is_locked = work_left_of(1, 'A') > 0;
	uint64_t inside = (uint64_t)(600 * work.loops_per_us);
	uint64_t outside = (uint64_t)(400 * work.loops_per_us);

	while (work_goes_on()) {
		section(outside);
		if (is_locked)
			pthread_mutex_lock(&mutex); /* target A is class:L */
		section(inside);
		if (is_locked)
			pthread_mutex_unlock(&mutex);
		__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
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
