/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tail - requests of which one in fifty does an extra piece of work (A): it determines their 99th
 * percentile, but hardly their mean. A second thread works a little, too, so that there is a thread
 * to pause. Windows are long compared with the 22 ms between slow requests, since a slow request
 * that crosses the beginning or end of a window is missing.
 *
 * latency = 250 * A + 200 * B
 * p99 = 12500 * A + 200 * B
 * cuts = 25 50 75
 * options = --window 200ms
 */
#include "work.h"

#define SLOW_EVERY 50

WORK_FUNCTION void compact(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void answer(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void *collect(void *unused)
{
	while (work_goes_on()) {
		WORK((uint64_t)(200 * work.loops_per_us)); /* target C */
		usleep(800);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t beside;

	work_begin(count, arguments);
	uint64_t compact_loops = work_loops(12500, 'A'), answer_loops = work_loops(200, 'B');
	pthread_create(&beside, NULL, collect, NULL);

	while (work_goes_on()) {
		uint64_t begin_ns = work_now_ns();
		LEVER_BEGIN("request");
		answer(answer_loops);
		if (++work.requests % SLOW_EVERY == 0)
			compact(compact_loops);
		LEVER_END("request");
		work.latency_ns += work_now_ns() - begin_ns;
	}
	pthread_join(beside, NULL);
	work_end();
	return 0;
}
