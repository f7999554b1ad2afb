/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steal - the time that the hypervisor took from the program on its cores, so far.
 *
 * The kernel counts steal of busy cores in clock ticks. The program's share of it is its share of
 * the cores' busy time. Without support by the hypervisor steal is 0.
 */
#pragma once

#include <sched.h>
#include <stdint.h>

struct steal {
	cpu_set_t cores;
	int stat;                   /* the open file; -1: none */
	uint64_t stolen_ns;         /* from the cores, since steal_begin */
	uint64_t own_ns;            /* the program's share */
	uint64_t first_ns, busy_ns; /* at steal_begin: steal, busy time */
};

/* Of some cores, since boot; busy_ns includes steal. */
struct steal_sums {
	uint64_t busy_ns, stolen_ns;
};
/* Parses the text of /proc/stat. */
struct steal_sums steal_parse(const char *text, const cpu_set_t *cores);

void steal_begin(struct steal *steal, const cpu_set_t *cores);
/* `running_ns`: core time of the program's threads so far, by wall time, including steal. */
void steal_update(struct steal *steal, uint64_t running_ns);
/* The same with given sums. */
void steal_add(struct steal *steal, struct steal_sums sums, uint64_t running_ns);
void steal_end(struct steal *steal);
