/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * units_change SECONDS UNIT_MS [phase | clock] - units of two parts, 0.4 and 0.6 of them. From the
 * middle of the time on the second part takes three times as long (phase), or both 1.6 times as
 * long (clock): the same work on a slower core looks like that.
 */
#include <lever.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALIBRATION 20000000ul

static volatile unsigned long result;

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Not folded into one: their sums differ. */
__attribute__((noinline)) static void first(double steps)
{
	for (unsigned long i = 0; i < (unsigned long)steps; i++)
		result += i;
}

__attribute__((noinline)) static void second(double steps)
{
	for (unsigned long i = 0; i < (unsigned long)steps; i++)
		result -= i;
}

int main(int count, char **arguments)
{
	double seconds = atof(arguments[1]), unit_ms = atof(arguments[2]);
	const char *change = count > 3 ? arguments[3] : "";
	double start = now_s();

	first(CALIBRATION);
	double unit = unit_ms * (double)CALIBRATION / (1e3 * (now_s() - start));
	start = now_s();
	while (now_s() - start < seconds) {
		int is_later = now_s() - start > seconds / 2;
		double slower = is_later && !strcmp(change, "clock") ? 1.6 : 1;
		double longer = is_later && !strcmp(change, "phase") ? 3 : slower;
		first(0.4 * unit * slower);
		second(0.6 * unit * longer);
		LEVER_PROGRESS_NAMED("units");
	}
	return 0;
}
