/* SPDX-License-Identifier: BSD-2-Clause */
/* spans - adds up marks and waits of all threads. */
#include "analyze/timeline/spans.h"

#include "analyze/timeline/flows.h"
#include "analyze/timeline/regions.h"

#include <string.h>

/* Sums of one name. */
struct sum {
	size_t row;        /* 1 + index */
	size_t thread_row; /* 1 + index, of the current thread */
	struct histogram durations;
};

struct adder {
	const struct timeline *timeline;
	struct spans *spans;
	struct regions *regions;
	struct flows *flows;
	struct sum *sums; /* by name_id */
	size_t thread;
};

static void add_classes(uint64_t *to, const uint64_t *more)
{
	for (unsigned i = 0; i < TIMELINE_CLASSES; i++)
		to[i] += more[i];
}

static struct spans_thread_row *find_or_add_thread_row(struct adder *adder, unsigned name_id)
{
	struct spans *spans = adder->spans;
	struct sum *sum = &adder->sums[name_id];

	if (!sum->row) {
		array_add(&spans->rows)->name_id = name_id;
		sum->row = spans->rows.count;
	}
	if (sum->thread_row)
		return &spans->thread_rows.items[sum->thread_row - 1];
	struct spans_thread_row *thread_row = array_add(&spans->thread_rows);
	sum->thread_row = spans->thread_rows.count;
	thread_row->name_id = name_id;
	thread_row->thread = adder->thread;
	spans->rows.items[sum->row - 1].threads++;
	return thread_row;
}

static void on_end(void *context, const struct timeline_span *span)
{
	struct adder *adder = context;
	struct spans_thread_row *thread_row = find_or_add_thread_row(adder, span->name_id);
	struct spans_row *row = &adder->spans->rows.items[adder->sums[span->name_id].row - 1];
	uint64_t duration_ns = span->end_ns - span->start_ns;

	row->count++;
	row->cut += span->is_cut;
	row->total_ns += duration_ns;
	row->self_ns += span->self_ns;
	add_classes(row->class_ns, span->class_ns);
	thread_row->count++;
	thread_row->total_ns += duration_ns;
	thread_row->self_ns += span->self_ns;
	add_classes(thread_row->class_ns, span->class_ns);
	histogram_add(&adder->sums[span->name_id].durations, duration_ns);
	regions_add(adder->regions, adder->thread, span);
}

static void on_mark(void *context, const struct mark *mark)
{
	struct adder *adder = context;
	struct spans_counter *counter = NULL;
	double value = (double)(int64_t)mark->value;

	if (mark->kind == MARK_FLOW_OUT || mark->kind == MARK_FLOW_IN)
		flows_add(adder->flows, mark);
	if (mark->kind != MARK_COUNTER)
		return;
	for (size_t i = 0; i < adder->spans->counters.count && !counter; i++)
		if (adder->spans->counters.items[i].name_id == mark->name_id)
			counter = &adder->spans->counters.items[i];
	if (!counter) {
		counter = array_add(&adder->spans->counters);
		*counter = (struct spans_counter){.name_id = mark->name_id,
						  .min = value,
						  .max = value};
	}
	counter->min = value < counter->min ? value : counter->min;
	counter->max = value > counter->max ? value : counter->max;
	counter->last = value;
	counter->mean += (value - counter->mean) / (double)++counter->count;
}

static void on_end_mark(void *context, unsigned name_id, bool has_begin)
{
	struct adder *adder = context;

	(void)name_id;
	adder->spans->unmatched_ends += !has_begin;
}

