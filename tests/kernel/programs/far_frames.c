/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * far_frames - naps below two functions that lie far apart in memory, as code of libraries does:
 * `far_frames NAPS`. Their addresses are fixed by the linker (meson.build): by each of them alone,
 * mapping_slot (bpf/mappings.h) leads to the same slots.
 */
#include <lever.h>
#include <stdlib.h>
#include <unistd.h>

#define FAR(name) __attribute__((noinline, noipa, section(name)))

FAR("far_inner") static int inner(void)
{
	usleep(3000);
	return 1;
}

FAR("far_outer") static int outer(void)
{
	return inner() + 1;
}

__attribute__((noinline, noipa)) static int work(void)
{
	return outer() + 1;
}

int main(int count, char **arguments)
{
	int naps = count > 1 ? atoi(arguments[1]) : 100;

	for (int i = 0; i < naps && work(); i++)
		LEVER_PROGRESS_NAMED("nap");
	return 0;
}
