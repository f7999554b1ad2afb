/* SPDX-License-Identifier: BSD-2-Clause */
/* history_page - the rate over profiles as a page. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/diff/chart.h"
#include "report/diff/history_report.h"
#include "report/display.h"

#include <math.h>
#include <time.h>

/* A rate, compared with the first one. */
static double relative(const struct history *history, size_t i)
{
	return history->entries.items[0].period_ns / history->entries.items[i].period_ns - 1;
}

static void set_edges(const struct history *history, struct chart *chart)
{
	for (size_t i = 0; i < history->entries.count; i++) {
		double half = 1.96 * history->entries.items[i].error;
		chart->bottom = fmin(chart->bottom, relative(history, i) - half);
		chart->top = fmax(chart->top, relative(history, i) + half);
	}
	chart->top += 0.02;
	chart->bottom -= 0.01;
	chart->right = 1;
}

static void draw(FILE *out, const struct history *history)
{
	struct chart chart = {.is_ordinal = true, .out = out};
	size_t count = history->entries.count;
	double *x = memory_new(count, sizeof(*x)), *y = memory_new(count, sizeof(*y));

	set_edges(history, &chart);
	chart_begin(&chart, "profiles, by time", "rate, compared with the first profile");
	for (size_t i = 0; i < count; i++) {
		x[i] = count > 1 ? (double)i / (double)(count - 1) : 0.5;
		y[i] = relative(history, i);
	}
	chart_line(&chart, "before", x, y, count);
	for (size_t i = 0; i < count; i++) {
		double half = 1.96 * history->entries.items[i].error;
		chart_dot(&chart, history->entries.items[i].is_change ? "after" : "before", x[i],
			  (const double[]){y[i] - half, y[i], y[i] + half},
			  history->entries.items[i].label);
	}
	chart_end(&chart);
	free(x);
	free(y);
}

static void write_date(FILE *out, uint64_t started_s)
{
	char date[16] = "?";
	time_t started = (time_t)started_s;
	struct tm utc;

	if (gmtime_r(&started, &utc))
		strftime(date, sizeof(date), "%Y-%m-%d", &utc);
	fputs(date, out);
}

/* `before` is the entry before this one; of the first one, itself. */
static void write_row(FILE *out, const struct history_entry *before,
		      const struct history_entry *entry)
{
	AUTO(text) char *rate = display_rate(1e9 / entry->period_ns);

	fputs("<tr><td class=\"name\">", out);
	chart_text(out, entry->label);
	fprintf(out, "</td><td>%.9s</td><td>", entry->commit ? entry->commit : "-");
	write_date(out, entry->started_s);
	fprintf(out, "</td><td>%s</td><td>&#177;%.1f %%</td><td>", rate, 196 * entry->error);
	AUTO(text) char *change = display_gain(entry->change);
	if (entry->is_change)
		fputs(change, out);
	if (entry->is_change && before->commit && entry->commit)
		fprintf(out, ", %.9s..%.9s", before->commit, entry->commit);
	fputs("</td><td class=\"name\">", out);
	chart_text(out, entry->first_place ? entry->first_place : "-");
	fputs("</td></tr>\n", out);
}

void history_html(FILE *out, const struct history *history, const struct report_options *options)
{
	AUTO(text)
	char *headline =
		text_format("%zu profiles, %zu change%s of the rate of %s", history->entries.count,
			    history->changes, history->changes == 1 ? "" : "s", history->point);

	(void)options;
	chart_page_begin(out, "lever history", headline);
	draw(out, history);
	if (history->changes)
		chart_paragraph(out, "At an orange point the rate changed.");
	chart_table_begin(out, "profiles",
			  (const struct chart_column[]){{"profile", true},
							{"commit", false},
							{"date", false},
							{"visits a second", false},
							{"95 % interval", false},
							{"change", false},
							{"first place", true},
							{NULL, false}});
	for (size_t i = 0; i < history->entries.count; i++)
		write_row(out, &history->entries.items[i ? i - 1 : 0], &history->entries.items[i]);
	chart_table_end(out);
	if (history->skipped) {
		AUTO(text)
		char *skipped =
			text_format("%u profile%s left out: another program, no such progress "
				    "point, or too few windows",
				    history->skipped, history->skipped == 1 ? "" : "s");
		chart_paragraph(out, skipped);
	}
	chart_page_end(out);
}
