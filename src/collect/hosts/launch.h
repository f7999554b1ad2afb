/* SPDX-License-Identifier: BSD-2-Clause */
/* launch - starts `lever agent` on another host, by ssh or others, with an input to write to. */
#pragma once

#include "base/error.h"

#include <sys/types.h>

struct launched {
	pid_t pid;
	int input; /* the command's; kept open: its end is the end of the run */
};

/* `launch`: words, in which %h is the host. */
int launch_start(char *const *launch, const char *host, const char *executable,
		 struct launched *launched, struct error *error);
/*
 * Writes to its input. A command that has ended already takes nothing, which is no error here: how
 * it ended says more.
 */
int launch_write(const struct launched *launched, const char *text, struct error *error);

/* What follows "the agent ended at the start, exit code N": ssh or lever itself have said more. */
const char *launch_remedy(int status);
