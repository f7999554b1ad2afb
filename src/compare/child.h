/* SPDX-License-Identifier: BSD-2-Clause */
/* child - one run of a command: its wall time, and how it ended. */
#pragma once

#include "base/error.h"
#include "compare/visits.h"

#include <stdbool.h>
#include <stdint.h>

struct child_run {
	uint64_t wall_ns; /* from before the fork to the end */
	uint64_t cpu_ns;  /* user and system time of the command and the children it waited for */
	int status;       /* as waitpid gives it */
	int stderr_file;  /* what it wrote to standard error, to be closed; -1: not kept */
	double visit_s;   /* with `visits`: the time of a visit; 0: fewer than two */
};

struct child_command {
	char *const *arguments;
	char *const *environment; /* all of it; ends with NULL */
	bool shows_output;        /* else standard output is /dev/null */
	struct visits *visits;    /* are counted; NULL: none */
};

/* Standard input is /dev/null. -ENOENT and others: it could not be executed. */
int child_run(const struct child_command *command, struct child_run *run, struct error *error);
