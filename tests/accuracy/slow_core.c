/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slow_core - a queue whose consumer takes 1.8 times as long for a while, as on a core whose caches
 * others use: the rate rises and falls, and at a low one the producer, which waits, has a smaller
 * part of the time. It is no cycle, and windows may hold any part.
 *
 * period = 2 / (1 / max(500 * A, 2000 * B) + 1 / max(500 * A, 3600 * B))
 */
#define QUEUE_MOST 8
#include "items.h"

#define SPELLS 8
#define SPELL_NS 110000000ull /* the shortest */

WORK_FUNCTION void produce(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void consume(uint64_t loops)
{
	WORK(loops); /* target B */
}

/* Spells of one to three lengths, as many slow as fast. */
static int is_slow(void)
{
	static const uint64_t lengths[SPELLS] = {1, 2, 3, 1, 2, 3, 3, 3};
	uint64_t left = (work_now_ns() - work.start_ns) / SPELL_NS % 18;
	int spell = 0;

	while (left >= lengths[spell])
		left -= lengths[spell++];
	return spell % 2;
}

static void *run_producer(void *unused)
{
	uint64_t loops = work_loops(500, 'A');

	while (work_goes_on()) {
		produce(loops);
		items_put();
	}
	items_end();
	return unused;
}

static void *run_consumer(void *unused)
{
	uint64_t fast = work_loops(2000, 'B'), slow = work_loops(3600, 'B');

	while (items_take()) {
		consume(is_slow() ? slow : fast);
		work.visits++;
		LEVER_PROGRESS_NAMED("item");
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t producer;

	work_begin(count, arguments);
	pthread_create(&producer, NULL, run_producer, NULL);
	work_in_threads(1, run_consumer);
	pthread_join(producer, NULL);
	work_end();
	return 0;
}
