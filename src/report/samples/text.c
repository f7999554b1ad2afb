/* SPDX-License-Identifier: BSD-2-Clause */
/* text - samples as text: the run, the classes, and a table or a call tree. */
#include "report/formats.h"

#include "analyze/samples/hosts.h"
#include "base/cleanup.h"
#include "report/display.h"
#include "report/header.h"
#include "report/samples/lock_names.h"
#include "report/samples/names.h"
#include "report/samples/tree.h"
#include "report/samples/warnings.h"
#include "report/terminal.h"

#include <string.h>

#define SHARE_COLUMNS 13
#define MARK_COLUMNS 3
#define GAP 2
#define COLUMN_LEAST 8
#define COLUMNS_OF_TEXT 3 /* in a table */

/* ---- the head ---- */

static void print_samples(FILE *out, const struct samples *samples, const struct run_totals *totals,
			  const struct report_options *options)
{
	AUTO(text) char *count = display_count(totals->samples);
	AUTO(text) char *period = display_duration((double)totals->last->period_ns);
	AUTO(text) char *lost = display_count(totals->lost);
	AUTO(text) char *time = display_duration((double)samples->recorded_ns);

	terminal_label(out, options, "samples");
	fprintf(out, "%s, every %s; they stand for %s of all threads; %s lost\n", count, period,
		time, lost);
}

static void print_filter(FILE *out, const struct samples *samples,
			 const struct report_options *options)
{
	if (samples->all.weight_ns == samples->recorded_ns)
		return;
	AUTO(text) char *time = display_duration((double)samples->all.weight_ns);
	terminal_label(out, options, "shown");
	fprintf(out, "%s, %.1f %% of that: shares are of it\n", time,
		samples->recorded_ns ?
			100.0 * (double)samples->all.weight_ns / (double)samples->recorded_ns :
			0.0);
}

/* Of several hosts, how busy each is. */
static void print_hosts(FILE *out, const struct samples *samples,
			const struct report_options *options)
{
	struct samples_hosts hosts = samples_hosts(samples);

	if (hosts.count > 1) {
		AUTO(text) char *all = text_copy("cores busy: ");
		for (size_t i = 0; i < hosts.count; i++) {
			AUTO(text) char *name = display_clean(hosts.items[i].name);
			char *longer = text_format("%s%s%s %.2f", all, i ? ", " : "", name,
						   hosts.items[i].busy);
			free(all);
			all = longer;
		}
		AUTO(text)
		char *line = text_format("%s; the first has %.0f %% more than the mean", all,
					 100 * hosts.imbalance);
		terminal_label(out, options, "hosts");
		terminal_wrapped(out, line, TERMINAL_INDENT, options->columns);
	}
	samples_hosts_clear(&hosts);
}

static void print_warnings(FILE *out, const struct recording *recording,
			   const struct report_options *options)
{
	struct warnings warnings = samples_warnings(recording);
	header_warnings(out, &warnings, options);
	warnings_release(&warnings);
}

static void print_head(FILE *out, const struct recording *recording, const struct samples *samples,
		       const struct report_options *options)
{
	struct run_totals totals = run_totals_of(recording);
	if (!totals.last)
		return;
	AUTO(text)
	char *command = totals.last->command ? display_command(totals.last->command) :
					       text_copy("running processes");
	AUTO(text) char *fitted = display_fit(command, options->columns - strlen("Samples of "));
	terminal_style(out, options, "1");
	fprintf(out, "Samples of %s", fitted);
	terminal_style(out, options, NULL);
	fputc('\n', out);
	header_run(out, &totals, options);
	print_samples(out, samples, &totals, options);
	print_filter(out, samples, options);
	print_hosts(out, samples, options);
	print_warnings(out, recording, options);
	fputc('\n', out);
}

/* ---- tables ---- */

static const char *style_of(enum sample_class class)
{
	static const char *const styles[SAMPLE_CLASSES] = {
		[CLASS_USER] = "0",  [CLASS_KERNEL] = "36",   [CLASS_IO] = "33",
		[CLASS_LOCK] = "31", [CLASS_RUNNABLE] = "35", [CLASS_OTHER] = "34",
	};
	return styles[class];
}

static void print_padded(FILE *out, const char *text, size_t columns)
{
	size_t width = display_width(text);
	fprintf(out, "%s%*s", text, width < columns ? (int)(columns - width) : 0, "");
}

