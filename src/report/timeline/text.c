/* SPDX-License-Identifier: BSD-2-Clause */
/* text - a timeline as text: spans, threads, parallel regions, cores and long waits. */
#include "report/formats.h"

#include "analyze/timeline/interrupts.h"
#include "analyze/timeline/path.h"
#include "analyze/timeline/spans.h"
#include "base/cleanup.h"
#include "report/display.h"
#include "report/header.h"
#include "report/terminal.h"
#include "report/timeline/names.h"
#include "report/timeline/warnings.h"

#include <math.h>
#include <string.h>

#define COLUMNS_MOST 12
#define NAME_LEAST 12
#define WAITS_SHOWN 10
#define GAP 2

CLEANUP_DEFINE(spans, struct spans *, spans_free, NULL)
CLEANUP_DEFINE(interrupts, struct interrupts *, interrupts_free, NULL)
CLEANUP_DEFINE(path, struct path *, path_free, NULL)

/*
 * A table: the first column and those marked by '<' are left-aligned, numbers right. A name in the
 * first column that is too long gets a line of its own, since names often differ at their ends.
 */
struct grid {
	size_t columns;
	const char *heads[COLUMNS_MOST];
	ARRAY(char *) cells; /* row by row */
	size_t shown, all;   /* rows */
};

static void grid_add(struct grid *grid, char *cell)
{
	*array_add(&grid->cells) = cell;
}

static bool is_left(const struct grid *grid, size_t column)
{
	return !column || *grid->heads[column] == '<';
}

static const char *head_of(const struct grid *grid, size_t column)
{
	return grid->heads[column] + (*grid->heads[column] == '<');
}

static void lay_out(const struct grid *grid, unsigned columns, size_t *widths)
{
	size_t sum = 0;

	for (size_t i = 0; i < grid->columns; i++)
		widths[i] = display_width(head_of(grid, i));
	for (size_t i = 0; i < grid->cells.count; i++) {
		size_t width = display_width(grid->cells.items[i]);
		if (width > widths[i % grid->columns])
			widths[i % grid->columns] = width;
	}
	for (size_t i = 0; i < grid->columns; i++)
		sum += widths[i] + GAP;
	while (sum > columns) {
		size_t widest = 0;
		for (size_t i = 1; i < grid->columns; i++)
			if (is_left(grid, i) && widths[i] > widths[widest])
				widest = i;
		if (widths[widest] <= NAME_LEAST)
			return;
		widths[widest]--;
		sum--;
	}
}

static void print_cell(FILE *out, const struct grid *grid, size_t column, const char *text,
		       size_t width)
{
	AUTO(text) char *fitted = display_fit(text, width);
	size_t used = display_width(fitted);
	int pad = used < width ? (int)(width - used) : 0;

	if (is_left(grid, column))
		fprintf(out, "%*s%s%*s", GAP, "", fitted, column + 1 < grid->columns ? pad : 0, "");
	else
		fprintf(out, "%*s%*s%s", GAP, "", pad, "", fitted);
}

static void print_row(FILE *out, const struct grid *grid, char *const *cells, const size_t *widths,
		      unsigned columns)
{
	size_t width = display_width(cells[0]), room = columns - GAP;
	bool is_long = width > widths[0];

	if (is_long) {
		print_cell(out, grid, 0, cells[0], width < room ? width : room);
		fputc('\n', out);
	}
	for (size_t i = 0; i < grid->columns; i++)
		print_cell(out, grid, i, i || !is_long ? cells[i] : "", widths[i]);
}

