/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mixed_progress - one thread works all the time, another every millisecond by a timer; both visit
 * the same point. Only the first can gain. (At 75 %, pauses make the second late, and the interval
 * tells.)
 *
 * period = 1 / (1 / (1500 * A) + 1 / 1000)
 * cuts = 25 50 75
 */
#include "work.h"

#define EACH_NS 1000000

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void act(uint64_t loops)
{
	WORK(loops);
}

static void visit(void)
{
	LEVER_PROGRESS_NAMED("piece");
	__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
}

static void *run_by_clock(void *unused)
{
	uint64_t loops = work_loops(300, 'Z'), next_ns = work_now_ns();

	while (work_goes_on()) {
		act(loops);
		visit();
		next_ns += EACH_NS;
		struct timespec next = {(time_t)(next_ns / 1000000000u),
					(long)(next_ns % 1000000000u)};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t by_clock;

	work_begin(count, arguments);
	uint64_t loops = work_loops(1500, 'A');
	pthread_create(&by_clock, NULL, run_by_clock, NULL);
	while (work_goes_on()) {
		compute(loops);
		visit();
	}
	pthread_join(by_clock, NULL);
	work_end();
	return 0;
}
