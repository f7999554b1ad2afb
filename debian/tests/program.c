/* SPDX-License-Identifier: BSD-2-Clause */
/* program - nearly one function; what the installed package profiles. */
#include <lever.h>
#include <time.h>

#define SECONDS 15 /* whatever the core's speed: tools/package check-container needs ten */

static volatile unsigned sink;

static __attribute__((noinline)) void work(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++)
		sink += i;
}

int main(void)
{
	for (time_t end = time(NULL) + SECONDS; time(NULL) < end;) {
		work(50000);
		LEVER_PROGRESS_NAMED("unit");
	}
	return 0;
}
