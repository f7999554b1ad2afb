/* SPDX-License-Identifier: BSD-2-Clause */
/* program - nearly one function; what the installed package profiles. */
#include <lever.h>

static volatile unsigned sink;

static __attribute__((noinline)) void work(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sink += i;
}

int main(void)
{
	for (int i = 0; i < 150000; i++) {
		work(50000);
		LEVER_PROGRESS_NAMED("unit");
	}
	return 0;
}
