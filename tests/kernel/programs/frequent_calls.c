/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frequent_calls - SECONDS: calls `short_one` many millions of times a second, which is too often
 * for a breakpoint. Two thirds of `around`'s time are inside of `outer`, and a quarter of the
 * program's is outside of `around`.
 */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void short_one(unsigned long number)
{
	for (int i = 0; i < 4; i++)
		sink += number;
}

__attribute__((noinline)) static void outer(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		short_one(i);
}

static inline void work(void)
{
	for (int i = 0; i < 200000; i++)
		sink += (unsigned long)i;
}

__attribute__((noinline)) static void around(void)
{
	outer();
	work();
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);

	while (time(NULL) < end) {
		around();
		work();
	}
	return 0;
}
