/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * short_sleeps - computes WORK microseconds and sleeps SLEEP microseconds, for SECONDS; prints the
 * CPU time of the process in ns. A sleep may end at the next interrupt (timer slack), so the
 * program falls into step with a sampling clock whose period is near to twice its own.
 *
 * Usage: short_sleeps WORK SLEEP SECONDS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void compute(uint64_t duration_ns)
{
	uint64_t start_ns = now_ns(CLOCK_MONOTONIC);

	while (now_ns(CLOCK_MONOTONIC) - start_ns < duration_ns)
		;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	uint64_t work_ns = strtoull(argv[1], NULL, 10) * 1000;
	unsigned sleep_us = (unsigned)strtoul(argv[2], NULL, 10);
	uint64_t end_ns = now_ns(CLOCK_MONOTONIC) + strtoull(argv[3], NULL, 10) * 1000000000u;

	while (now_ns(CLOCK_MONOTONIC) < end_ns) {
		compute(work_ns);
		usleep(sleep_us);
	}
	printf("%llu\n", (unsigned long long)now_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
