/* SPDX-License-Identifier: BSD-2-Clause */
/* trace - the verb of `lever trace`: annotations and the scheduler's log, as a timeline. */
#pragma once

#include "driver/driver.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With the scheduler's log; if the rights for it are there; without. */
enum trace_scheduler { TRACE_SCHEDULER_AUTO, TRACE_SCHEDULER_ON, TRACE_SCHEDULER_OFF };

/* If a binary of the program mentions it; always; never. */
enum trace_texts { TRACE_TEXTS_AUTO, TRACE_TEXTS_ON, TRACE_TEXTS_OFF };

/* Where the recording stands, for a line on the terminal. */
struct trace_status {
	double elapsed_seconds, left_seconds; /* left: < 0 if unknown */
	uint64_t marks, switches, lost;
};

struct trace_options {
	enum trace_scheduler scheduler;
	bool wants_interrupts;
	bool wants_messages;       /* over TCP between hosts */
	enum trace_texts texts;    /* what is written to trace_marker */
	const char *const *probes; /* PROVIDER:NAME, or two with a comma between: usdt_probes.h */
	size_t probe_count;
	const char *nvtx_library, *ompt_library; /* for the program to load; NULL: none */
	size_t ring_bytes;                       /* of each thread; a power of two */
	double flight_seconds;                   /* keep only the last seconds; 0: all */
	void *context;
	void (*notify)(void *context, const struct trace_status *status);
};

/* See driver_run. */
void trace_run(const struct trace_options *options, const struct driver_options *driver,
	       struct driver_result *result, struct error *error);