static void print_share(FILE *out, const struct samples_sum *sum)
{
	AUTO(text) char *share = samples_share_text(sum);
	size_t width = display_width(share);
	fprintf(out, "%*s%s", width < SHARE_COLUMNS ? (int)(SHARE_COLUMNS - width) : 0, "", share);
}

static void print_mark(FILE *out, enum sample_class class, const struct report_options *options)
{
	terminal_style(out, options, style_of(class));
	fprintf(out, "%*s%s", GAP, "", samples_class_mark(class));
	terminal_style(out, options, NULL);
}

static void print_classes(FILE *out, const struct samples *samples,
			  const struct report_options *options)
{
	struct samples_rows rows = samples_group(samples, SAMPLES_BY_CLASS);

	for (unsigned class = 0; class < SAMPLE_CLASSES; class ++) {
		if (!samples->classes[class].weight_ns)
			continue;
		print_share(out, &samples->classes[class]);
		print_mark(out, class, options);
		fprintf(out, "  %s", samples_class_title(class));
		const char *between = ": ";
		for (size_t i = 0; i < rows.count; i++) {
			const struct recording_stack_sample *stack_sample =
				rows.items[i].first->stack_sample;
			if (stack_sample->class != class || !stack_sample->subclass)
				continue;
			AUTO(text) char *name = display_clean(stack_sample->subclass);
			fprintf(out, "%s%s %.1f %%", between, name, 100 * rows.items[i].sum.share);
			between = ", ";
		}
		fputc('\n', out);
	}
	fputc('\n', out);
	samples_rows_clear(&rows);
}

/* The cells of a row, in the columns of its table. */
struct cells {
	char *texts[COLUMNS_OF_TEXT];
};

static void cells_auto_release(struct cells *cells)
{
	for (size_t i = 0; i < COLUMNS_OF_TEXT; i++)
		free(cells->texts[i]);
}

static const char *const heads[][COLUMNS_OF_TEXT] = {
	[SAMPLES_BY_FUNCTION] = {"function", "called from", "in the kernel"},
	[SAMPLES_BY_LINE] = {"line", "function", "in the kernel"},
	[SAMPLES_BY_CLASS] = {"class", "", ""},
	[SAMPLES_BY_CALL] = {"system call", "", ""},
	[SAMPLES_BY_THREAD] = {"thread", "name", ""},
	[SAMPLES_BY_PROCESS] = {"process", "name", ""},
	[SAMPLES_BY_HOST] = {"host", "", ""},
	[SAMPLES_BY_LOCK] = {"lock", "mostly waited for in", "released or signalled in"},
	[SAMPLES_BY_FILE] = {"file, device or peer", "system call", "mostly waited for in"},
};

static char *site_of(const struct samples_entry *entry)
{
	if (!entry->site || entry->site == entry->user)
		return text_copy("");
	AUTO(text) char *function = samples_function_name(entry->site);
	AUTO(text) char *place = samples_location_name(entry->site);
	return text_format("%s (%s)", function, place);
}

static char *class_of(const struct recording_stack_sample *stack_sample)
{
	AUTO(text)
	char *subclass = display_clean(stack_sample->subclass ? stack_sample->subclass : "");
	return text_format("%s%s%s", samples_class_title(stack_sample->class),
			   *subclass ? ": " : "", subclass);
}

/* Of I/O without a descriptor, what the kernel does. */
static char *file_of(const struct samples_entry *entry)
{
	if (entry->stack_sample->resource)
		return display_clean(entry->stack_sample->resource);
	AUTO(text) char *function = samples_function_name(entry->kernel);
	return text_format("(%s)", entry->stack_sample->system_call ? "by path" : function);
}

static char *kernel_of(const struct samples_row *row, enum samples_group group)
{
	enum sample_class class = row->first->stack_sample->class;
	bool is_one = group == SAMPLES_BY_FUNCTION || class == CLASS_KERNEL;
	if (class == CLASS_USER || (class == CLASS_RUNNABLE && is_one))
		return text_copy("");
	return samples_function_name(row->first->kernel);
}

static struct cells cells_of(const struct samples_row *row, enum samples_group group)
{
	const struct samples_entry *entry = row->first;
	struct cells cells = {{text_copy(""), text_copy(""), text_copy("")}};
	char **texts = cells.texts, *first = NULL, *second = NULL, *third = NULL;

