/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ticket_lock - two threads and a lock that they spin for, in turn, with a pause instruction. Who
 * releases it begins target A at once.
 *
 * period = max(300 * B, (200 * A + 300 * B) / 2)
 */
#include "work.h"

static struct {
	unsigned next, serving;
} ticket;

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
	uint64_t outside = work_loops(200, 'A'), inside = work_loops(300, 'B');

	while (work_goes_on()) {
		work_outside(outside);
		unsigned own = __atomic_fetch_add(&ticket.next, 1, __ATOMIC_RELAXED);
		while (__atomic_load_n(&ticket.serving, __ATOMIC_ACQUIRE) != own)
			__builtin_ia32_pause();
		work_inside(inside);
		work.visits++;
		LEVER_PROGRESS_NAMED("visit");
		__atomic_store_n(&ticket.serving, own + 1, __ATOMIC_RELEASE);
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