static void grid_print(FILE *out, struct grid *grid, const char *title,
		       const struct report_options *options)
{
	size_t widths[COLUMNS_MOST];

	lay_out(grid, options->columns, widths);
	terminal_style(out, options, "1");
	fprintf(out, "%s\n", title);
	terminal_style(out, options, NULL);
	terminal_style(out, options, "2");
	for (size_t i = 0; i < grid->columns; i++)
		print_cell(out, grid, i, head_of(grid, i), widths[i]);
	terminal_style(out, options, NULL);
	for (size_t i = 0; i < grid->cells.count; i += grid->columns) {
		fputc('\n', out);
		print_row(out, grid, &grid->cells.items[i], widths, options->columns);
	}
	fputc('\n', out);
	if (grid->shown < grid->all)
		fprintf(out, "%*sand %zu more (--targets 0 shows all)\n", GAP, "",
			grid->all - grid->shown);
	fputc('\n', out);
	for (size_t i = 0; i < grid->cells.count; i++)
		free(grid->cells.items[i]);
	array_free(&grid->cells);
}

static size_t rows_of(size_t all, const struct report_options *options)
{
	return options->most && all > options->most ? options->most : all;
}

static char *share_of(uint64_t thread_row, uint64_t whole)
{
	return whole ? text_format("%.1f %%", 100.0 * (double)thread_row / (double)whole) :
		       text_copy("");
}

static uint64_t waits_of(const uint64_t *class_ns)
{
	return class_ns[TIMELINE_IO] + class_ns[TIMELINE_LOCK] + class_ns[TIMELINE_OTHER];
}

/* ---- tables ---- */

static void print_spans(FILE *out, const struct timeline *timeline, const struct spans *spans,
			const struct report_options *options)
{
	struct grid grid = {.columns = 11,
			    .heads = {"span", "count", "total", "self", "on CPU", "runnable",
				      "waiting", "p50", "p95", "p99", "threads"},
			    .shown = rows_of(spans->rows.count, options),
			    .all = spans->rows.count};

	for (size_t i = 0; i < grid.shown; i++) {
		const struct spans_row *row = &spans->rows.items[i];
		bool has_log = timeline->has_scheduler;
		grid_add(&grid, display_clean(timeline_name(timeline, row->name_id)));
		grid_add(&grid, display_count(row->count));
		grid_add(&grid, display_duration((double)row->total_ns));
		grid_add(&grid, display_duration((double)row->self_ns));
		grid_add(&grid, has_log ? share_of(row->class_ns[TIMELINE_RUNNING], row->total_ns) :
					  text_copy(""));
		grid_add(&grid, has_log ?
					share_of(row->class_ns[TIMELINE_RUNNABLE], row->total_ns) :
					text_copy(""));
		grid_add(&grid, has_log ? share_of(waits_of(row->class_ns), row->total_ns) :
					  text_copy(""));
		grid_add(&grid, display_duration(row->durations.p50_ns));
		grid_add(&grid, display_duration(row->durations.p95_ns));
		grid_add(&grid, display_duration(row->durations.p99_ns));
		grid_add(&grid, display_count(row->threads));
	}
	grid_print(out, &grid, "Spans", options);
}

static void add_thread_row(struct grid *grid, const struct timeline *timeline,
			   const struct spans_thread_row *thread_row)
{
	bool has_log = timeline->has_scheduler;

	grid_add(grid, display_clean(timeline_name(timeline, thread_row->name_id)));
	grid_add(grid,
		 timeline_thread_name(timeline, &timeline->threads.items[thread_row->thread]));
	grid_add(grid, display_count(thread_row->count));
	grid_add(grid, display_duration((double)thread_row->total_ns));
	grid_add(grid, display_duration((double)thread_row->self_ns));
	grid_add(grid,
		 has_log ? share_of(thread_row->class_ns[TIMELINE_RUNNING], thread_row->total_ns) :
			   text_copy(""));
	grid_add(grid,
		 has_log ? share_of(thread_row->class_ns[TIMELINE_RUNNABLE], thread_row->total_ns) :
			   text_copy(""));
	grid_add(grid, has_log ? share_of(waits_of(thread_row->class_ns), thread_row->total_ns) :
				 text_copy(""));
}

