/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin_plain_barrier - a barrier as PARSEC's: the first thread polls the number of the round, which
 * the last one changes, and there is no pause instruction.
 *
 * period = max(800 * A, 640 * B)
 */
#include "work.h"

static unsigned arrived, round_number, is_over;

WORK_FUNCTION void longer(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void shorter(uint64_t loops)
{
	WORK(loops); /* target B */
}

static int goes_on(void)
{
	return !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE);
}

static void meet(void)
{
	unsigned mine = __atomic_load_n(&round_number, __ATOMIC_ACQUIRE);

	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) % 2 == 0)
		__atomic_store_n(&round_number, mine + 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&round_number, __ATOMIC_ACQUIRE) == mine && goes_on())
		;
}

static void *run_shorter(void *unused)
{
	uint64_t loops = work_loops(640, 'B');

	while (goes_on()) {
		shorter(loops);
		meet();
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t other;

	work_begin(count, arguments);
	uint64_t loops = work_loops(800, 'A');
	pthread_create(&other, NULL, run_shorter, NULL);
	while (work_goes_on()) {
		longer(loops);
		meet();
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
	work_end();
	return 0;
}