	switch (group) {
	case SAMPLES_BY_FUNCTION:
		first = samples_function_name(entry->user ? entry->user : entry->kernel);
		second = site_of(entry);
		third = kernel_of(row, group);
		break;
	case SAMPLES_BY_LINE:
		first = samples_location_name(entry->site);
		second = samples_function_name(entry->site ? entry->site : entry->user);
		third = kernel_of(row, group);
		break;
	case SAMPLES_BY_CLASS:
		first = class_of(entry->stack_sample);
		break;
	case SAMPLES_BY_CALL:
		first = display_clean(entry->stack_sample->system_call ?
					      entry->stack_sample->system_call :
					      "none");
		break;
	case SAMPLES_BY_THREAD:
		first = text_format("%u/%u", entry->thread->pid, entry->thread->tid);
		second = display_clean(entry->thread->command);
		break;
	case SAMPLES_BY_PROCESS:
		first = text_format("%u", entry->thread->pid);
		second = display_clean(entry->thread->command);
		break;
	case SAMPLES_BY_HOST:
		first = display_clean(entry->run ? entry->run->host : NULL);
		break;
	case SAMPLES_BY_LOCK:
		break;
	case SAMPLES_BY_FILE:
		first = file_of(entry);
		second = display_clean(entry->stack_sample->system_call);
		third = samples_place_name(samples_place(entry));
		break;
	}
	char *made[COLUMNS_OF_TEXT] = {first, second, third};
	for (size_t i = 0; i < COLUMNS_OF_TEXT; i++) {
		if (!made[i])
			continue;
		free(texts[i]);
		texts[i] = made[i];
	}
	return cells;
}

static bool has_mark(enum samples_group group)
{
	return group <= SAMPLES_BY_CLASS || group >= SAMPLES_BY_LOCK;
}

/* Columns are as wide as their widest text, as far as the terminal allows. */
static void lay_out(struct cells *cells, size_t count, enum samples_group group, unsigned columns,
		    size_t *widths)
{
	size_t room = columns - SHARE_COLUMNS - (has_mark(group) ? MARK_COLUMNS + GAP : 0), sum = 0;

	for (size_t column = 0; column < COLUMNS_OF_TEXT; column++) {
		widths[column] = display_width(heads[group][column]);
		for (size_t i = 0; i < count; i++) {
			size_t width = display_width(cells[i].texts[column]);
			widths[column] = width > widths[column] ? width : widths[column];
		}
		sum += widths[column] + GAP;
	}
	while (sum > room) {
		size_t widest = 0;
		for (size_t column = 1; column < COLUMNS_OF_TEXT; column++)
			widest = widths[column] > widths[widest] ? column : widest;
		if (widths[widest] <= COLUMN_LEAST)
			return;
		widths[widest]--;
		sum--;
	}
}

static void print_cells(FILE *out, char *const *texts, const size_t *widths)
{
	size_t last = COLUMNS_OF_TEXT;

	while (last && !*texts[last - 1])
		last--;
	for (size_t column = 0; column < last; column++) {
		AUTO(text) char *fitted = display_fit(texts[column], widths[column]);
		fprintf(out, "%*s", GAP, "");
		print_padded(out, fitted, column + 1 < last ? widths[column] : 0);
	}
	fputc('\n', out);
}

/* For groups of several classes: the parts of their time. */
static void print_mix(FILE *out, const struct samples_row *row)
{
	fprintf(out, "%*s", SHARE_COLUMNS + GAP, "");
	for (unsigned class = 0; class < SAMPLE_CLASSES; class ++)
		if (row->by_class_ns[class])
			fprintf(out, "%s %.1f %%  ", samples_class_mark(class),
				100 * (double)row->by_class_ns[class] / (double)row->sum.weight_ns);
	fputc('\n', out);
}

/* The rows of a table, with their texts. */
struct shown_rows {
	struct cells *cells;
	struct samples_row *rows;
	size_t count;
	size_t hidden; /* groups that are not shown */
	char *hint;    /* NULL: none */
};

static size_t shown_of(size_t count, const struct report_options *options)
{
	return options->most && count > options->most ? options->most : count;
}

static struct shown_rows show_groups(const struct samples *samples, enum samples_group group,
				     const struct report_options *options)
{
	struct samples_rows rows = samples_group(samples, group);
	struct shown_rows shown = {.rows = rows.items, .count = shown_of(rows.count, options)};

	shown.hidden = rows.count - shown.count;
	shown.cells = memory_new(shown.count, sizeof(*shown.cells));
	for (size_t i = 0; i < shown.count; i++)
		shown.cells[i] = cells_of(&rows.items[i], group);
	return shown;
}