/* Spans by thread, for names of several threads, in the order of the table of spans. */
static void print_thread_rows(FILE *out, const struct timeline *timeline, const struct spans *spans,
			      const struct report_options *options)
{
	struct grid grid = {.columns = 8,
			    .heads = {"span", "<in thread", "count", "total", "self", "on CPU",
				      "runnable", "waiting"}};

	for (size_t i = 0; i < spans->rows.count; i++) {
		const struct spans_row *row = &spans->rows.items[i];
		const struct spans_thread_row *thread_rows =
			&spans->thread_rows.items[row->first_thread_row];
		for (size_t j = 0; j < row->threads && row->threads > 1; j++) {
			grid.all++;
			if (options->most && grid.shown == options->most)
				continue;
			grid.shown++;
			add_thread_row(&grid, timeline, &thread_rows[j]);
		}
	}
	if (grid.shown)
		grid_print(out, &grid, "Spans by thread", options);
}

/* The span with most of the thread's time, and its share. */
static char *main_span(const struct timeline *timeline, const struct spans *spans, size_t thread)
{
	const struct spans_thread_row *most = NULL;

	for (size_t i = 0; i < spans->thread_rows.count; i++) {
		const struct spans_thread_row *thread_row = &spans->thread_rows.items[i];
		if (thread_row->thread == thread && (!most || thread_row->self_ns > most->self_ns))
			most = thread_row;
	}
	if (!most)
		return text_copy("");
	AUTO(text) char *name = display_clean(timeline_name(timeline, most->name_id));
	AUTO(text) char *self = display_duration((double)most->self_ns);
	return text_format("%s %s", name, self);
}

static void print_threads(FILE *out, const struct timeline *timeline, const struct spans *spans,
			  const struct report_options *options)
{
	struct grid grid = {.columns = 9,
			    .heads = {"thread", "lived", "on CPU", "runnable", "I/O", "lock",
				      "other", "moves", "<most time in itself"}};

	for (size_t i = 0; i < timeline->threads.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		uint64_t lived = thread->end_ns - thread->start_ns;
		if (!thread->pid || (!thread->states.count && !thread->marks))
			continue;
		if (options->most && grid.shown == options->most) {
			grid.all++;
			continue;
		}
		grid.shown++;
		grid.all++;
		grid_add(&grid, timeline_thread_name(timeline, thread));
		grid_add(&grid, display_duration((double)lived));
		for (unsigned class = 0; class < TIMELINE_CLASSES; class ++)
			grid_add(&grid, timeline->has_scheduler ?
						share_of(thread->class_ns[class], lived) :
						text_copy(""));
		grid_add(&grid, display_count(thread->migrations));
		grid_add(&grid, main_span(timeline, spans, i));
	}
	grid_print(out, &grid, "Threads", options);
}

static void print_regions(FILE *out, const struct timeline *timeline, const struct spans *spans,
			  const struct report_options *options)
{
	struct grid grid = {.columns = 7,
			    .heads = {"parallel region", "rounds", "threads", "mean busy",
				      "busiest", "imbalance", "worst round"},
			    .shown = rows_of(spans->regions.count, options),
			    .all = spans->regions.count};

	if (!spans->regions.count)
		return;
	for (size_t i = 0; i < grid.shown; i++) {
		const struct region *region = &spans->regions.items[i];
		grid_add(&grid, display_clean(timeline_name(timeline, region->name_id)));
		grid_add(&grid, display_count(region->instances));
		grid_add(&grid, display_count(region->threads));
		grid_add(&grid, display_duration(region->mean_ns / (double)region->instances));
		grid_add(&grid, display_duration(region->max_ns / (double)region->instances));
		grid_add(&grid, text_format("%.1f %%", 100 * region->imbalance));
		grid_add(&grid, text_format("%.1f %%", 100 * region->worst));
	}
	grid_print(out, &grid, "Load", options);
}

