/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorded_run - what one run records beside its count of threads: the scheduler's log and
 * annotations, as `lever trace` does, and samples in the code of a what-if target.
 *
 * Life: recorded_run_open; recorded_run_begin with a process that waits to exec; recorded_run_drain
 * about every 20 ms; recorded_run_end; recorded_run_close. Rows belong to the run given to
 * recorded_run_begin.
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
	bool is_cut; /* recording stopped at 3 million events */
};

struct recorded_run_options {
	const struct recording_what_if *what_if; /* samples in this code; NULL: none */
	const char *program;                     /* its path */
	bool wants_messages;                     /* over TCP between hosts */
	bool verbose;
};

/* Borrows the options' pointers. */
int recorded_run_open(const struct recorded_run_options *options, struct recorded_run **recorded,
		      struct error *error);
void recorded_run_close(struct recorded_run *recorded);
/* NAME=VALUE for the program; borrowed. */
const char *recorded_run_environment(const struct recorded_run *recorded);
int recorded_run_begin(struct recorded_run *recorded, struct profile *profile, int64_t run_id,
		       pid_t pid, struct error *error);
int recorded_run_drain(struct recorded_run *recorded, struct error *error);
int recorded_run_end(struct recorded_run *recorded, struct recorded_run_totals *totals,
		     struct error *error);