/* A row for the lock, and further ones for more code that releases it. */
static void show_lock(struct shown_rows *shown, const struct samples_lock *lock, bool has_processes)
{
	size_t wakers = samples_wakers_shown(lock), rows = wakers ? wakers : 1;

	for (size_t i = 0; i < rows; i++, shown->count++) {
		shown->rows[shown->count] =
			(struct samples_row){.first = i ? NULL : lock->first, .sum = lock->sum};
		shown->cells[shown->count] =
			(struct cells){{i ? text_copy("") : samples_lock_name(lock, has_processes),
					i ? text_copy("") : samples_place_name(lock->place),
					wakers ? samples_waker_name(lock, i) : text_copy("")}};
	}
}

static struct shown_rows show_locks(const struct samples *samples,
				    const struct report_options *options)
{
	struct samples_locks locks = samples_locks(samples);
	struct shown_rows shown = {0};
	size_t most = shown_of(locks.count, options), rows = 0;

	for (size_t i = 0; i < most; i++)
		rows += samples_wakers_shown(&locks.items[i]) + 1;
	shown.cells = memory_new(rows, sizeof(*shown.cells));
	shown.rows = memory_new(rows, sizeof(*shown.rows));
	for (size_t i = 0; i < most; i++)
		show_lock(&shown, &locks.items[i], locks.has_processes);
	shown.hidden = locks.count - most;
	shown.hint = samples_locks_hint(&locks);
	samples_locks_clear(&locks);
	return shown;
}

static void print_rows(FILE *out, const struct shown_rows *shown, enum samples_group group,
		       const size_t *widths, const struct report_options *options)
{
	for (size_t i = 0; i < shown->count; i++) {
		const struct samples_row *row = &shown->rows[i];
		if (row->first)
			print_share(out, &row->sum);
		else
			fprintf(out, "%*s", SHARE_COLUMNS + GAP + MARK_COLUMNS, "");
		if (row->first && has_mark(group))
			print_mark(out, row->first->stack_sample->class, options);
		print_cells(out, shown->cells[i].texts, widths);
		if (!has_mark(group))
			print_mix(out, &shown->rows[i]);
		cells_auto_release(&shown->cells[i]);
	}
}

static void print_table(FILE *out, const struct samples *samples, enum samples_group group,
			const struct report_options *options)
{
	bool is_of_locks = group == SAMPLES_BY_LOCK;
	struct shown_rows shown =
		is_of_locks ? show_locks(samples, options) : show_groups(samples, group, options);
	size_t widths[COLUMNS_OF_TEXT];

	lay_out(shown.cells, shown.count, group, options->columns, widths);
	terminal_style(out, options, "2");
	fprintf(out, "%*s%*s", SHARE_COLUMNS, "share", has_mark(group) ? MARK_COLUMNS + GAP : 0,
		"");
	print_cells(out, (char *const *)(uintptr_t)heads[group], widths);
	terminal_style(out, options, NULL);
	if (!shown.count)
		fprintf(out, "%*s  no %s was waited for\n", SHARE_COLUMNS, "",
			is_of_locks ? "lock" : "file");
	print_rows(out, &shown, group, widths, options);
	if (shown.hidden)
		fprintf(out, "%*s  and %zu more (--targets 0 shows all)\n", SHARE_COLUMNS, "",
			shown.hidden);
	if (shown.hint) {
		fputc('\n', out);
		terminal_wrapped(out, shown.hint, 0, options->columns);
	}
	free(shown.hint);
	free(shown.cells);
	free(shown.rows);
}

void report_samples_text(FILE *out, const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct samples *samples = report->samples;
	const struct report_options *options = &report->options;
	struct report_options layout = terminal_fit(options);

	print_head(out, recording, samples, &layout);
	if (!samples->count) {
		terminal_wrapped(out,
				 "No sample to show: none was taken, or the filters exclude all.",
				 0, layout.columns);
		return;
	}
	print_classes(out, samples, &layout);
	if (options->tree == REPORT_NO_TREE)
		print_table(out, samples, options->group, &layout);
	else
		samples_tree_print(out, samples, options->tree, options->share_least, &layout);
	fputc('\n', out);
	terminal_style(out, &layout, "2");
	terminal_wrapped(
		out,
		"Shares are of the time of all threads. ± is half of the 95 % interval. [.] "
		"and [k] are on CPU, in the program and in the kernel; [I] waits for I/O, "
		"[L] for a lock, [S] for a CPU, [B] for anything else.",
		0, layout.columns);
	terminal_style(out, &layout, NULL);
}
