/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale - the verb of `lever scale`: a program is run several times on some cores, once more with a
 * log of its waits and wake-ups, and once on other cores. Its threads are counted by state.
 *
 * Predictions are computed from the profile file (analyze/scale).
 */
#pragma once

#include "driver/driver.h"
#include "profile/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For a line on the terminal. */
struct scale_status {
	unsigned run, runs; /* from 1 on */
	unsigned cores;     /* of the program */
	double elapsed_seconds;
	unsigned active, running; /* threads, now */
};

/* A run of the program on all other hosts of a job. */
struct scale_other_run {
	unsigned cores; /* of each; 0: all */
	bool is_recorded, shows_cores;
};

struct scale_others {
	void *context;
	/* Returns when the program waits to be started there: see driver_options. */
	int (*begin)(void *context, const struct scale_other_run *run, struct error *error);
	/*
	 * Ends the run there, and adds it to the profile. Returns what went wrong, a line each; to
	 * be freed; NULL: nothing. Not called before begin.
	 */
	char *(*add)(void *context, struct profile *profile, int64_t run_id, int64_t session_id);
};

struct scale_options {
	const char *asked;  /* cores to predict for, with commas; kept for the report */
	unsigned on;        /* cores to profile on; 0: all */
	unsigned runs;      /* on those */
	unsigned compare;   /* cores of one more run; 0: none */
	bool picks_compare; /* choose other cores for it */
	const struct recording_what_if *what_if; /* for the run with the log; NULL: none */
	bool replays;       /* one more run on the profiled cores, with the scheduler's log */
	bool only_recorded; /* no other run than that with the log */
	bool logs_messages; /* over TCP between hosts, there */
	const struct scale_others *others; /* NULL: there are no other hosts */
	const char *cores_library; /* liblever-cores.so, which hides missing cores; NULL: none */
	void *context;
	void (*notify)(void *context, const struct scale_status *status);
};

/* See driver_run. */
void scale_run(const struct scale_options *options, const struct driver_options *driver,
	       struct driver_result *result, struct error *error);
