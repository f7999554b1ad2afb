/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * brief_spin - two threads and a spin lock that is held for microseconds, so that a tick finds one
 * of many spins. Target A is work outside, target B inside.
 *
 * period = max(7 * B, (4 * A + 7 * B) / 2)
 */
#include "work.h"

static pthread_spinlock_t lock;

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
	uint64_t outside = work_loops(4, 'A'), inside = work_loops(7, 'B');

	while (work_goes_on()) {
		work_outside(outside);
		pthread_spin_lock(&lock);
		work_inside(inside);
		work.visits++;
		pthread_spin_unlock(&lock);
		LEVER_PROGRESS_NAMED("visit");
	}
	return unused;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	work_in_threads(2, run);
	work_end();
	return 0;
}
