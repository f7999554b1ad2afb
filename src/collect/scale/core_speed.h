/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * core_speed - how fast the machine's cores are right now: one of them alone, and all at once.
 *
 * Frequencies change, cores may be hardware threads of one, and below a virtual machine others may
 * work: a loop of known length tells what comes out of all that. It takes some 30 ms.
 */
#pragma once

#include <sched.h>

struct core_speed {
	double alone;    /* loops a microsecond, on one core while the others are idle; 0 unknown */
	double together; /* on all of these cores at once, the mean of a core */
};

struct core_speed core_speed_measure(const cpu_set_t *cores);
