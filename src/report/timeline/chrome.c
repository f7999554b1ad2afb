/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline_events - a timeline event by event: CSV, a row for each span; and Chrome's JSON, which
 * chrome://tracing, Perfetto and Speedscope open.
 */
#include "analyze/timeline/cores.h"
#include "analyze/timeline/interrupts.h"
#include "base/cleanup.h"
#include "report/display.h"
#include "report/json.h"
#include "report/report.h"

#include <inttypes.h>
#include <string.h>

CLEANUP_DEFINE(cores, struct cores *, cores_free, NULL)

struct events {
	FILE *out;
	const struct timeline *timeline;
	const struct timeline_thread *thread;
	char **names; /* of names, quoted */
	char *thread_name;
	bool has_one; /* event written, so a comma comes before the next */
};

/* As JSON quotes it. */
static char *quote_json(const char *text)
{
	json_t *json = json_text(text ? text : "?");
	char *quoted = json_dumps(json, JSON_ENCODE_ANY);
	json_decref(json);
	return quoted;
}

/* As CSV (RFC 4180) quotes it; what a spreadsheet would take for a formula gets an apostrophe. */
static char *quote_csv(const char *text)
{
	AUTO(text) char *valid = display_utf8(text ? text : "?");
	size_t length = strlen(valid), at = 0;
	char *quoted = memory_new(2 * length + 4, 1);

	quoted[at++] = '"';
	if (*valid && strchr("=+-@\t\r", *valid))
		quoted[at++] = '\'';
	for (const char *letter = valid; *letter; letter++) {
		if (*letter == '"')
			quoted[at++] = '"';
		quoted[at++] = *letter;
	}
	quoted[at++] = '"';
	return quoted;
}

static void open_names(struct events *events, char *(*quote)(const char *))
{
	const struct timeline *timeline = events->timeline;

	events->names = memory_new(timeline->name_count + 1, sizeof(*events->names));
	for (size_t i = 0; i < timeline->name_count; i++)
		events->names[i] = quote(timeline_name(timeline, i));
}

static void close_names(struct events *events)
{
	for (size_t i = 0; i < events->timeline->name_count; i++)
		free(events->names[i]);
	free(events->names);
}

static const char *name_of(const struct events *events, uint64_t name_id)
{
	return name_id < events->timeline->name_count ? events->names[name_id] : "\"?\"";
}

static void walk_all(struct events *events, const struct timeline_visitor *visitor,
		     char *(*quote)(const char *))
{
	for (size_t i = 0; i < events->timeline->threads.count; i++) {
		events->thread = &events->timeline->threads.items[i];
		if (!events->thread->marks)
			continue;
		events->thread_name = quote(events->thread->name);
		timeline_walk(events->timeline, events->thread, visitor);
		free(events->thread_name);
	}
}

/* ---- CSV ---- */

static void csv_span(void *context, const struct timeline_span *span)
{
	struct events *events = context;
	FILE *out = events->out;

	fprintf(out, "%u,%u,%s,%s,", events->thread->pid, events->thread->tid, events->thread_name,
		name_of(events, span->name_id));
	if (span->has_value && span->is_text)
		fputs(name_of(events, span->value), out);
	else if (span->has_value)
		fprintf(out, "%" PRIu64, span->value);
	fprintf(out, ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64, span->depth,
		span->start_ns - events->timeline->start_ns, span->end_ns - span->start_ns,
		span->self_ns);
	for (unsigned class = 0; class < TIMELINE_CLASSES; class ++)
		if (events->timeline->has_scheduler)
			fprintf(out, ",%" PRIu64, span->class_ns[class]);
		else
			fputc(',', out);
	fprintf(out, ",%d\n", span->is_cut);
}

void report_timeline_csv(FILE *out, const struct timeline *timeline)
{
	struct events events = {.out = out, .timeline = timeline};
	struct timeline_visitor visitor = {.context = &events, .end = csv_span};

	fputs("pid,tid,thread,span,value,depth,start_ns,duration_ns,self_ns,running_ns,runnable_ns,"
	      "io_ns,lock_ns,other_ns,cut\n",
	      out);
	if (!timeline->run)
		return;
	open_names(&events, quote_csv);
	walk_all(&events, &visitor, quote_csv);
	close_names(&events);
}

/* ---- Chrome's JSON; times are microseconds ---- */

static double time_of(const struct events *events, uint64_t time_ns)
{
	return (double)(int64_t)(time_ns - events->timeline->start_ns) / 1e3;
}

static void event_begin(struct events *events, const char *phase, const char *name,
			uint64_t time_ns)
{
	fprintf(events->out, "%s\n{\"ph\":\"%s\",\"name\":%s,\"ts\":%.3f",
		events->has_one ? "," : "", phase, name, time_of(events, time_ns));
	events->has_one = true;
}

static void event_end(struct events *events, unsigned pid, unsigned tid)
{
	fprintf(events->out, ",\"pid\":%u,\"tid\":%u}", pid, tid);
}

static void add_argument(struct events *events, uint64_t value, bool is_text)
{
	if (is_text)
		fprintf(events->out, ",\"args\":{\"text\":%s}", name_of(events, value));
	else
		fprintf(events->out, ",\"args\":{\"value\":%" PRIu64 "}", value);
}

