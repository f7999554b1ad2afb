/* SPDX-License-Identifier: BSD-2-Clause */
/* coz_units - a program that was built with coz.h; the argument is the number of units. */
#include <coz.h>
#include <stdlib.h>

static volatile unsigned result;

static void row(void)
{
	COZ_BEGIN("transaction");
	for (unsigned i = 0; i < 50000; i++)
		result = result * 1664525 + i;
	COZ_END("transaction");
	COZ_PROGRESS_NAMED("rows");
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

	for (long i = 0; i < count; i++)
		row();
	return 0;
}
