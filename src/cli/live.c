/* SPDX-License-Identifier: BSD-2-Clause */
/* live - a line on stderr that is renewed, and sentences between. */
#include "cli/live.h"

#include "base/own.h"
#include "cli/show.h"
#include "report/words.h"

#include <stdio.h>

void live_clear(struct live *live)
{
	if (live->has_line)
		fputs("\r\033[K", stderr);
	live->has_line = false;
}

void live_show(struct live *live, const char *line)
{
	AUTO(text) char *shown = words_fit(line, show_options(stderr, 0).columns - 1);

	live_clear(live);
	fputs(shown, stderr);
	live->has_line = true;
}

void live_say(void *context, const char *sentence)
{
	struct live *live = context;

	live_clear(live);
	if (!live->is_quiet)
		fprintf(stderr, "lever: %s\n", sentence);
}