static void print_cores(FILE *out, const struct timeline *timeline,
			const struct interrupts *interrupts, const struct report_options *options)
{
	struct grid grid = {.columns = interrupts->rows.count ? 6 : 5,
			    .heads = {"core", "busy", "utilisation", "entries", "migrations",
				      "in interrupts"},
			    .shown = rows_of(timeline->cores.count, options),
			    .all = timeline->cores.count};
	uint64_t all_ns = timeline->end_ns - timeline->start_ns;

	if (!timeline->has_scheduler)
		return;
	for (size_t i = 0; i < grid.shown; i++) {
		const struct timeline_core *core = &timeline->cores.items[i];
		AUTO(text) char *name = timeline_core_name(timeline, core->cpu);
		grid_add(&grid, display_clean(name));
		grid_add(&grid, display_duration((double)core->busy_ns));
		grid_add(&grid, share_of(core->busy_ns, all_ns));
		grid_add(&grid, display_count(core->entries));
		grid_add(&grid, display_count(core->migrations));
		if (grid.columns == 6)
			grid_add(&grid,
				 share_of(interrupts_of_core(interrupts, core->cpu), all_ns));
	}
	grid_print(out, &grid, "Cores, with threads of the program", options);
}

static void print_interrupts(FILE *out, const struct timeline *timeline,
			     const struct interrupts *interrupts,
			     const struct report_options *options)
{
	struct grid grid = {.columns = 7,
			    .heads = {"interrupt", "count", "total", "p50", "p99", "longest",
				      "most on"},
			    .shown = rows_of(interrupts->rows.count, options),
			    .all = interrupts->rows.count};

	if (!interrupts->rows.count)
		return;
	for (size_t i = 0; i < grid.shown; i++) {
		const struct interrupts_row *row = &interrupts->rows.items[i];
		AUTO(text) char *name = interrupts_name(timeline, row->number);
		grid_add(&grid, display_clean(name));
		grid_add(&grid, display_count(row->count));
		grid_add(&grid, display_duration((double)row->total_ns));
		grid_add(&grid, display_duration(row->durations.p50_ns));
		grid_add(&grid, display_duration(row->durations.p99_ns));
		grid_add(&grid, display_duration(row->durations.max_ns));
		AUTO(text) char *core = timeline_core_name(timeline, row->cpu);
		grid_add(&grid, display_clean(core));
	}
	grid_print(out, &grid, "Interrupts, of all cores", options);
}

static void print_flows(FILE *out, const struct timeline *timeline, const struct spans *spans,
			const struct report_options *options)
{
	struct grid grid = {.columns = 7,
			    .heads = {"flow", "count", "p50", "p95", "p99", "longest",
				      "no partner"},
			    .shown = rows_of(spans->flows.count, options),
			    .all = spans->flows.count};

	if (!spans->flows.count)
		return;
	for (size_t i = 0; i < grid.shown; i++) {
		const struct flow *flow = &spans->flows.items[i];
		grid_add(&grid, display_clean(timeline_name(timeline, flow->name_id)));
		grid_add(&grid, display_count(flow->count));
		grid_add(&grid, display_duration(flow->durations.p50_ns));
		grid_add(&grid, display_duration(flow->durations.p95_ns));
		grid_add(&grid, display_duration(flow->durations.p99_ns));
		grid_add(&grid, display_duration(flow->durations.max_ns));
		grid_add(&grid, display_count(flow->lost));
	}
	grid_print(out, &grid, "Flows from thread to thread", options);
}

