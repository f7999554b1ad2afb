/* SPDX-License-Identifier: BSD-2-Clause */
/* history_formats - the table of history_report.h, and text and JSON. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/diff/history_report.h"
#include "report/display.h"
#include "report/json.h"
#include "report/terminal.h"

#include <math.h>
#include <time.h>

#define WRITER(name, help) history_##name,
history_writer *const history_writers[] = {HISTORY_FORMATS(WRITER)};

#define NAME(name, help) #name,
const char *const history_format_names[] = {HISTORY_FORMATS(NAME) NULL};

#define HELP(name, help) "; " #name ": " help
const char history_format_help[] = "the format" HISTORY_FORMATS(HELP);

#define BAR_COLUMNS 20
#define COMMIT_COLUMNS 9

static double largest_rate(const struct history *history)
{
	double largest = 0;
	for (size_t i = 0; i < history->entries.count; i++)
		largest = fmax(largest, 1e9 / history->entries.items[i].period_ns);
	return largest;
}

static bool has_commits(const struct history *history)
{
	for (size_t i = 0; i < history->entries.count; i++)
		if (history->entries.items[i].commit)
			return true;
	return false;
}

static void print_entry(FILE *out, const struct history *history, const struct history_entry *entry)
{
	char date[16] = "?";
	time_t started = (time_t)entry->started_s;
	struct tm utc;
	double rate = 1e9 / entry->period_ns;
	AUTO(text) char *label = display_clean(entry->label);
	AUTO(text) char *fitted = display_fit(label, 20);
	AUTO(text) char *shown = display_rate(rate);
	AUTO(text) char *first = display_clean(entry->first_place ? entry->first_place : "-");
	double largest = largest_rate(history);
	int bar = largest > 0 ? (int)lround(BAR_COLUMNS * rate / largest) : 0;

	if (gmtime_r(&started, &utc))
		strftime(date, sizeof(date), "%Y-%m-%d", &utc);
	fprintf(out, "%-20s  ", fitted);
	if (has_commits(history))
		fprintf(out, "%-*.*s  ", COMMIT_COLUMNS, COMMIT_COLUMNS,
			entry->commit ? entry->commit : "-");
	fprintf(out, "%s  %10s \xc2\xb1%.1f %%  %-*.*s  %s\n", date, shown, 196 * entry->error,
		BAR_COLUMNS, bar, "####################", first);
}

static void print_change(FILE *out, const struct history_entry *before,
			 const struct history_entry *after)
{
	AUTO(text) char *from = display_clean(before->label);
	AUTO(text) char *to = display_clean(after->label);
	AUTO(text) char *change = display_gain(after->change);

	fprintf(out, "  change of %s between %s and %s", change, from, to);
	if (before->commit && text_equals(before->commit, after->commit))
		fprintf(out, "; the commit is the same: the change was not committed");
	else if (before->commit && after->commit)
		fprintf(out, ": git log %.*s..%.*s", COMMIT_COLUMNS, before->commit, COMMIT_COLUMNS,
			after->commit);
	fputc('\n', out);
}

void history_text(FILE *out, const struct history *history, const struct report_options *options)
{
	AUTO(text) char *point = display_clean(history->point);

	terminal_style(out, options, "1");
	fprintf(out, "%zu profiles, %zu change%s of the rate of %s\n", history->entries.count,
		history->changes, history->changes == 1 ? "" : "s", point);
	terminal_style(out, options, NULL);
	fprintf(out, "\n%-20s  ", "profile");
	if (has_commits(history))
		fprintf(out, "%-*s  ", COMMIT_COLUMNS, "commit");
	fprintf(out, "%-10s  %17s  %-*s  %s\n", "date", "visits a second", BAR_COLUMNS, "",
		"first place");
	for (size_t i = 0; i < history->entries.count; i++) {
		if (history->entries.items[i].is_change)
			print_change(out, &history->entries.items[i - 1],
				     &history->entries.items[i]);
		print_entry(out, history, &history->entries.items[i]);
	}
	if (history->skipped)
		fprintf(out,
			"\n%u profile%s left out: another program, no such progress point, or too "
			"few windows\n",
			history->skipped, history->skipped == 1 ? "" : "s");
}

static json_t *entry_json(const struct history_entry *entry, const struct history_entry *before)
{
	json_t *change = json_null();

	if (entry->is_change)
		change = json_pack("{so so}", "after", json_text(before->label), "rate_change",
				   json_number(entry->change));
	return json_pack("{so so sI so so so so so}", "profile", json_text(entry->label), "commit",
			 json_text(entry->commit), "started_s", (json_int_t)entry->started_s,
			 "per_second", json_number(1e9 / entry->period_ns), "relative_error",
			 json_number(entry->error), "first_place", json_text(entry->first_place),
			 "first_slope", json_number(entry->first_place ? entry->first_slope : NAN),
			 "change", change);
}

void history_json(FILE *out, const struct history *history, const struct report_options *options)
{
	json_t *entries = json_array();

	(void)options;
	for (size_t i = 0; i < history->entries.count; i++)
		json_array_append_new(entries, entry_json(&history->entries.items[i],
							  &history->entries.items[i ? i - 1 : 0]));
	json_write_report(out, json_pack("{si ss so so sI sI}", "lever", 1, "kind", "history",
					 "progress", json_text(history->point), "profiles", entries,
					 "changes", (json_int_t)history->changes, "left_out",
					 (json_int_t)history->skipped));
}
