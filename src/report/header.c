/* SPDX-License-Identifier: BSD-2-Clause */
/* header - prints the line of the run, and the warnings. */
#include "report/header.h"

#include "base/cleanup.h"
#include "report/display.h"
#include "report/terminal.h"

#include <string.h>

static char *exit_text(const struct recording_run *run)
{
	int status = run_exit_status(run);
	if (status < 0)
		return text_copy("");
	if (status >= 128 && (run->exit_status & 0x7f))
		return text_format(", killed by signal %d (%s)", status - 128,
				   strsignal(status - 128));
	return text_format(", exit code %d", status);
}

void header_run(FILE *out, const struct run_totals *totals, const struct report_options *options)
{
	const struct recording_run *run = totals->last;
	AUTO(text)
	char *wall = totals->wall_ns ? display_duration((double)totals->wall_ns) :
				       text_copy("unknown time");
	AUTO(text) char *host = display_clean(run->host);
	AUTO(text) char *kernel = display_clean(run->kernel);
	AUTO(text) char *engine = display_clean(run->engine);
	AUTO(text) char *ended = exit_text(run);
	terminal_label(out, options, totals->runs > 1 ? "runs" : "run");
	if (totals->runs > 1)
		fprintf(out, "%zu, ", totals->runs);
	fprintf(out, "%s%s, %s engine on %s, Linux %s%s\n", wall, totals->runs > 1 ? " in all" : "",
		engine, host, kernel, totals->runs > 1 ? "" : ended);
}

static void print_warning(FILE *out, const struct report_options *options, const char *text)
{
	AUTO(text) char *clean = display_clean(text);
	terminal_style(out, options, "33");
	fprintf(out, "%-*s", TERMINAL_INDENT, "warning");
	terminal_style(out, options, NULL);
	terminal_wrapped(out, clean, TERMINAL_INDENT, options->columns);
}

void header_warnings(FILE *out, const struct warnings *warnings,
		     const struct report_options *options)
{
	for (size_t i = 0; i < warnings->count; i++)
		print_warning(out, options, warnings->items[i]);
}
