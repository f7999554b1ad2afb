/* SPDX-License-Identifier: BSD-2-Clause */
/* live_line - renewed by a carriage return and an escape sequence. */
#include "cli/output/live_line.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "report/display.h"

#include <stdio.h>

void live_line_clear(struct live_line *live)
{
	if (live->has_line)
		fputs("\r\033[K", stderr);
	live->has_line = false;
}

void live_line_show(struct live_line *live, const char *line)
{
	AUTO(text) char *clean = display_clean(line);
	AUTO(text) char *shown = display_fit(clean, summary_options(stderr, 0).columns - 1);

	live_line_clear(live);
	fputs(shown, stderr);
	live->has_line = true;
}

char *live_line_left(double seconds)
{
	return seconds >= 0 ? text_format(", %.0f s left", seconds) : text_copy("");
}

void live_line_message(void *context, const char *sentence)
{
	struct live_line *live = context;

	live_line_clear(live);
	if (!live->is_quiet)
		message_print(EXIT_ANSWERED, "%s", sentence);
}
