/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_line - what `lever run` and `lever record` say on stderr while they work: a line that is renewed, and
 * sentences between.
 */
#pragma once

#include <stdbool.h>

struct live_line {
	bool is_renewed; /* show the line; stderr is a terminal */
	bool is_quiet;   /* no sentences */
	bool has_line;
};

/* Takes the line away, before anything else is printed. */
void live_line_clear(struct live_line *live);
/* Cut to the terminal: a longer line would break, and could not be renewed. */
void live_line_show(struct live_line *live, const char *line);
/* A sentence of its own; `context` is the struct live_line, as callbacks have it. */
void live_line_say(void *context, const char *sentence);
