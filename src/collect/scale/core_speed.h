/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core_speed - how fast the machine's cores are now: one of them alone, and all at once.
 *
 * A loop of known length measures the sum of frequency changes, of hardware threads that share a
 * core, and of other virtual machines on the host. It takes some 30 ms.
 */
#pragma once

#include <sched.h>

struct core_speed {
	double alone;    /* loops a microsecond, on one core while the others are idle; 0 unknown */
	double together; /* on all of these cores at once, the mean of a core */
};

struct core_speed core_speed_measure(const cpu_set_t *cores);
