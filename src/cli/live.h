/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live - what `lever run` and `lever record` say on stderr while they work: a line that is renewed, and
 * sentences between.
 */
#pragma once

#include <stdbool.h>

struct live {
	bool is_renewed; /* show the line; stderr is a terminal */
	bool is_quiet;   /* no sentences */
	bool has_line;
};

/* Takes the line away, before anything else is printed. */
void live_clear(struct live *live);
/* Cut to the terminal: a longer line would break, and could not be renewed. */
void live_show(struct live *live, const char *line);
/* A sentence of its own; `context` is the struct live, as callbacks have it. */
void live_say(void *context, const char *sentence);
