/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * deep_stack - computes at the end of a long call chain, whose functions have no frame pointers.
 *
 *	deep_stack FRAMES SECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Neither inlined nor left by a jump; frames of different sizes. */
__attribute__((noinline, noipa)) static unsigned long descend(unsigned frames, double over)
{
	volatile unsigned long kept[8];
	unsigned long sum = 0;

	kept[frames & 7] = frames;
	if (frames)
		return descend(frames - 1, over) + kept[frames & 7];
	while (seconds_now() < over)
		for (unsigned long left = 1000000; left; left--)
			__asm__ volatile("" : "+r"(left), "+r"(sum));
	return sum;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("deep FRAMES SECONDS\n", stderr);
		return 2;
	}
	descend((unsigned)strtoul(argv[1], NULL, 10), seconds_now() + atof(argv[2]));
	return 0;
}