static void print_waits(FILE *out, const struct timeline *timeline, const struct spans *spans,
			const struct report_options *options)
{
	size_t most = options->most && options->most < WAITS_SHOWN ? options->most : WAITS_SHOWN;
	struct grid grid = {.columns = 7,
			    .heads = {"wait of", "<in span", "from", "for", "<by", "<ended by",
				      "then runnable"}};

	grid.shown = grid.all = spans->waits.count < most ? spans->waits.count : most;
	if (!grid.shown)
		return;
	for (size_t i = 0; i < grid.shown; i++) {
		const struct spans_wait *wait = &spans->waits.items[i];
		const struct timeline_state *state = &wait->state;
		grid_add(&grid,
			 timeline_thread_name(timeline, &timeline->threads.items[wait->thread]));
		grid_add(&grid, wait->name_id ?
					display_clean(timeline_name(timeline, wait->name_id)) :
					text_copy(""));
		grid_add(&grid, display_duration((double)(state->start_ns - timeline->start_ns)));
		grid_add(&grid, display_duration((double)(state->end_ns - state->start_ns)));
		grid_add(&grid, timeline_wait_reason(timeline, state));
		grid_add(&grid, timeline_wait_end(timeline, state));
		grid_add(&grid, display_duration((double)wait->delay_ns));
	}
	grid_print(out, &grid, "Longest waits", options);
}

static void print_counters(FILE *out, const struct timeline *timeline, const struct spans *spans,
			   const struct report_options *options)
{
	struct grid grid = {.columns = 6,
			    .heads = {"counter", "values", "least", "mean", "most", "last"},
			    .shown = rows_of(spans->counters.count, options),
			    .all = spans->counters.count};

	if (!spans->counters.count)
		return;
	for (size_t i = 0; i < grid.shown; i++) {
		const struct spans_counter *counter = &spans->counters.items[i];
		grid_add(&grid, display_clean(timeline_name(timeline, counter->name_id)));
		grid_add(&grid, display_count(counter->count));
		grid_add(&grid, text_format("%.0f", counter->min));
		grid_add(&grid, text_format("%.1f", counter->mean));
		grid_add(&grid, text_format("%.0f", counter->max));
		grid_add(&grid, text_format("%.0f", counter->last));
	}
	grid_print(out, &grid, "Counters", options);
}

static char *clock_of(const struct timeline_host *host)
{
	AUTO(text) char *ahead = display_duration(fabs((double)host->ahead_ns));
	return text_format("%s %s", ahead, host->ahead_ns < 0 ? "behind" : "ahead");
}

/* The first host has the clock. */
static void print_hosts(FILE *out, const struct timeline *timeline,
			const struct report_options *options)
{
	struct grid grid = {.columns = 6,
			    .heads = {"host", "threads", "cores busy", "clock", "drift",
				      "known to"},
			    .shown = timeline->hosts.count,
			    .all = timeline->hosts.count};

	if (!timeline->hosts.count)
		return;
	for (size_t i = 0; i < grid.shown; i++) {
		const struct timeline_host *host = &timeline->hosts.items[i];
		AUTO(text) char *known = display_duration((double)host->uncertainty_ns);
		grid_add(&grid, display_clean(host->name));
		grid_add(&grid, display_count(host->threads));
		grid_add(&grid, timeline->has_scheduler ? text_format("%.2f", host->busy_cores) :
							  text_copy(""));
		grid_add(&grid, i ? clock_of(host) : text_copy("the timeline's"));
		grid_add(&grid, i ? text_format("%.1f ppm", 1e6 * host->drift) : text_copy(""));
		grid_add(&grid, i ? text_format("±%s", known) : text_copy(""));
	}
	AUTO(text)
	char *title = timeline->has_scheduler ?
			      text_format("Hosts: the busiest is %.0f %% above the mean",
					  100 * timeline->imbalance) :
			      text_copy("Hosts");
	grid_print(out, &grid, title, options);
}

