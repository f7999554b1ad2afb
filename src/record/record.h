/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record - one `lever record`: a program, its samples on and off CPU, and the profile they go to.
 *
 * record_run does everything between the options and the finished profile file. It prints nothing:
 * what happens is told through `notify` and `say`.
 */
#pragma once

#include "base/error.h"
#include "profile/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum record_chain { RECORD_CHAIN_DWARF, RECORD_CHAIN_FP, RECORD_CHAIN_NONE };

/* Where the recording stands, for a line on the terminal. */
struct record_status {
	double elapsed_seconds, left_seconds; /* left: < 0 if unknown */
	uint64_t samples;
	double shares[SAMPLE_CLASSES]; /* of the time sampled so far */
};

struct record_options {
	char *const *arguments; /* the program; ends with NULL; NULL: none is started */
	const pid_t *processes; /* or these, which run already */
	size_t process_count;
	const char *cgroup; /* or those in this folder of /sys/fs/cgroup */
	bool is_system_wide;
	const char *version;
	const char *output;
	bool fresh;
	uint64_t period_ns;
	enum record_chain chain;
	const char *class_rules; /* file of further rules; NULL: none */
	double seconds;          /* 0: until the program ends, or Ctrl-C */
	double live_seconds;     /* how far a live view looks back; 0: there is none */
	bool verbose;
	void *context;
	void (*notify)(void *context, const struct record_status *status);
	/* Every two seconds of a live view: the last ones, waits that go on included. */
	void (*refresh)(void *context, const struct recording *recording);
	void (*say)(void *context, const char *sentence); /* something the user should know now */
};

enum record_end {
	RECORD_DONE,
	RECORD_NOTHING,     /* no sample */
	RECORD_NOT_STARTED, /* the program could not be executed: exit_code is 126 or 127 */
	RECORD_WRONG_USAGE, /* no such process, cgroup, or rule */
	RECORD_FAILED,
};

struct record_result {
	enum record_end end;
	int exit_code; /* RECORD_NOT_STARTED */
	int status;    /* of the program, as waitpid gives it; -1 unknown */
};

/* To be called once, first of all in main: see program_remember_signals. */
void record_prepare_signals(void);
void record_run(const struct record_options *options, struct record_result *result,
		struct error *error);
