/* SPDX-License-Identifier: BSD-2-Clause */
/* unit - one unit of work, some 50 us long, with a progress point that the engine can count. */
#pragma once

#include <lever.h>

static volatile unsigned unit_result;

__attribute__((noinline)) void unit(void);
__attribute__((noinline)) void unit(void)
{
	unsigned sum = unit_result;

	LEVER_BEGIN("unit span");
	for (unsigned i = 0; i < 50000; i++) {
		sum = sum * 1664525 + i;
		__asm__ volatile("" : "+r"(sum));
	}
	unit_result = sum;
	LEVER_END("unit span");
	LEVER_PROGRESS_NAMED("units");
}

static inline void do_units(long count)
{
	for (long i = 0; i < count; i++)
		unit();
}
