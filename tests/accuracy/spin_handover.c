/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin_handover - two threads work in turn, and poll a plain flag meanwhile, without a pause
 * instruction.
 *
 * period = 300 * A + 500 * B
 */
#include "work.h"

static volatile int turn;
static unsigned is_over;

WORK_FUNCTION void shorter(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void longer(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void await(int own)
{
	while (turn != own)
		;
}

static void *run_longer(void *unused)
{
	uint64_t loops = work_loops(500, 'B');

	for (;;) {
		await(1);
		if (__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
			return unused;
		longer(loops);
		turn = 0;
	}
}

int main(int count, char **arguments)
{
	pthread_t other;

	work_begin(count, arguments);
	uint64_t loops = work_loops(300, 'A');
	pthread_create(&other, NULL, run_longer, NULL);
	while (work_goes_on()) {
		shorter(loops);
		turn = 1;
		await(0);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	turn = 1;
	pthread_join(other, NULL);
	work_end();
	return 0;
}
