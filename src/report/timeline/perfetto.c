/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto - a timeline for Perfetto: a protobuf file of packets.
 *
 * Field numbers are those of Perfetto's protos/perfetto/trace. Threads and their spans are tracks
 * of track events. The scheduler's log is written as ftrace events, of which Perfetto makes its
 * tracks of cores and thread states. Each core also has a track of the spans that ran on it.
 */
#include "report/formats.h"

#include "analyze/timeline/cores.h"
#include "analyze/timeline/interrupts.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "report/display.h"
#include "report/protobuf.h"
#include "report/timeline/names.h"

#include <string.h>

CLEANUP_DEFINE(cores, struct cores *, cores_free, NULL)

enum {
	TRACE_PACKET = 1,
	PACKET_FTRACE = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_CLOCK = 58,
	PACKET_TRACK = 60,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	EVENT_ARGUMENT = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,
	ARGUMENT_NUMBER = 3,
	ARGUMENT_TEXT = 6,
	ARGUMENT_NAME = 10,

	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	FTRACE_TIMESTAMP = 1,
	FTRACE_PID = 2,
	FTRACE_SWITCH = 4,
	FTRACE_WAKING = 20,
	SWITCH_PREVIOUS_COMM = 1,
	SWITCH_PREVIOUS_PID = 2,
	SWITCH_PREVIOUS_PRIORITY = 3,
	SWITCH_PREVIOUS_STATE = 4,
	SWITCH_NEXT_COMM = 5,
	SWITCH_NEXT_PID = 6,
	SWITCH_NEXT_PRIORITY = 7,
	WAKING_COMM = 1,
	WAKING_PID = 2,
	WAKING_PRIORITY = 3,
	WAKING_SUCCESS = 4,
	WAKING_CPU = 5,

	TREE_PROCESS = 1,
	TREE_THREAD = 2,
	TREE_PROCESS_PID = 1,
	TREE_PROCESS_COMMAND = 3,
	TREE_THREAD_TID = 1,
	TREE_THREAD_NAME = 2,
	TREE_THREAD_PID = 3,
};

#define CLOCK_MONOTONIC_ID 3
#define SEQUENCE 1
#define PRIORITY 120 /* the default; the log has none */
#define STATE_PREEMPTED 0
/* First numbers of tracks, far enough from each other. */
#define UUID_THREAD (1ull << 40)
#define UUID_PROCESS (2ull << 40)
#define UUID_CORE (3ull << 40)
#define UUID_CORES (4ull << 40)
#define UUID_COUNTER (5ull << 40)
#define UUID_INTERRUPTS (6ull << 40)

struct writer {
	FILE *out;
	const struct timeline *timeline;
	const struct timeline_thread *thread;
	size_t index;
	char **names;      /* of names, valid UTF-8 */
	bool *has_counter; /* names with a counter track, in this process */
	struct protobuf packet, part, slice, leaf;
};

static void packet_begin(struct writer *writer, uint64_t time_ns)
{
	protobuf_clear(&writer->packet);
	if (time_ns) {
		protobuf_add_number(&writer->packet, PACKET_TIMESTAMP, time_ns);
		protobuf_add_number(&writer->packet, PACKET_CLOCK, CLOCK_MONOTONIC_ID);
	}
	protobuf_add_number(&writer->packet, PACKET_SEQUENCE, SEQUENCE);
}

static void packet_end(struct writer *writer, unsigned field, const struct protobuf *part)
{
	protobuf_add_message(&writer->packet, field, part);
	protobuf_write(writer->out, TRACE_PACKET, &writer->packet);
}

static const char *name_of(const struct writer *writer, uint64_t name_id)
{
	return name_id < writer->timeline->name_count && writer->names[name_id] ?
		       writer->names[name_id] :
		       "?";
}

/* ---- descriptions ---- */

static void write_track(struct writer *writer, uint64_t uuid, uint64_t parent, const char *name)
{
	packet_begin(writer, 0);
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, TRACK_UUID, uuid);
	if (parent)
		protobuf_add_number(&writer->part, TRACK_PARENT, parent);
	protobuf_add_text(&writer->part, TRACK_NAME, name);
	packet_end(writer, PACKET_TRACK, &writer->part);
}

static char *label_of(const struct writer *writer, const struct timeline_thread *thread)
{
	AUTO(text) char *name = timeline_thread_label(writer->timeline, thread);
	return utf8_valid(name);
}

