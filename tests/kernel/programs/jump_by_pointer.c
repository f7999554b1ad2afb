/* SPDX-License-Identifier: BSD-2-Clause */
/* jump_by_pointer - `passing` is called through a pointer, and ends in a jump to `working`. */
#include <lever.h>
#include <stdlib.h>

static volatile unsigned sink, asked;

__attribute__((noinline)) unsigned working(unsigned rounds);
__attribute__((noinline)) unsigned working(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sink = (sink ^ i) * 16777619u;
	return sink;
}

__attribute__((noinline)) unsigned passing(unsigned rounds);
__attribute__((noinline)) unsigned passing(unsigned rounds)
{
	asked++;
	return working(rounds + (asked & 1));
}

static unsigned (*volatile pointer)(unsigned) = passing;

int main(int count, char **arguments)
{
	unsigned sum = 0;

	for (long i = count > 1 ? atol(arguments[1]) : 1000; i > 0; i--) {
		sum += pointer(50000) + 1;
		LEVER_PROGRESS_NAMED("units");
	}
	return (int)(sum & 0);
}
