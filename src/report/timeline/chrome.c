/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * chrome - a timeline as trace events, for chrome://tracing, Perfetto and Speedscope.
 *
 * Times are in microseconds. Cores are threads of process 0, which no program has.
 */
#include "report/formats.h"

#include "analyze/timeline/cores.h"
#include "analyze/timeline/interrupts.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "report/timeline/names.h"

#include <inttypes.h>

#define CORES_PID 0
#define INTERRUPTS_TID 100000 /* of core N: this + N, beside the cores */
#define TIME_DIGITS 3

CLEANUP_DEFINE(cores, struct cores *, cores_free, NULL)

struct events {
	struct json_writer json;
	const struct timeline *timeline;
	const struct timeline_thread *thread;
};

static double microseconds(uint64_t duration_ns)
{
	return (double)(int64_t)duration_ns / 1e3;
}

static void event_begin(struct events *events, const char *phase, const char *name,
			uint64_t time_ns)
{
	struct json_writer *json = &events->json;

	json_break_line(json);
	json_begin_object(json, NULL);
	json_put_text(json, "ph", phase);
	json_put_text(json, "name", name ? name : "?");
	json_put_real(json, "ts", microseconds(time_ns - events->timeline->start_ns), TIME_DIGITS);
}

static void event_end(struct events *events, unsigned pid, unsigned tid)
{
	json_put_number(&events->json, "pid", pid);
	json_put_number(&events->json, "tid", tid);
	json_end_object(&events->json);
}

static void add_duration(struct events *events, uint64_t start_ns, uint64_t end_ns)
{
	json_put_real(&events->json, "dur", microseconds(end_ns - start_ns), TIME_DIGITS);
}

static void add_argument(struct events *events, uint64_t value, bool is_text)
{
	struct json_writer *json = &events->json;

	json_begin_object(json, "args");
	if (is_text)
		json_put_text(json, "text", timeline_name(events->timeline, value));
	else
		json_put_unsigned(json, "value", value);
	json_end_object(json);
}

static void on_end(void *context, const struct timeline_span *span)
{
	struct events *events = context;

	event_begin(events, "X", timeline_name(events->timeline, span->name_id), span->start_ns);
	add_duration(events, span->start_ns, span->end_ns);
	if (span->has_value)
		add_argument(events, span->value, span->is_text);
	event_end(events, events->thread->pid, events->thread->tid);
}

static void add_flow(struct events *events, uint64_t id)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIx64, id); /* 64 bits are too many for JavaScript */
	json_put_text(&events->json, "cat", "flow");
	json_put_text(&events->json, "bp", "e");
	json_put_text(&events->json, "id", text);
}

static void add_count(struct events *events, int64_t value)
{
	json_begin_object(&events->json, "args");
	json_put_number(&events->json, "value", value);
	json_end_object(&events->json);
}

static void on_mark(void *context, const struct mark *mark)
{
	static const char *const phases[] = {
		[MARK_PROGRESS] = "i", [MARK_BEGIN] = "i",   [MARK_END] = "i",
		[MARK_INSTANT] = "i",  [MARK_COUNTER] = "C", [MARK_FLOW_OUT] = "s",
		[MARK_FLOW_IN] = "f",
	};
	struct events *events = context;

	if (mark->kind >= MARK_THREAD_NAME)
		return;
	event_begin(events, phases[mark->kind], timeline_name(events->timeline, mark->name_id),
		    mark->time_ns);
	if (mark->kind == MARK_COUNTER) {
		add_count(events, (int64_t)mark->value);
	} else if (mark->kind == MARK_FLOW_OUT || mark->kind == MARK_FLOW_IN) {
		add_flow(events, mark->value);
	} else {
		json_put_text(&events->json, "s", "t");
		if (mark->has_value)
			add_argument(events, mark->value, mark->is_text);
	}
	event_end(events, events->thread->pid, events->thread->tid);
}

