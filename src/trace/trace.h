/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace - one `lever trace`: a program, its annotations, the scheduler's log, and the profile they go
 * to.
 *
 * trace_run does everything between the options and the finished profile file. It prints nothing:
 * what happens is told through `notify` and `say`.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
	char *const *arguments; /* the program; ends with NULL; NULL: none is started */
	const pid_t *processes; /* or these, which run already: without annotations */
	size_t process_count;
	bool is_system_wide;
	const char *version;
	const char *output;
	bool fresh;
	enum trace_scheduler scheduler;
	bool wants_interrupts;
	enum trace_texts texts; /* what is written to trace_marker */
	const char *const
		*probes; /* PROVIDER:NAME, or two with a comma between: trace/usdt_probes.h */
	size_t probe_count;
	const char *nvtx_library, *ompt_library; /* that the program shall load; or NULL */
	size_t ring_bytes;                       /* of each thread; a power of two */
	double seconds;                          /* 0: until the program ends, or Ctrl-C */
	double flight_seconds;                   /* keep only so much before the end; 0: all */
	bool verbose;
	void *context;
	void (*notify)(void *context, const struct trace_status *status);
	void (*say)(void *context, const char *sentence); /* something the user should know now */
};

enum trace_end {
	TRACE_DONE,
	TRACE_NOTHING,     /* no event */
	TRACE_NOT_STARTED, /* the program could not be executed: exit_code is 126 or 127 */
	TRACE_WRONG_USAGE, /* no such process */
	TRACE_FAILED,
};

struct trace_result {
	enum trace_end end;
	int exit_code; /* TRACE_NOT_STARTED */
	int status;    /* of the program, as waitpid gives it; -1 unknown */
};

/* To be called once, first of all in main: see program_remember_signals. */
void trace_prepare_signals(void);
void trace_run(const struct trace_options *options, struct trace_result *result,
	       struct error *error);
