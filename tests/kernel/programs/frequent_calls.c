/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frequent_calls - SECONDS: calls `short_one` many millions of times a second, which is too often
 * for a breakpoint.
 */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void short_one(unsigned long number)
{
	for (int i = 0; i < 4; i++)
		sink += number;
}

__attribute__((noinline)) static void outer(time_t end)
{
	while (time(NULL) < end)
		for (unsigned long i = 0; i < 100000; i++)
			short_one(i);
}

int main(int argc, char **argv)
{
	outer(time(NULL) + (argc > 1 ? atoi(argv[1]) : 1));
	return 0;
}