static void write_thread(struct writer *writer, const struct timeline_thread *thread, size_t index)
{
	AUTO(text) char *name = label_of(writer, thread);

	packet_begin(writer, 0);
	protobuf_clear(&writer->slice);
	protobuf_add_number(&writer->slice, THREAD_PID, thread->pid);
	protobuf_add_number(&writer->slice, THREAD_TID, thread->tid);
	protobuf_add_text(&writer->slice, THREAD_NAME, name);
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, TRACK_UUID, UUID_THREAD + index);
	protobuf_add_message(&writer->part, TRACK_THREAD, &writer->slice);
	packet_end(writer, PACKET_TRACK, &writer->part);
}

static void write_process(struct writer *writer, const struct timeline_thread *leader)
{
	AUTO(text) char *name = label_of(writer, leader);

	packet_begin(writer, 0);
	protobuf_clear(&writer->slice);
	protobuf_add_number(&writer->slice, PROCESS_PID, leader->pid);
	protobuf_add_text(&writer->slice, PROCESS_NAME, name);
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, TRACK_UUID, UUID_PROCESS + leader->pid);
	protobuf_add_message(&writer->part, TRACK_PROCESS, &writer->slice);
	packet_end(writer, PACKET_TRACK, &writer->part);
}

/* The process of each thread, for the tracks that Perfetto makes. */
static void write_tree(struct writer *writer)
{
	const struct timeline *timeline = writer->timeline;

	packet_begin(writer, timeline->start_ns);
	protobuf_clear(&writer->part);
	for (size_t i = 0; i < timeline->threads.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		AUTO(text) char *name = label_of(writer, thread);
		if (!thread->pid)
			continue;
		protobuf_clear(&writer->slice);
		if (thread->pid == thread->tid) {
			protobuf_add_number(&writer->slice, TREE_PROCESS_PID, thread->pid);
			protobuf_add_text(&writer->slice, TREE_PROCESS_COMMAND, name);
			protobuf_add_message(&writer->part, TREE_PROCESS, &writer->slice);
		} else {
			protobuf_add_number(&writer->slice, TREE_THREAD_TID, thread->tid);
			protobuf_add_text(&writer->slice, TREE_THREAD_NAME, name);
			protobuf_add_number(&writer->slice, TREE_THREAD_PID, thread->pid);
			protobuf_add_message(&writer->part, TREE_THREAD, &writer->slice);
		}
	}
	packet_end(writer, PACKET_PROCESS_TREE, &writer->part);
}

static void write_descriptions(struct writer *writer)
{
	const struct timeline *timeline = writer->timeline;

	write_tree(writer);
	for (size_t i = 0; i < timeline->threads.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		if (thread->pid && thread->pid == thread->tid)
			write_process(writer, thread);
		if (thread->pid)
			write_thread(writer, thread, i);
	}
	if (!timeline->cores.count)
		return;
	write_track(writer, UUID_CORES, 0, "Spans by core");
	for (size_t i = 0; i < timeline->cores.count; i++) {
		AUTO(text)
		char *name = timeline_core_name(timeline, timeline->cores.items[i].cpu);
		write_track(writer, UUID_CORE + timeline->cores.items[i].cpu, UUID_CORES, name);
	}
}

/* ---- events ---- */

static void event_begin(struct writer *writer, unsigned type, uint64_t track, const char *name)
{
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, EVENT_TYPE, type);
	protobuf_add_number(&writer->part, EVENT_TRACK, track);
	if (name)
		protobuf_add_text(&writer->part, EVENT_NAME, name);
}

static void event_end(struct writer *writer, uint64_t time_ns)
{
	packet_begin(writer, time_ns);
	packet_end(writer, PACKET_EVENT, &writer->part);
}

static void add_argument(struct writer *writer, uint64_t value, bool is_text)
{
	protobuf_clear(&writer->slice);
	protobuf_add_text(&writer->slice, ARGUMENT_NAME, is_text ? "text" : "value");
	if (is_text)
		protobuf_add_text(&writer->slice, ARGUMENT_TEXT, name_of(writer, value));
	else
		protobuf_add_number(&writer->slice, ARGUMENT_NUMBER, value);
	protobuf_add_message(&writer->part, EVENT_ARGUMENT, &writer->slice);
}

static void on_begin(void *context, const struct timeline_span *span)
{
	struct writer *writer = context;

	event_begin(writer, TYPE_BEGIN, UUID_THREAD + writer->index,
		    name_of(writer, span->name_id));
	if (span->has_value)
		add_argument(writer, span->value, span->is_text);
	event_end(writer, span->start_ns);
}

static void on_end(void *context, const struct timeline_span *span)
{
	struct writer *writer = context;

	event_begin(writer, TYPE_END, UUID_THREAD + writer->index, NULL);
	event_end(writer, span->end_ns);
}

