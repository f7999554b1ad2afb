/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * same_name - a function and a progress point of the same name: the function runs twice as often.
 *
 *	same_name COUNT
 */
#include <lever.h>

#include <stdlib.h>

static volatile unsigned result;

__attribute__((noinline)) void served(void);
__attribute__((noinline)) void served(void)
{
	for (unsigned i = 0; i < 30000; i++)
		result = result * 1664525 + i;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

	for (long i = 0; i < count; i++) {
		served();
		served();
		LEVER_PROGRESS_NAMED("served");
	}
	return 0;
}
