/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_and_locks - a line, and the waits for a lock: while the critical section is the bottleneck,
 * less work outside of it gains nothing; without the waits for its lock, it does.
 *
 * period = max(600, (400 * A + 600) / 2) if B else (400 * A + 600) / 2
 * cuts = 100
 * set = A B
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

WORK_FUNCTION void inside(uint64_t loops)
{
	WORK(loops);
}

WORK_FUNCTION void outside(uint64_t loops)
{
	WORK(loops); /* target A */
}

static void *run(void *unused)
{
	int is_locked = work_left_of(1, 'B') > 0;
	uint64_t inside_loops = (uint64_t)(600 * work.loops_per_us);
	uint64_t outside_loops = work_loops(400, 'A');

	while (work_goes_on()) {
		outside(outside_loops);
		if (is_locked)
			pthread_mutex_lock(&mutex); /* target B is class:L */
		inside(inside_loops);
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