static void write_counter(struct writer *writer, const struct mark *mark)
{
	uint64_t uuid = UUID_COUNTER + ((uint64_t)writer->thread->pid << 16) + mark->name_id;

	if (mark->name_id < writer->timeline->name_count && !writer->has_counter[mark->name_id]) {
		writer->has_counter[mark->name_id] = true;
		packet_begin(writer, 0);
		protobuf_clear(&writer->part);
		protobuf_clear(&writer->slice);
		protobuf_add_number(&writer->part, TRACK_UUID, uuid);
		protobuf_add_number(&writer->part, TRACK_PARENT,
				    UUID_PROCESS + writer->thread->pid);
		protobuf_add_text(&writer->part, TRACK_NAME, name_of(writer, mark->name_id));
		protobuf_add_message(&writer->part, TRACK_COUNTER, &writer->slice);
		packet_end(writer, PACKET_TRACK, &writer->part);
	}
	event_begin(writer, TYPE_COUNTER, uuid, NULL);
	protobuf_add_number(&writer->part, EVENT_COUNTER_VALUE, mark->value);
	event_end(writer, mark->time_ns);
}

/* Perfetto's flows have no names: equal numbers of two names must differ. */
static uint64_t flow_number(const struct mark *mark)
{
	return mark->value ^ (uint64_t)mark->name_id << 48;
}

static void on_mark(void *context, const struct mark *mark)
{
	struct writer *writer = context;

	if (mark->kind == MARK_COUNTER) {
		write_counter(writer, mark);
		return;
	}
	if (mark->kind >= MARK_THREAD_NAME)
		return;
	event_begin(writer, TYPE_INSTANT, UUID_THREAD + writer->index,
		    name_of(writer, mark->name_id));
	if (mark->kind == MARK_FLOW_OUT)
		protobuf_add_fixed(&writer->part, EVENT_FLOW, flow_number(mark));
	else if (mark->kind == MARK_FLOW_IN)
		protobuf_add_fixed(&writer->part, EVENT_FLOW_END, flow_number(mark));
	if (mark->has_value)
		add_argument(writer, mark->value, mark->is_text);
	event_end(writer, mark->time_ns);
}

static void write_threads(struct writer *writer)
{
	struct timeline_visitor visitor = {.context = writer,
					   .begin = on_begin,
					   .end = on_end,
					   .mark = on_mark};
	unsigned pid = 0;

	for (writer->index = 0; writer->index < writer->timeline->threads.count; writer->index++) {
		writer->thread = &writer->timeline->threads.items[writer->index];
		if (writer->thread->pid != pid)
			memset(writer->has_counter, 0, writer->timeline->name_count);
		pid = writer->thread->pid;
		if (writer->thread->marks)
			timeline_walk(writer->timeline, writer->thread, &visitor);
	}
}

/* ---- interrupts ---- */

/* A finished slice; Perfetto sorts by time. */
static void on_interrupt(void *context, const struct interrupts_slice *slice)
{
	struct writer *writer = context;
	AUTO(text) char *name = interrupts_name(writer->timeline, slice->number);
	uint64_t track = UUID_INTERRUPTS + slice->cpu;

	event_begin(writer, TYPE_BEGIN, track, name);
	event_end(writer, slice->start_ns);
	event_begin(writer, TYPE_END, track, NULL);
	event_end(writer, slice->end_ns);
}

static void write_interrupts(struct writer *writer)
{
	struct interrupts *interrupts = interrupts_new(writer->timeline);

	for (size_t i = 0; i < interrupts->cores.count; i++) {
		unsigned cpu = interrupts->cores.items[i].cpu;
		AUTO(text) char *core = timeline_core_name(writer->timeline, cpu);
		AUTO(text) char *name = text_format("interrupts of %s", core);
		write_track(writer, UUID_INTERRUPTS + cpu, UUID_CORES, name);
	}
	interrupts_free(interrupts);
	interrupts_walk(writer->timeline, on_interrupt, writer);
}

/* ---- cores ---- */

static void write_cores(struct writer *writer)
{
	AUTO(cores) struct cores *cores = cores_new(writer->timeline);

	for (size_t i = 0; i < cores->count; i++) {
		const struct cores_slice *slice = &cores->items[i];
		const struct timeline_thread *thread =
			&writer->timeline->threads.items[slice->thread];
		AUTO(text) char *thread_name = utf8_valid(thread->name ? thread->name : "?");
		event_begin(writer, TYPE_BEGIN, UUID_CORE + slice->cpu,
			    slice->name_id ? name_of(writer, slice->name_id) : thread_name);
		protobuf_clear(&writer->slice);
		protobuf_add_text(&writer->slice, ARGUMENT_NAME, "tid");
		protobuf_add_number(&writer->slice, ARGUMENT_NUMBER, thread->tid);
		protobuf_add_message(&writer->part, EVENT_ARGUMENT, &writer->slice);
		event_end(writer, slice->start_ns);
		event_begin(writer, TYPE_END, UUID_CORE + slice->cpu, NULL);
		event_end(writer, slice->end_ns);
	}
}

