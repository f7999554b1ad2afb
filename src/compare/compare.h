/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare - runs two commands in turn, as analyze/diff/run_pairs plans it.
 *
 * Each command runs once before, which is not counted: that finds a command that fails, and warms
 * up the machine.
 */
#pragma once

#include "analyze/diff/run_pairs.h"
#include "base/error.h"
#include "compare/visits.h"

struct compare_options {
	char *const *arguments[2]; /* by enum run_side; ends with NULL */
	const char *links[2];      /* commands that link the programs, or NULL (layout.h) */
	struct run_pairs_plan plan;
	struct visits *visits; /* the time of a visit is compared, and not that of a run; or NULL */
	const char *point;     /* of `visits` */
	bool shows_output;     /* of the commands; else it is thrown away */
	bool ignores_failure;  /* of the commands */
	void *context;         /* of `notify`, which may be NULL: called after each run */
	void (*notify)(void *context, const struct run_pairs *run_pairs);
};

enum compare_end {
	COMPARE_DONE,
	COMPARE_NOT_STARTED, /* code is that of the exec */
	COMPARE_NO_VISITS,   /* of the progress point, in a run */
	COMPARE_FAILED,      /* a command failed, or Lever did */
};

/*
 * Ctrl-C ends it early, with what was measured until then. On failure what the command wrote to
 * standard error is written there.
 */
int compare_run(const struct compare_options *options, struct run_pairs **result,
		enum compare_end *end, struct error *error);
