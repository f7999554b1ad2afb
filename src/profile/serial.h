/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serial - does one thread of a program run at a time, and nearly always?
 *
 * Then what a faster place saves comes at once, and CPU time measures all of the work
 * (docs/decisions.md, "Cycles of one thread").
 */
#pragma once

#include <stdbool.h>

/* By the CPU time of windows without a speedup, and their time without pauses. */
static inline bool serial_is(double cpu_ns, double time_ns)
{
	/* Busy cores: other programs and waits take the rest. */
	return cpu_ns >= 0.85 * time_ns && cpu_ns <= 1.05 * time_ns;
}
