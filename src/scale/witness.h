/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * witness - what is recorded beside the count, in one run: the scheduler's log and the program's own
 * annotations, as `lever trace` records them, and samples in the code of a question.
 *
 * Life: witness_open, witness_begin with a process that waits to exec, witness_look every 20 ms or so,
 * witness_end, witness_close. The rows go to the run that witness_begin names.
 */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct witness;

struct witness_sums {
	uint64_t events, lost;
	bool is_cut; /* recording stopped, as there were too many */
};

struct witness_options {
	const struct recording_question *question; /* samples in that code, too; NULL: none */
	const char *program;                       /* its path */
	bool verbose;
};

/* Borrows what the options point to. */
int witness_open(const struct witness_options *options, struct witness **witness,
		 struct error *error);
void witness_close(struct witness *witness);
/* NAME=VALUE for the program; lives as long as the witness. */
const char *witness_environment(const struct witness *witness);
int witness_begin(struct witness *witness, struct profile *profile, int64_t run_id, pid_t pid,
		  struct error *error);
int witness_look(struct witness *witness, struct error *error);
int witness_end(struct witness *witness, struct witness_sums *sums, struct error *error);
