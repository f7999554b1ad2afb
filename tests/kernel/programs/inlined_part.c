/* SPDX-License-Identifier: BSD-2-Clause */
/* inlined_part - `score` works in code that is inlined in it, `other` in its own. */
#include <lever.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 20000

static volatile unsigned sink;

static inline __attribute__((always_inline)) unsigned hash(unsigned seed, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		seed = (seed ^ i) * 16777619u;
	return seed;
}

static __attribute__((noinline)) void score(unsigned seed)
{
	sink += hash(seed, 3 * ROUNDS);
}

static __attribute__((noinline)) void other(unsigned seed)
{
	unsigned sum = seed;

	for (unsigned i = 0; i < ROUNDS; i++)
		sum = (sum ^ i) * 16777619u;
	sink += sum;
}

int main(int count, char **arguments)
{
	long units = count > 1 ? atol(arguments[1]) : 1000;

	for (long i = 0; i < units; i++) {
		score((unsigned)i);
		other((unsigned)i);
		LEVER_PROGRESS_NAMED("units");
	}
	printf("%u\n", sink);
}
