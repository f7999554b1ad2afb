/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interrupts - how often and for how long interrupts ran on each core, if they were recorded.
 *
 * A hard interrupt may interrupt a soft one: its time is in both rows, but counts once for the
 * core.
 */
#pragma once

#include "analyze/timeline/percentiles.h"
#include "analyze/timeline/timeline.h"

struct interrupts_slice {
	uint64_t start_ns, end_ns;
	unsigned cpu, number, depth;
	unsigned tid; /* of the interrupted thread */
};

struct interrupts_row {
	unsigned number;
	uint64_t count, total_ns;
	struct percentiles durations;
	unsigned cpu; /* with most of its time */
};

struct interrupts_core {
	unsigned cpu;
	uint64_t total_ns;
};

struct interrupts {
	ARRAY(struct interrupts_row) rows; /* by total time */
	ARRAY(struct interrupts_core) cores;
};

struct interrupts *interrupts_new(const struct timeline *timeline);
void interrupts_free(struct interrupts *interrupts);
/* 0 where none was recorded. */
uint64_t interrupts_of_core(const struct interrupts *interrupts, unsigned cpu);
/* Calls `visit` for each, in order of their ends within a core. */
void interrupts_walk(const struct timeline *timeline,
		     void (*visit)(void *context, const struct interrupts_slice *slice),
		     void *context);
/* "virtio0", "soft: TIMER"; to be freed. */
char *interrupts_name(const struct timeline *timeline, unsigned number);
