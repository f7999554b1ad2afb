/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_view - a process beside a recording that shows its profile while it grows: a page
 * (lever run --serve) or a table on the terminal (--tui).
 *
 * The process reads the profile file, as anyone could, and has the rights of the user behind sudo;
 * what it does wrong cannot hurt the recording. It ends the recording by a byte in a pipe, which
 * reaches the engine as SIGINT, and ends itself when the recording does.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* `stop`: to write a byte to; `until`: at its end the recording is over. Returns the exit code. */
typedef int live_view_main(void *context, int stop, int until);

struct live_view {
	pid_t pid;    /* 0: there is none */
	int until;    /* held open until the end */
	int stop[2];  /* the engine's ends of the pipe */
	int saved[2]; /* of standard output and error while `output` takes them; else -1 */
	int output;   /* a file without a name; else -1 */
};

/* With `takes_terminal`, what this process and the program write is kept until live_view_end. */
int live_view_begin(struct live_view *view, live_view_main *body, void *context,
		    bool takes_terminal, struct error *error);
/* Of a page, the process may still answer for some seconds; the terminal is free afterwards. */
void live_view_end(struct live_view *view, bool waits);
