/* SPDX-License-Identifier: BSD-2-Clause */
/* page - turns states into runs on cores and wake-ups, and writes the columns. */
#include "report/timeline/page.h"

#include "analyze/timeline/path.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "report/string_table.h"
#include "report/timeline/names.h"

#include <inttypes.h>
#include <string.h>

CLEANUP_DEFINE(path, struct path *, path_free, NULL)

#define LEFT_ENDED 6 /* after the numbers of enum sample_class */

struct run {
	uint64_t start_ns, end_ns;
	unsigned cpu, thread, left, system_call;
};

struct wake {
	uint64_t at_ns;
	unsigned waker, woken; /* waker: number + 1, or 0 */
};

/* An instant event, a value of a counter, or an end of a flow. */
struct point {
	uint64_t at_ns;
	int64_t value;
	unsigned thread, name_id;
	bool is_arrival; /* of a flow */
	bool has_value, is_text;
};

struct flow_pair {
	const struct point *out, *in;
};

struct writer {
	struct json_writer json;
	const struct timeline *timeline;
	struct interner texts;
	unsigned thread; /* of the current marks */
	ARRAY(struct run) runs;
	ARRAY(struct wake) wakes;
	ARRAY(struct timeline_span) spans; /* of one thread */
	ARRAY(uint64_t) rows;              /* end of the last span in each */
	ARRAY(struct point) instants;
	ARRAY(struct point) values; /* of counters */
	ARRAY(struct point) ends;   /* of flows */
	ARRAY(struct flow_pair) flows;
};

/* ---- collecting ---- */

static unsigned class_left(enum timeline_class class)
{
	static const unsigned classes[TIMELINE_CLASSES] = {
		[TIMELINE_RUNNING] = CLASS_RUNNABLE, /* migrated */
		[TIMELINE_RUNNABLE] = CLASS_RUNNABLE, [TIMELINE_IO] = CLASS_IO,
		[TIMELINE_LOCK] = CLASS_LOCK,         [TIMELINE_OTHER] = CLASS_OTHER,
	};
	return classes[class];
}

static void collect_runs(struct writer *writer, unsigned number)
{
	const struct timeline_thread *thread = &writer->timeline->threads.items[number];

	for (size_t i = 0; i < thread->states.count; i++) {
		const struct timeline_state *state = &thread->states.items[i];
		const struct timeline_state *next = i + 1 < thread->states.count ? state + 1 : NULL;
		if (state->class == TIMELINE_RUNNING)
			*array_add(&writer->runs) = (struct run){
				.start_ns = state->start_ns,
				.end_ns = state->end_ns,
				.cpu = state->cpu,
				.thread = number,
				.left = next ? class_left(next->class) : LEFT_ENDED,
				.system_call = next ? next->system_call : SWITCH_NO_CALL,
			};
		if (state->class < TIMELINE_IO || !next)
			continue;
		const struct timeline_thread *by =
			state->waker && !state->by_interrupt ?
				timeline_thread_of(writer->timeline, state->waker) :
				NULL;
		unsigned waker = by ? (unsigned)(by - writer->timeline->threads.items) + 1 : 0;
		*array_add(&writer->wakes) =
			(struct wake){.at_ns = state->end_ns, .waker = waker, .woken = number};
	}
}

