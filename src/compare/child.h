/* SPDX-License-Identifier: BSD-2-Clause */
/* child - one run of a command: its wall time, and how it ended. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct child_run {
	uint64_t wall_ns; /* from before the fork to the end */
	uint64_t cpu_ns;  /* user and system time of the command and the children it waited for */
	int status;       /* as waitpid gives it */
	int stderr_file;  /* what it wrote to standard error, to be closed; -1: not kept */
};

/*
 * `environment` is all of it, and ends with NULL. Standard input is /dev/null; so is standard
 * output unless `shows_output`. -ENOENT and others: it could not be executed.
 */
int child_run(char *const *arguments, char *const *environment, bool shows_output,
	      struct child_run *run, struct error *error);
