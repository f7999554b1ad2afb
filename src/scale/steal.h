/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steal - how much of the program's time on its cores the hypervisor took, so far.
 *
 * The kernel says how much was taken from each core that had something to do, in clock ticks. Of that the
 * program's part is the part that it had of all that the cores did. Where the hypervisor does not
 * tell, nothing was taken.
 */
#pragma once

#include <sched.h>
#include <stdint.h>

struct steal {
	cpu_set_t cores;
	int stat;                   /* the open file; -1: none */
	uint64_t stolen_ns;         /* from the cores, since steal_begin */
	uint64_t own_ns;            /* of it from the program */
	uint64_t first_ns, busy_ns; /* when it began: taken before, and all that the cores did */
};

/* Of some cores, since the machine started; busy with what was stolen. */
struct steal_sums {
	uint64_t busy_ns, stolen_ns;
};
/* Of a text as /proc/stat has it. */
struct steal_sums steal_parse(const char *text, const cpu_set_t *cores);

void steal_begin(struct steal *steal, const cpu_set_t *cores);
/* `running_ns`: of the program's threads, so far; core time, as clocks outside of the machine see it. */
void steal_update(struct steal *steal, uint64_t running_ns);
/* The same, with sums that were read. */
void steal_add(struct steal *steal, struct steal_sums sums, uint64_t running_ns);
void steal_end(struct steal *steal);