static int by_core(const void *one, const void *other)
{
	const struct run *a = one, *b = other;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static int by_wake_time(const void *one, const void *other)
{
	const struct wake *a = one, *b = other;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->woken < b->woken ? -1 : a->woken > b->woken;
}

static int by_start(const void *one, const void *other)
{
	const struct timeline_span *a = one, *b = other;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns; /* outer spans first */
}

static int by_name_and_time(const void *one, const void *other)
{
	const struct point *a = one, *b = other;
	if (a->name_id != b->name_id)
		return a->name_id < b->name_id ? -1 : 1;
	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

static int by_point_time(const void *one, const void *other)
{
	const struct point *a = one, *b = other;
	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

/* By flow, then by time; an arrival at the time of its departure comes after it. */
static int by_flow(const void *one, const void *other)
{
	const struct point *a = one, *b = other;
	if (a->name_id != b->name_id)
		return a->name_id < b->name_id ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (int)a->is_arrival - (int)b->is_arrival;
}

static int by_departure(const void *one, const void *other)
{
	const struct point *a = ((const struct flow_pair *)one)->out;
	const struct point *b = ((const struct flow_pair *)other)->out;
	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

#define SORT(array, order)                                                                     \
	do {                                                                                   \
		if ((array)->count)                                                            \
			qsort((array)->items, (array)->count, sizeof(*(array)->items), order); \
	} while (0)

static void add_span(void *context, const struct timeline_span *span)
{
	struct writer *writer = context;
	*array_add(&writer->spans) = *span;
}

static void add_mark(void *context, const struct mark *mark)
{
	struct writer *writer = context;
	struct point point = {
		.at_ns = mark->time_ns,
		.value = (int64_t)mark->value,
		.thread = writer->thread,
		.name_id = mark->name_id,
		.is_arrival = mark->kind == MARK_FLOW_IN,
		.has_value = mark->has_value,
		.is_text = mark->is_text,
	};

	if (mark->kind == MARK_COUNTER)
		*array_add(&writer->values) = point;
	else if (mark->kind == MARK_INSTANT || mark->kind == MARK_PROGRESS)
		*array_add(&writer->instants) = point;
	else if (mark->kind == MARK_FLOW_OUT || mark->kind == MARK_FLOW_IN)
		*array_add(&writer->ends) = point;
}

/* An arrival belongs to the last departure before it with the same name and number. */
static void pair_flows(struct writer *writer)
{
	const struct point *out = NULL;

	SORT(&writer->ends, by_flow);
	for (size_t i = 0; i < writer->ends.count; i++) {
		const struct point *end = &writer->ends.items[i];
		if (!end->is_arrival)
			out = end;
		else if (out && out->name_id == end->name_id && out->value == end->value)
			*array_add(&writer->flows) = (struct flow_pair){out, end};
	}
	SORT(&writer->flows, by_departure);
}

/* ---- writing ---- */

static int64_t add_text(struct writer *writer, const char *text)
{
	return (int64_t)string_table_add(&writer->texts, text);
}

static int64_t add_name(struct writer *writer, uint64_t name_id)
{
	return add_text(writer, timeline_name(writer->timeline, name_id));
}

/* A column of the member `time` of the items, each as the difference to the one before. */
#define WRITE_TIMES(writer, key, items, count, time)                             \
	do {                                                                     \
		uint64_t before_ns = (writer)->timeline->start_ns;               \
		json_begin_array(&(writer)->json, key);                          \
		for (size_t i = 0; i < (count); i++) {                           \
			json_put_number(&(writer)->json, NULL,                   \
					(int64_t)((items)[i].time - before_ns)); \
			before_ns = (items)[i].time;                             \
		}                                                                \
		json_end_array(&(writer)->json);                                 \
	} while (0)

#define WRITE_COLUMN(writer, key, count, value) JSON_PUT_COLUMN(&(writer)->json, key, count, value)

static int64_t add_label(struct writer *writer, const struct timeline_thread *thread)
{
	AUTO(text) char *label = timeline_thread_label(writer->timeline, thread);
	return add_text(writer, label);
}

static void write_threads(struct writer *writer)
{
	const struct timeline_thread *threads = writer->timeline->threads.items;
	size_t count = writer->timeline->threads.count;

	json_begin_object(&writer->json, "threads");
	WRITE_COLUMN(writer, "pid", count, timeline_tid(threads[i].pid));
	WRITE_COLUMN(writer, "tid", count, timeline_tid(threads[i].tid));
	WRITE_COLUMN(writer, "name", count, add_label(writer, &threads[i]));
	json_end_object(&writer->json);
}

static int64_t add_call(struct writer *writer, unsigned system_call)
{
	return system_call == SWITCH_NO_CALL ?
		       0 :
		       add_text(writer, timeline_call(writer->timeline, system_call)) + 1;
}

static void write_core(struct writer *writer, const struct run *runs, size_t count)
{
	json_begin_object(&writer->json, NULL);
	AUTO(text) char *name = timeline_core_name(writer->timeline, runs->cpu);

	json_put_number(&writer->json, "cpu", runs->cpu);
	if (writer->timeline->hosts.count)
		json_put_text(&writer->json, "name", name);
	WRITE_TIMES(writer, "start", runs, count, start_ns);
	WRITE_COLUMN(writer, "length", count, runs[i].end_ns - runs[i].start_ns);
	WRITE_COLUMN(writer, "thread", count, runs[i].thread);
	WRITE_COLUMN(writer, "left", count, runs[i].left);
	WRITE_COLUMN(writer, "call", count, add_call(writer, runs[i].system_call));
	json_end_object(&writer->json);
}

static void write_cores(struct writer *writer)
{
	const struct run *runs = writer->runs.items;

	SORT(&writer->runs, by_core);
	json_begin_array(&writer->json, "cores");
	for (size_t first = 0, end; first < writer->runs.count; first = end) {
		for (end = first; end < writer->runs.count && runs[end].cpu == runs[first].cpu;)
			end++;
		write_core(writer, runs + first, end - first);
	}
	json_end_array(&writer->json);
}

static void write_wakes(struct writer *writer)
{
	const struct wake *wakes = writer->wakes.items;
	size_t count = writer->wakes.count;

	SORT(&writer->wakes, by_wake_time);
	json_begin_object(&writer->json, "wakes");
	WRITE_TIMES(writer, "at", wakes, count, at_ns);
	WRITE_COLUMN(writer, "waker", count, wakes[i].waker);
	WRITE_COLUMN(writer, "woken", count, wakes[i].woken);
	json_end_object(&writer->json);
}

/* The first row without an overlap; for nested spans that is their depth. */
static size_t take_row(struct writer *writer, const struct timeline_span *span)
{
	size_t row = 0;
	while (row < writer->rows.count && writer->rows.items[row] > span->start_ns)
		row++;
	if (row == writer->rows.count)
		*array_add(&writer->rows) = span->end_ns;
	writer->rows.items[row] = span->end_ns;
	return row;
}

static void write_value(struct json_writer *json, uint64_t value)
{
	char text[24];

	if (value <= INT64_MAX >> 10) {
		json_put_number(json, NULL, (int64_t)value);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64, value); /* may be too large for a JSON number */
	json_put_text(json, NULL, text);
}

static void write_argument(struct writer *writer, bool has_value, bool is_text, uint64_t value)
{
	struct json_writer *json = &writer->json;

	if (!has_value)
		json_put_null(json, NULL);
	else if (is_text)
		json_put_text(json, NULL, timeline_name(writer->timeline, value));
	else
		write_value(json, value);
}

/* Of spans, or of instant events. */
#define WRITE_ARGUMENTS(writer, items, count)                                            \
	do {                                                                             \
		json_begin_array(&(writer)->json, "argument");                           \
		for (size_t i = 0; i < (count); i++)                                     \
			write_argument(writer, (items)[i].has_value, (items)[i].is_text, \
				       (uint64_t)(items)[i].value);                      \
		json_end_array(&(writer)->json);                                         \
	} while (0)

static void write_thread_spans(struct writer *writer)
{
	const struct timeline_span *spans = writer->spans.items;
	size_t count = writer->spans.count;

	SORT(&writer->spans, by_start);
	writer->rows.count = 0;
	json_begin_object(&writer->json, NULL);
	json_put_number(&writer->json, "thread", writer->thread);
	WRITE_TIMES(writer, "start", spans, count, start_ns);
	WRITE_COLUMN(writer, "length", count, spans[i].end_ns - spans[i].start_ns);
	WRITE_COLUMN(writer, "name", count, add_name(writer, spans[i].name_id));
	WRITE_COLUMN(writer, "depth", count, take_row(writer, &spans[i]));
	WRITE_ARGUMENTS(writer, spans, count);
	json_end_object(&writer->json);
}

static void write_spans(struct writer *writer)
{
	struct timeline_visitor visitor = {.context = writer, .end = add_span, .mark = add_mark};

	json_begin_array(&writer->json, "spans");
	for (unsigned i = 0; i < writer->timeline->threads.count; i++) {
		const struct timeline_thread *thread = &writer->timeline->threads.items[i];
		if (!thread->marks)
			continue;
		writer->thread = i;
		writer->spans.count = 0;
		timeline_walk(writer->timeline, thread, &visitor);
		if (!writer->spans.count)
			continue;
		write_thread_spans(writer);
	}
	json_end_array(&writer->json);
}

static void write_instants(struct writer *writer)
{
	const struct point *points = writer->instants.items;
	size_t count = writer->instants.count;

	SORT(&writer->instants, by_point_time);
	json_begin_object(&writer->json, "instants");
	WRITE_TIMES(writer, "at", points, count, at_ns);
	WRITE_COLUMN(writer, "thread", count, points[i].thread);
	WRITE_COLUMN(writer, "name", count, add_name(writer, points[i].name_id));
	WRITE_ARGUMENTS(writer, points, count);
	json_end_object(&writer->json);
}

static void write_counters(struct writer *writer)
{
	const struct point *values = writer->values.items;

	SORT(&writer->values, by_name_and_time);
	json_begin_array(&writer->json, "counters");
	for (size_t first = 0, end; first < writer->values.count; first = end) {
		for (end = first;
		     end < writer->values.count && values[end].name_id == values[first].name_id;)
			end++;
		const struct point *own = values + first;
		json_begin_object(&writer->json, NULL);
		json_put_number(&writer->json, "name", add_name(writer, own->name_id));
		WRITE_TIMES(writer, "at", own, end - first, at_ns);
		WRITE_COLUMN(writer, "value", end - first, own[i].value);
		json_end_object(&writer->json);
	}
	json_end_array(&writer->json);
}

static void write_flows(struct writer *writer)
{
	struct json_writer *json = &writer->json;
	const struct flow_pair *flows = writer->flows.items;
	size_t count = writer->flows.count;

	json_begin_object(json, "flows");
	WRITE_TIMES(writer, "at", flows, count, out->at_ns);
	WRITE_COLUMN(writer, "length", count, flows[i].in->at_ns - flows[i].out->at_ns);
	WRITE_COLUMN(writer, "from", count, flows[i].out->thread);
	WRITE_COLUMN(writer, "to", count, flows[i].in->thread);
	WRITE_COLUMN(writer, "name", count, add_name(writer, flows[i].out->name_id));
	json_begin_array(json, "id");
	for (size_t i = 0; i < count; i++)
		write_value(json, (uint64_t)flows[i].out->value);
	json_end_array(json);
	json_end_object(json);
}

static void write_path(struct writer *writer)
{
	AUTO(path) struct path *path = path_new(writer->timeline);
	ARRAY(struct path_segment) parts = {0};

	for (size_t i = path->segments.count; i; i--)
		*array_add(&parts) = path->segments.items[i - 1];
	json_begin_object(&writer->json, "path");
	WRITE_TIMES(writer, "start", parts.items, parts.count, start_ns);
	WRITE_COLUMN(writer, "length", parts.count,
		     parts.items[i].end_ns - parts.items[i].start_ns);
	WRITE_COLUMN(writer, "thread", parts.count, parts.items[i].thread);
	json_end_object(&writer->json);
	array_free(&parts);
}

void timeline_page_write(FILE *out, const struct timeline *timeline)
{
	struct writer writer = {.json.out = out, .timeline = timeline};
	char start[24]; /* may be too large for a JSON number */

	for (unsigned i = 0; i < timeline->threads.count; i++)
		collect_runs(&writer, i);
	json_begin_object(&writer.json, NULL);
	snprintf(start, sizeof(start), "%" PRIu64, timeline->start_ns);
	json_put_text(&writer.json, "start_ns", start);
	json_put_number(&writer.json, "duration_ns",
			(int64_t)(timeline->end_ns - timeline->start_ns));
	write_threads(&writer);
	write_cores(&writer);
	write_wakes(&writer);
	write_spans(&writer);
	write_instants(&writer);
	write_counters(&writer);
	pair_flows(&writer);
	write_flows(&writer);
	if (timeline->hosts.count && timeline->has_scheduler)
		write_path(&writer);
	string_table_write(&writer.json, "texts", &writer.texts);
	json_end_object(&writer.json);
	interner_clear(&writer.texts);
	array_free(&writer.runs);
	array_free(&writer.wakes);
	array_free(&writer.spans);
	array_free(&writer.rows);
	array_free(&writer.instants);
	array_free(&writer.values);
	array_free(&writer.ends);
	array_free(&writer.flows);
}
