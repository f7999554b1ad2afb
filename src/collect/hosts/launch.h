/* SPDX-License-Identifier: BSD-2-Clause */
/* launch - starts a command on another host: `ssh HOST lever agent`, with an input to write to. */
#pragma once

#include "base/error.h"

#include <sys/types.h>

struct launched {
	pid_t pid;
	int input; /* the command's; kept open: its end is the end of the run */
};

/* `launch`: words, of which %h is the host; ssh, if NULL. */
int launch_start(const char *launch, const char *host, const char *executable,
		 struct launched *launched, struct error *error);
