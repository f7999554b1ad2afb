/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorded_run - what is recorded beside the count, in one run: the scheduler's log and the program's own
 * annotations, as `lever trace` records them, and samples in the code of a what_if.
 *
 * Life: recorded_run_open, recorded_run_begin with a process that waits to exec, recorded_run_drain every 20 ms or so,
 * recorded_run_end, recorded_run_close. The rows go to the run that recorded_run_begin names.
 */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct recorded_run;

struct recorded_run_totals {
	uint64_t events, lost;
	bool is_cut; /* recording stopped, as there were too many */
};

struct recorded_run_options {
	const struct recording_what_if *what_if; /* samples in that code, too; NULL: none */
	const char *program;                     /* its path */
	bool verbose;
};

/* Borrows what the options point to. */
int recorded_run_open(const struct recorded_run_options *options, struct recorded_run **recorded,
		      struct error *error);
void recorded_run_close(struct recorded_run *recorded);
/* NAME=VALUE for the program; lives as long as the recorded_run. */
const char *recorded_run_environment(const struct recorded_run *recorded);
int recorded_run_begin(struct recorded_run *recorded, struct profile *profile, int64_t run_id,
		       pid_t pid, struct error *error);
int recorded_run_drain(struct recorded_run *recorded, struct error *error);
int recorded_run_end(struct recorded_run *recorded, struct recorded_run_totals *totals,
		     struct error *error);