static char *comm_of(const struct timeline *timeline, unsigned tid)
{
	const struct timeline_thread *thread = tid ? timeline_thread_of(timeline, tid) : NULL;

	if (!tid)
		return text_copy("swapper");
	return utf8_valid(thread && thread->name ? thread->name : "?");
}

static void add_switch(struct writer *writer, const struct switch_event *event)
{
	AUTO(text) char *previous = comm_of(writer->timeline, event->tid);
	AUTO(text) char *next = comm_of(writer->timeline, event->other);
	bool stays = event->flags & SWITCH_PREEMPTED || !event->tid;

	protobuf_clear(&writer->leaf);
	protobuf_add_text(&writer->leaf, SWITCH_PREVIOUS_COMM, previous);
	protobuf_add_number(&writer->leaf, SWITCH_PREVIOUS_PID, event->tid);
	protobuf_add_number(&writer->leaf, SWITCH_PREVIOUS_PRIORITY, PRIORITY);
	protobuf_add_number(&writer->leaf, SWITCH_PREVIOUS_STATE,
			    stays ? STATE_PREEMPTED : event->state);
	protobuf_add_text(&writer->leaf, SWITCH_NEXT_COMM, next);
	protobuf_add_number(&writer->leaf, SWITCH_NEXT_PID, event->other);
	protobuf_add_number(&writer->leaf, SWITCH_NEXT_PRIORITY, PRIORITY);
	protobuf_add_message(&writer->slice, FTRACE_SWITCH, &writer->leaf);
}

static void add_waking(struct writer *writer, const struct switch_event *event, unsigned cpu)
{
	AUTO(text) char *name = comm_of(writer->timeline, event->tid);

	protobuf_clear(&writer->leaf);
	protobuf_add_text(&writer->leaf, WAKING_COMM, name);
	protobuf_add_number(&writer->leaf, WAKING_PID, event->tid);
	protobuf_add_number(&writer->leaf, WAKING_PRIORITY, PRIORITY);
	protobuf_add_number(&writer->leaf, WAKING_SUCCESS, 1);
	protobuf_add_number(&writer->leaf, WAKING_CPU, cpu);
	protobuf_add_message(&writer->slice, FTRACE_WAKING, &writer->leaf);
}

static void write_bundle(struct writer *writer, const struct recording_chunk *chunk)
{
	struct chunk_reader reader;
	struct switch_event event;

	if (!chunk_open(&reader, chunk->data.items, chunk->data.count, chunk->start_ns))
		return;
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, BUNDLE_CPU, chunk->cpu);
	while (chunk_next_switch(&reader, &event)) {
		bool is_switch = event.kind == SWITCH_SWITCH;
		protobuf_clear(&writer->slice);
		protobuf_add_number(&writer->slice, FTRACE_TIMESTAMP, event.time_ns);
		protobuf_add_number(&writer->slice, FTRACE_PID,
				    is_switch ? event.tid : event.other);
		if (is_switch)
			add_switch(writer, &event);
		else
			add_waking(writer, &event, chunk->cpu);
		protobuf_add_message(&writer->part, BUNDLE_EVENT, &writer->slice);
	}
	chunk_close(&reader);
	packet_begin(writer, 0);
	packet_end(writer, PACKET_FTRACE, &writer->part);
}

void report_timeline_perfetto(FILE *out, const struct report *report)
{
	const struct timeline *timeline = report->timeline;
	struct writer writer = {.out = out, .timeline = timeline};
	const struct recording *recording = timeline->recording;

	if (!timeline->run)
		return;
	writer.names = memory_new(timeline->name_count + 1, sizeof(*writer.names));
	writer.has_counter = memory_new(timeline->name_count + 1, sizeof(bool));
	for (size_t i = 0; i < timeline->name_count; i++)
		writer.names[i] = utf8_valid(timeline->names[i]);
	write_descriptions(&writer);
	write_threads(&writer);
	if (timeline->has_scheduler)
		write_cores(&writer);
	write_interrupts(&writer);
	for (size_t i = 0; i < recording->chunks.count; i++)
		if (recording->chunks.items[i].run_id == timeline->run->id &&
		    recording->chunks.items[i].kind == CHUNK_SCHEDULER)
			write_bundle(&writer, &recording->chunks.items[i]);
	for (size_t i = 0; i < timeline->name_count; i++)
		free(writer.names[i]);
	free(writer.names);
	free(writer.has_counter);
	protobuf_release(&writer.packet);
	protobuf_release(&writer.part);
	protobuf_release(&writer.slice);
	protobuf_release(&writer.leaf);
}