/* Keeps the longest waits. */
static void on_wait(void *context, const struct timeline_state *wait, unsigned name_id)
{
	struct adder *adder = context;
	struct spans *spans = adder->spans;
	struct spans_wait *shortest = spans->waits.items;

	if (spans->waits.count < SPANS_WAITS) {
		shortest = array_add(&spans->waits);
	} else {
		for (size_t i = 1; i < spans->waits.count; i++) {
			const struct timeline_state *other = &spans->waits.items[i].state;
			if (other->end_ns - other->start_ns <
			    shortest->state.end_ns - shortest->state.start_ns)
				shortest = &spans->waits.items[i];
		}
		if (wait->end_ns - wait->start_ns <=
		    shortest->state.end_ns - shortest->state.start_ns)
			return;
	}
	const struct timeline_thread *thread = &adder->timeline->threads.items[adder->thread];
	const struct timeline_state *last = &thread->states.items[thread->states.count - 1];
	const struct timeline_state *next = wait < last ? wait + 1 : NULL;
	*shortest =
		(struct spans_wait){.thread = adder->thread, .name_id = name_id, .state = *wait};
	if (next && next->class == TIMELINE_RUNNABLE)
		shortest->delay_ns = next->end_ns - next->start_ns;
}

/* ---- putting in order ---- */

static int by_length(const void *left, const void *right)
{
	const struct timeline_state *a = &((const struct spans_wait *)left)->state;
	const struct timeline_state *b = &((const struct spans_wait *)right)->state;
	uint64_t a_ns = a->end_ns - a->start_ns, b_ns = b->end_ns - b->start_ns;

	if (a_ns != b_ns)
		return a_ns > b_ns ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static int by_total(const void *left, const void *right)
{
	const struct spans_row *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->name_id < b->name_id ? -1 : a->name_id > b->name_id;
}

static int by_thread_row_total(const void *left, const void *right)
{
	const struct spans_thread_row *a = left, *b = right;

	if (a->name_id != b->name_id)
		return a->name_id < b->name_id ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static void set_percentiles(struct adder *adder)
{
	for (size_t i = 0; i < adder->spans->rows.count; i++) {
		struct spans_row *row = &adder->spans->rows.items[i];
		row->durations = percentiles_of(&adder->sums[row->name_id].durations);
	}
}

/* When thread_rows are sorted, and rows are not yet. */
static void set_first_thread_rows(struct adder *adder)
{
	struct spans *spans = adder->spans;

	for (size_t i = spans->thread_rows.count; i-- > 0;) {
		size_t row = adder->sums[spans->thread_rows.items[i].name_id].row - 1;
		spans->rows.items[row].first_thread_row = i;
	}
}

#define SORT(array, compare)                                                                     \
	do {                                                                                     \
		if ((array)->count)                                                              \
			qsort((array)->items, (array)->count, sizeof(*(array)->items), compare); \
	} while (0)

struct spans *spans_new(const struct timeline *timeline)
{
	struct spans *spans = memory_new(1, sizeof(*spans));
	struct adder adder = {.timeline = timeline, .spans = spans};
	struct timeline_visitor visitor = {.context = &adder,
					   .end = on_end,
					   .end_mark = on_end_mark,
					   .mark = on_mark,
					   .wait = on_wait};

	adder.sums = memory_new(timeline->name_count + 1, sizeof(*adder.sums));
	adder.regions = regions_new(timeline);
	adder.flows = flows_new();
	for (; adder.thread < timeline->threads.count; adder.thread++) {
		for (size_t i = 0; i < spans->rows.count; i++)
			adder.sums[spans->rows.items[i].name_id].thread_row = 0;
		timeline_walk(timeline, &timeline->threads.items[adder.thread], &visitor);
	}
	set_percentiles(&adder);
	spans->regions_left_out = regions_find(adder.regions, &spans->regions);
	spans->flows_left_out = flows_find(adder.flows, &spans->flows);
	SORT(&spans->thread_rows, by_thread_row_total);
	set_first_thread_rows(&adder);
	SORT(&spans->rows, by_total);
	SORT(&spans->waits, by_length);
	for (size_t i = 0; i < timeline->name_count; i++)
		histogram_release(&adder.sums[i].durations);
	regions_free(adder.regions);
	flows_free(adder.flows);
	free(adder.sums);
	return spans;
}

void spans_free(struct spans *spans)
{
	if (!spans)
		return;
	array_free(&spans->rows);
	array_free(&spans->thread_rows);
	array_free(&spans->regions);
	array_free(&spans->waits);
	array_free(&spans->counters);
	array_free(&spans->flows);
	free(spans);
}
