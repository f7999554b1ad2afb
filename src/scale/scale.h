/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale - one `lever scale`: a program, run several times on some cores, once more with a log of who
 * waits for whom, and once on others, and how many of its threads were active for how long.
 *
 * scale_run does everything between the options and the finished profile file. What follows from it
 * is computed from the file (analyze/scale.h). It prints nothing: what happens is told through
 * `notify` and `say`.
 */
#pragma once

#include "base/error.h"
#include "profile/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where it stands, for a line on the terminal. */
struct scale_status {
	unsigned run, runs; /* from 1 on */
	unsigned cores;     /* that the program has */
	double elapsed_seconds;
	unsigned active, running; /* threads, now */
};

struct scale_options {
	char *const *arguments; /* the program; ends with NULL */
	const char *version;
	const char *output;
	bool fresh;
	const char *asked;  /* cores to predict for, with commas; kept for the report */
	unsigned on;        /* cores to profile on; 0: all */
	unsigned runs;      /* on those */
	unsigned compare;   /* cores of one more run; 0: none */
	bool picks_compare; /* choose other cores for it */
	const struct recording_what_if *what_if; /* for the run with the log; NULL: none */
	bool replays; /* one more run on the profiled cores, with the scheduler's log */
	const char
		*cores_library; /* liblever-cores.so hides from it that it has fewer; NULL: none */
	bool verbose;
	void *context;
	void (*notify)(void *context, const struct scale_status *status);
	void (*say)(void *context, const char *sentence); /* something the user should know now */
};

enum scale_end {
	SCALE_DONE,
	SCALE_NOTHING,     /* no run has come to its end */
	SCALE_NOT_STARTED, /* the program could not be executed: exit_code is 126 or 127 */
	SCALE_WRONG_USAGE, /* more cores than there are */
	SCALE_FAILED,
};

struct scale_result {
	enum scale_end end;
	int exit_code; /* SCALE_NOT_STARTED */
	int status;    /* of the program's last run, as waitpid gives it; -1 unknown */
};

/* To be called once, first of all in main: see program_remember_signals. */
void scale_prepare_signals(void);
/* Cores that lever itself may use. */
unsigned scale_cores(void);
void scale_run(const struct scale_options *options, struct scale_result *result,
	       struct error *error);