static void print_path(FILE *out, const struct timeline *timeline,
		       const struct report_options *options)
{
	AUTO(path) struct path *path = path_new(timeline);
	struct grid grid = {.columns = 5,
			    .heads = {"thread", "of the path", "on CPU", "runnable", "waiting"},
			    .shown = rows_of(path->rows.count, options),
			    .all = path->rows.count};

	for (size_t i = 0; i < grid.shown; i++) {
		const struct path_row *row = &path->rows.items[i];
		grid_add(&grid,
			 timeline_thread_name(timeline, &timeline->threads.items[row->thread]));
		grid_add(&grid, share_of(row->all_ns, path->all_ns));
		grid_add(&grid, share_of(row->class_ns[TIMELINE_RUNNING], path->all_ns));
		grid_add(&grid, share_of(row->class_ns[TIMELINE_RUNNABLE], path->all_ns));
		grid_add(&grid, share_of(waits_of(row->class_ns), path->all_ns));
	}
	if (path->messages) {
		AUTO(text) char *count = display_count(path->messages);
		grid_add(&grid, text_format("%s messages between hosts", count));
		grid_add(&grid, share_of(path->message_ns, path->all_ns));
		for (unsigned i = 2; i < grid.columns; i++)
			grid_add(&grid, text_copy(""));
	}
	AUTO(text) char *length = display_duration((double)path->all_ns);
	AUTO(text) char *title = text_format("Critical path, %s", length);
	grid_print(out, &grid, title, options);
}

/* ---- the head ---- */

static void print_head(FILE *out, const struct recording *recording,
		       const struct timeline *timeline, const struct spans *spans,
		       const struct report_options *options)
{
	struct timeline_event_counts counts = timeline_event_counts(timeline);
	struct run_totals totals = run_totals_of(recording);
	struct warnings warnings = timeline_warnings(timeline, spans, &totals);
	AUTO(text)
	char *command = timeline->run->command ? display_command(timeline->run->command) :
						 text_copy("running processes");
	AUTO(text) char *fitted = display_fit(command, options->columns - strlen("Timeline of "));
	AUTO(text) char *marks = display_count(counts.marks);
	AUTO(text) char *switches = display_count(counts.scheduler);
	AUTO(text) char *lost = display_count(timeline->run->lost);

	totals.last = timeline->run;
	totals.runs = 1;
	totals.wall_ns = timeline->run->wall_ns ? timeline->run->wall_ns :
						  timeline->end_ns - timeline->start_ns;
	terminal_style(out, options, "1");
	fprintf(out, "Timeline of %s", fitted);
	terminal_style(out, options, NULL);
	fputc('\n', out);
	header_run(out, &totals, options);
	terminal_label(out, options, "events");
	fprintf(out, "%s annotations, %s switches and wake-ups, %s lost\n", marks, switches, lost);
	header_warnings(out, &warnings, options);
	warnings_release(&warnings);
	fputc('\n', out);
}

void report_timeline_text(FILE *out, const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct timeline *timeline = report->timeline;
	const struct report_options *options = &report->options;
	struct report_options layout = terminal_fit(options);

	if (!timeline->run) {
		terminal_wrapped(out, "No timeline in this file; record one with lever trace.", 0,
				 layout.columns);
		return;
	}
	AUTO(spans) struct spans *spans = spans_new(timeline);
	AUTO(interrupts) struct interrupts *interrupts = interrupts_new(timeline);
	print_head(out, recording, timeline, spans, &layout);
	print_hosts(out, timeline, &layout);
	if (timeline->hosts.count && timeline->has_scheduler)
		print_path(out, timeline, &layout);
	if (spans->rows.count)
		print_spans(out, timeline, spans, &layout);
	print_thread_rows(out, timeline, spans, &layout);
	print_regions(out, timeline, spans, &layout);
	print_threads(out, timeline, spans, &layout);
	print_flows(out, timeline, spans, &layout);
	print_counters(out, timeline, spans, &layout);
	print_cores(out, timeline, interrupts, &layout);
	print_interrupts(out, timeline, interrupts, &layout);
	print_waits(out, timeline, spans, &layout);
	terminal_style(out, &layout, "2");
	terminal_wrapped(
		out,
		"Shares are of the span's or thread's time. Imbalance is how much longer the "
		"busiest thread of a round works than the mean; balancing saves less than "
		"that of the round. For the timeline itself: lever report --format perfetto, "
		"or html.",
		0, layout.columns);
	terminal_style(out, &layout, NULL);
}