/* Names a thread or a process. */
static void describe(struct events *events, const char *what, const char *name, unsigned pid,
		     unsigned tid)
{
	struct json_writer *json = &events->json;

	event_begin(events, "M", what, events->timeline->start_ns);
	json_begin_object(json, "args");
	json_put_text(json, "name", name ? name : "?");
	json_end_object(json);
	event_end(events, pid, tid);
}

static void write_slice(struct events *events, const struct cores_slice *slice)
{
	const struct timeline_thread *thread = &events->timeline->threads.items[slice->thread];
	struct json_writer *json = &events->json;

	event_begin(events, "X",
		    slice->name_id ? timeline_name(events->timeline, slice->name_id) : thread->name,
		    slice->start_ns);
	add_duration(events, slice->start_ns, slice->end_ns);
	json_begin_object(json, "args");
	json_put_number(json, "tid", thread->tid);
	json_put_text(json, "thread", thread->name ? thread->name : "?");
	json_end_object(json);
	event_end(events, CORES_PID, slice->cpu);
}

static void write_cores(struct events *events)
{
	AUTO(cores) struct cores *cores = cores_new(events->timeline);

	describe(events, "process_name", "cores", CORES_PID, 0);
	for (size_t i = 0; i < events->timeline->cores.count; i++) {
		unsigned cpu = events->timeline->cores.items[i].cpu;
		AUTO(text) char *name = timeline_core_name(events->timeline, cpu);
		describe(events, "thread_name", name, CORES_PID, cpu);
	}
	for (size_t i = 0; i < cores->count; i++)
		write_slice(events, &cores->items[i]);
}

static void on_interrupt(void *context, const struct interrupts_slice *slice)
{
	struct events *events = context;
	AUTO(text) char *name = interrupts_name(events->timeline, slice->number);

	event_begin(events, "X", name, slice->start_ns);
	add_duration(events, slice->start_ns, slice->end_ns);
	json_begin_object(&events->json, "args");
	json_put_number(&events->json, "tid", slice->tid);
	json_end_object(&events->json);
	event_end(events, CORES_PID, INTERRUPTS_TID + slice->cpu);
}

static void write_interrupts(struct events *events)
{
	struct interrupts *interrupts = interrupts_new(events->timeline);

	for (size_t i = 0; i < interrupts->cores.count; i++) {
		unsigned cpu = interrupts->cores.items[i].cpu;
		AUTO(text) char *core = timeline_core_name(events->timeline, cpu);
		AUTO(text) char *name = text_format("interrupts of %s", core);
		describe(events, "thread_name", name, CORES_PID, INTERRUPTS_TID + cpu);
	}
	interrupts_free(interrupts);
	interrupts_walk(events->timeline, on_interrupt, events);
}

static void write_threads(struct events *events)
{
	const struct timeline *timeline = events->timeline;
	struct timeline_visitor visitor = {.context = events, .end = on_end, .mark = on_mark};

	for (size_t i = 0; i < timeline->threads.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		AUTO(text) char *name = timeline_thread_label(timeline, thread);
		if (thread->pid)
			describe(events, "thread_name", name, thread->pid, thread->tid);
		if (thread->pid && thread->pid == thread->tid)
			describe(events, "process_name", name, thread->pid, thread->tid);
	}
	for (size_t i = 0; i < timeline->threads.count; i++) {
		events->thread = &timeline->threads.items[i];
		if (events->thread->marks)
			timeline_walk(timeline, events->thread, &visitor);
	}
}

void report_timeline_chrome(FILE *out, const struct report *report)
{
	struct events events = {.json.out = out, .timeline = report->timeline};
	struct json_writer *json = &events.json;

	json_begin_object(json, NULL);
	json_put_text(json, "displayTimeUnit", "ns");
	json_begin_array(json, "traceEvents");
	if (report->timeline->run) {
		write_threads(&events);
		if (report->timeline->has_scheduler)
			write_cores(&events);
		write_interrupts(&events);
	}
	json_end_array(json);
	json_end_object(json);
	fputc('\n', out);
}
