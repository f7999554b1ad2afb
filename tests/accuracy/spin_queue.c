/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin_queue - a producer and a consumer with a ring without locks; the one that finds it full or
 * empty polls the other's index.
 *
 * period = max(500 * A, 400 * B)
 */
#include "work.h"

#define ITEMS 4

static unsigned head, tail, is_over;

WORK_FUNCTION void produce(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void consume(uint64_t loops)
{
	WORK(loops); /* target B */
}

static int goes_on(void)
{
	return !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE);
}

static void *run_consumer(void *unused)
{
	uint64_t loops = work_loops(400, 'B');

	for (unsigned next = 0; goes_on(); next++) {
		while (__atomic_load_n(&head, __ATOMIC_ACQUIRE) == next && goes_on())
			;
		consume(loops);
		__atomic_store_n(&tail, next + 1, __ATOMIC_RELEASE);
		LEVER_PROGRESS_NAMED("item");
		work.visits++;
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t other;

	work_begin(count, arguments);
	uint64_t loops = work_loops(500, 'A');
	pthread_create(&other, NULL, run_consumer, NULL);
	for (unsigned next = 0; work_goes_on(); next++) {
		produce(loops);
		while (next - __atomic_load_n(&tail, __ATOMIC_ACQUIRE) >= ITEMS)
			;
		__atomic_store_n(&head, next + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
	work_end();
	return 0;
}
