/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cas_loop - two threads compute a new value from a shared one, and start again if the other thread
 * has replaced it meanwhile. With less to compute fewer of them retry, which pauses do not show.
 *
 * period = measured
 */
#include "work.h"

static _Atomic uint64_t shared;

WORK_FUNCTION uint64_t compute(uint64_t value, uint64_t loops)
{
	WORK(loops); /* target A */
	return value + 1;
}

WORK_FUNCTION void outside(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void *run(void *unused)
{
	uint64_t compute_loops = work_loops(3, 'A');
	uint64_t outside_loops = work_loops(3, 'B');

	while (work_goes_on()) {
		uint64_t value = shared;
		while (!__atomic_compare_exchange_n(&shared, &value, compute(value, compute_loops),
						    0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		outside(outside_loops);
		LEVER_PROGRESS_NAMED("operation");
	}
	return unused;
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	work_in_threads(2, run);
	work.visits = shared;
	work_end();
	return 0;
}
