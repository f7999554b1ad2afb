/* SPDX-License-Identifier: BSD-2-Clause */
/* header - labelled lines, warnings, and breaking lines at blanks. */
#include "report/header.h"

#include "base/cleanup.h"
#include "report/causal/verdict_table.h"
#include "report/display.h"

#include <string.h>

#define COLUMNS_LEAST 60
#define COLUMNS_MOST 132 /* longer lines are hard to follow */

struct report_options header_fit(const struct report_options *given)
{
	struct report_options fitted = *given;
	fitted.columns = given->columns < COLUMNS_LEAST ? COLUMNS_LEAST :
			 given->columns > COLUMNS_MOST  ? COLUMNS_MOST :
							  given->columns;
	return fitted;
}

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

void header_label(FILE *out, const struct report_options *options, const char *label)
{
	table_style(out, options, "2");
	fprintf(out, "%-*s", HEADER_INDENT, label);
	table_style(out, options, NULL);
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
	header_label(out, options, totals->runs > 1 ? "runs" : "run");
	if (totals->runs > 1)
		fprintf(out, "%zu, ", totals->runs);
	fprintf(out, "%s%s, %s engine on %s, Linux %s%s\n", wall, totals->runs > 1 ? " in all" : "",
		engine, host, kernel, totals->runs > 1 ? "" : ended);
}

/* Breaks at blanks; every line but the first is indented. */
void header_wrapped(FILE *out, const char *text, size_t indent, size_t columns)
{
	AUTO(text) char *words = text_copy(text);
	size_t at = indent;
	char *rest = words;
	for (char *word; (word = strsep(&rest, " "));) {
		size_t width = display_width(word);
		if (at > indent && at + 1 + width > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			fputc(' ', out);
			at++;
		}
		fputs(word, out);
		at += width;
	}
	fputc('\n', out);
}

static void print_warning(FILE *out, const struct report_options *options, const char *text)
{
	AUTO(text) char *clean = display_clean(text);
	table_style(out, options, "33");
	fprintf(out, "%-*s", HEADER_INDENT, "warning");
	table_style(out, options, NULL);
	header_wrapped(out, clean, HEADER_INDENT, options->columns);
}

void header_warnings(FILE *out, const struct warnings *warnings,
		     const struct report_options *options)
{
	for (size_t i = 0; i < warnings->count; i++)
		print_warning(out, options, warnings->items[i]);
}
