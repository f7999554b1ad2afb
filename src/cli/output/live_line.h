/* SPDX-License-Identifier: BSD-2-Clause */
/* live_line - progress on stderr while a command records: a renewed line, and messages between. */
#pragma once

#include <stdbool.h>

struct live_line {
	bool is_renewed; /* the line is shown; stderr is a terminal */
	bool is_quiet;   /* messages are not shown */
	bool has_line;
};

/* To be called before anything else is printed. */
void live_line_clear(struct live_line *live);
/* Cut to the terminal's width: a wrapped line cannot be renewed. */
void live_line_show(struct live_line *live, const char *line);
/* ", 7 s left"; "" if seconds < 0: unknown. To be freed. */
char *live_line_left(double seconds);
/* A message on a line of its own; `context` is the struct live_line. */
void live_line_message(void *context, const char *sentence);