static void chrome_span(void *context, const struct timeline_span *span)
{
	struct events *events = context;

	event_begin(events, "X", name_of(events, span->name_id), span->start_ns);
	fprintf(events->out, ",\"dur\":%.3f", (double)(span->end_ns - span->start_ns) / 1e3);
	if (span->has_value)
		add_argument(events, span->value, span->is_text);
	event_end(events, events->thread->pid, events->thread->tid);
}

static void chrome_mark(void *context, const struct mark *mark)
{
	static const char *const phases[] = {
		[MARK_PROGRESS] = "i", [MARK_BEGIN] = "i",   [MARK_END] = "i",
		[MARK_INSTANT] = "i",  [MARK_COUNTER] = "C", [MARK_FLOW_OUT] = "s",
		[MARK_FLOW_IN] = "f",
	};
	struct events *events = context;

	if (mark->kind >= MARK_THREAD_NAME)
		return;
	event_begin(events, phases[mark->kind], name_of(events, mark->name_id), mark->time_ns);
	if (mark->kind == MARK_COUNTER)
		fprintf(events->out, ",\"args\":{\"value\":%" PRId64 "}", (int64_t)mark->value);
	else if (mark->kind == MARK_FLOW_OUT || mark->kind == MARK_FLOW_IN)
		fprintf(events->out, ",\"cat\":\"flow\",\"bp\":\"e\",\"id\":\"%" PRIx64 "\"",
			mark->value); /* a number of 64 bits is none in JavaScript */
	else
		fputs(",\"s\":\"t\"", events->out);
	if (mark->has_value && mark->kind <= MARK_INSTANT)
		add_argument(events, mark->value, mark->is_text);
	event_end(events, events->thread->pid, events->thread->tid);
}

static void describe(struct events *events, const char *what, const char *name, unsigned pid,
		     unsigned tid)
{
	AUTO(text) char *quoted = quote_json(what);

	event_begin(events, "M", quoted, events->timeline->start_ns);
	fprintf(events->out, ",\"args\":{\"name\":%s}", name);
	event_end(events, pid, tid);
}

/* Cores are threads of a process 0, which no program has. */
static void chrome_cores(struct events *events)
{
	AUTO(cores) struct cores *cores = cores_new(events->timeline);

	describe(events, "process_name", "\"cores\"", 0, 0);
	for (size_t i = 0; i < events->timeline->cores.count; i++) {
		AUTO(text)
		char *name = text_format("\"core %u\"", events->timeline->cores.items[i].cpu);
		describe(events, "thread_name", name, 0, events->timeline->cores.items[i].cpu);
	}
	for (size_t i = 0; i < cores->count; i++) {
		const struct cores_slice *slice = &cores->items[i];
		const struct timeline_thread *thread =
			&events->timeline->threads.items[slice->thread];
		AUTO(text) char *name = quote_json(thread->name);
		event_begin(events, "X", slice->name_id ? name_of(events, slice->name_id) : name,
			    slice->start_ns);
		fprintf(events->out, ",\"dur\":%.3f,\"args\":{\"tid\":%u,\"thread\":%s}",
			(double)(slice->end_ns - slice->start_ns) / 1e3, thread->tid, name);
		event_end(events, 0, slice->cpu);
	}
}

#define CHROME_INTERRUPTS 100000 /* of core N: this + N, beside the cores */

static void chrome_interrupt(void *context, const struct interrupts_slice *slice)
{
	struct events *events = context;
	AUTO(text) char *name = interrupts_name(events->timeline, slice->number);
	AUTO(text) char *quoted = quote_json(name);

	event_begin(events, "X", quoted, slice->start_ns);
	fprintf(events->out, ",\"dur\":%.3f,\"args\":{\"tid\":%u}",
		(double)(slice->end_ns - slice->start_ns) / 1e3, slice->tid);
	event_end(events, 0, CHROME_INTERRUPTS + slice->cpu);
}

static void chrome_interrupts(struct events *events)
{
	struct interrupts *interrupts = interrupts_new(events->timeline);

	for (size_t i = 0; i < interrupts->cores.count; i++) {
		unsigned cpu = interrupts->cores.items[i].cpu;
		AUTO(text) char *name = text_format("\"interrupts of core %u\"", cpu);
		describe(events, "thread_name", name, 0, CHROME_INTERRUPTS + cpu);
	}
	interrupts_free(interrupts);
	interrupts_walk(events->timeline, chrome_interrupt, events);
}

void report_timeline_chrome(FILE *out, const struct timeline *timeline)
{
	struct events events = {.out = out, .timeline = timeline};
	struct timeline_visitor visitor = {.context = &events,
					   .end = chrome_span,
					   .mark = chrome_mark};

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	if (timeline->run) {
		open_names(&events, quote_json);
		for (size_t i = 0; i < timeline->threads.count; i++) {
			const struct timeline_thread *thread = &timeline->threads.items[i];
			AUTO(text) char *name = quote_json(thread->name);
			if (thread->pid)
				describe(&events, "thread_name", name, thread->pid, thread->tid);
			if (thread->pid && thread->pid == thread->tid)
				describe(&events, "process_name", name, thread->pid, thread->tid);
		}
		walk_all(&events, &visitor, quote_json);
		if (timeline->has_scheduler)
			chrome_cores(&events);
		chrome_interrupts(&events);
		close_names(&events);
	}
	fputs("\n]}\n", out);
}
