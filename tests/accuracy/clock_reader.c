/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock_reader - a thread that reads the clock all the time, beside work. The vDSO reads it in a
 * loop that has the form of a spin loop, but is no wait.
 *
 * period = measured
 */
#include "rounds.h"

#define READS 12000

WORK_FUNCTION void read_clock(uint64_t reads) /* function A */
{
	static uint64_t seen[64];
	struct timespec time;

	for (uint64_t i = 0; i < reads; i++) {
		clock_gettime(CLOCK_MONOTONIC, &time);
		seen[time.tv_nsec / 64 % 64] += i;
	}
}

WORK_FUNCTION void compute(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void run_clock(void)
{
	read_clock((uint64_t)work_left_of(READS, 'A'));
}

static void run_compute(void)
{
	compute(work_loops(800, 'B'));
}

int main(int count, char **arguments)
{
	work_begin(count, arguments);
	rounds_run(run_clock, run_compute);
	work_end();
	return 0;
}
