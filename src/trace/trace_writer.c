/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_writer - a chunk_writer for each core and thread, and the names that their events use. */
#include "trace/trace_writer.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "symbolize/kernel/system_calls.h"
#include "trace/location_names.h"
#include "trace/mark_names.h"
#include "trace/trace_marker.h"
#include "wire/annotations.h"

#include <errno.h>
#include <string.h>

#define CHUNK_EVENTS 32768
#define CALLS_MOST 4096 /* system calls; BPF takes larger numbers for none */
#define INTERRUPTS_MOST RECORDING_STRING_INTERRUPTS_MOST

struct track {
	enum chunk_kind kind;
	unsigned cpu, pid, tid; /* cpu of CHUNK_MARKS: RECORDING_MARKS_* */
	uint64_t lost, lost_written;
	struct chunk_writer chunk_writer;
	ARRAY(unsigned) open; /* words of open spans of trace_marker */
};

struct trace_writer {
	struct profile *profile;
	int64_t run_id;
	uint64_t keep_ns;
	const struct annotation_reader *annotations;
	struct track cores[SCHEDULER_RINGS_MOST];
	struct track tasks, interrupts;
	ARRAY(struct track) threads; /* with marks */
	size_t last_thread;
	unsigned long long named[WIRE_PIDS_MOST / 64]; /* a bit for each task id */
	struct mark_names *mark_names; /* of marks that do not come through lever.h */
	size_t names_written;
	struct location_names *location_names; /* NULL: no name had a location */
	bool is_name_written[ANNOTATIONS_NAMES];
	bool is_interrupt_seen[INTERRUPTS_MOST], has_new_interrupt;
	bool is_call_seen[CALLS_MOST], is_call_written[CALLS_MOST];
	ARRAY(struct recording_chunk) kept;
	size_t kept_from; /* the ones before are freed */
	struct trace_writer_totals totals;
	struct error error; /* the first one in a function that returns none */
};

struct trace_writer *trace_writer_new(struct profile *profile, int64_t run_id, uint64_t keep_ns,
				      const struct annotation_reader *annotations)
{
	struct trace_writer *writer = memory_new(1, sizeof(*writer));

	writer->profile = profile;
	writer->run_id = run_id;
	writer->keep_ns = keep_ns;
	writer->annotations = annotations;
	writer->mark_names = mark_names_new();
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		writer->cores[cpu].cpu = cpu;
	writer->tasks.kind = CHUNK_TASKS;
	writer->interrupts.kind = CHUNK_INTERRUPTS;
	return writer;
}

void trace_writer_free(struct trace_writer *writer)
{
	if (!writer)
		return;
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		chunk_writer_release(&writer->cores[cpu].chunk_writer);
	chunk_writer_release(&writer->tasks.chunk_writer);
	chunk_writer_release(&writer->interrupts.chunk_writer);
	for (size_t i = 0; i < writer->threads.count; i++) {
		chunk_writer_release(&writer->threads.items[i].chunk_writer);
		array_free(&writer->threads.items[i].open);
	}
	array_free(&writer->threads);
	mark_names_free(writer->mark_names);
	location_names_free(writer->location_names);
	for (size_t i = writer->kept_from; i < writer->kept.count; i++)
		free(writer->kept.items[i].data.items);
	array_free(&writer->kept);
	free(writer);
}

/* ---- events ---- */

static bool set_named(struct trace_writer *writer, unsigned tid)
{
	unsigned id = tid & (WIRE_PIDS_MOST - 1);
	bool was = writer->named[id / 64] >> (id & 63) & 1;

	writer->named[id / 64] |= 1ull << (id & 63);
	return was;
}

static void add_name(struct trace_writer *writer, unsigned pid, unsigned tid)
{
	struct task_event event = {.time_ns = clock_now_ns(),
				   .kind = TASK_NAME,
				   .pid = pid,
				   .tid = tid};
	AUTO(text) char *path = text_format("/proc/%u/comm", tid);
	AUTO(file) FILE *file = fopen(path, "re");

	if (!file || !fgets(event.name, sizeof(event.name), file))
		return;
	event.name[strcspn(event.name, "\n")] = 0;
	chunk_writer_add_task(&writer->tasks.chunk_writer, &event);
	writer->totals.tasks++;
}

void trace_writer_name_task(struct trace_writer *writer, unsigned pid, unsigned tid)
{
	if (tid && !set_named(writer, tid))
		add_name(writer, pid, tid);
}

void trace_writer_on_scheduler(void *context, unsigned cpu, const struct scheduler_event *events,
			       size_t count)
{
	struct trace_writer *writer = context;
	struct chunk_writer *chunk_writer =
		&writer->cores[cpu & (SCHEDULER_RINGS_MOST - 1)].chunk_writer;

	for (size_t i = 0; i < count; i++) {
		const struct scheduler_event *event = &events[i];
		struct switch_event packed = {
			.time_ns = event->time_ns,
			.tid = event->tid,
			.other = event->other,
			.system_call = event->system_call,
			.kind = event->kind,
			.flags = event->flags,
			.state = event->state,
		};
		chunk_writer_add_switch(chunk_writer, &packed);
		if (event->system_call < CALLS_MOST)
			writer->is_call_seen[event->system_call] = true;
		if (event->kind == SCHEDULER_WAKE)
			writer->totals.wakes++;
		else
			writer->totals.switches++;
		if (!(event->flags & SCHEDULER_OTHER_OURS))
			trace_writer_name_task(writer, 0, event->other);
		if (!(event->flags & SCHEDULER_TID_OURS))
			trace_writer_name_task(writer, 0, event->tid);
	}
}

void trace_writer_on_task(void *context, const struct scheduler_task_event *event)
{
	static const unsigned kinds[] = {
		[SCHEDULER_EVENT_FORK - SCHEDULER_EVENT_FORK] = TASK_FORK,
		[SCHEDULER_EVENT_EXIT - SCHEDULER_EVENT_FORK] = TASK_EXIT,
		[SCHEDULER_EVENT_EXEC - SCHEDULER_EVENT_FORK] = TASK_EXEC,
		[SCHEDULER_EVENT_NAME - SCHEDULER_EVENT_FORK] = TASK_NAME,
	};
	struct trace_writer *writer = context;
	struct task_event packed = {.time_ns = event->time_ns,
				    .tid = event->tid,
				    .pid = event->tgid,
				    .parent = event->parent};

	if (event->kind < SCHEDULER_EVENT_FORK || event->kind > SCHEDULER_EVENT_NAME)
		return;
	packed.kind = kinds[event->kind - SCHEDULER_EVENT_FORK];
	memcpy(packed.name, event->name, sizeof(packed.name));
	chunk_writer_add_task(&writer->tasks.chunk_writer, &packed);
	set_named(writer, event->tid);
	writer->totals.tasks++;
	for (size_t i = 0; event->kind == SCHEDULER_EVENT_FORK && i < writer->threads.count; i++)
		if (writer->threads.items[i].tid == event->tid)
			writer->threads.items[i].open.count = 0;
}

void trace_writer_on_interrupt(void *context, const struct scheduler_interrupt_event *event)
{
	struct trace_writer *writer = context;
	struct interrupt_event packed = {
		.time_ns = event->time_ns,
		.cpu = event->cpu,
		.tid = event->tid,
		.number = event->number,
		.is_entry = event->kind == SCHEDULER_EVENT_INTERRUPT_ENTRY,
	};
	chunk_writer_add_interrupt(&writer->interrupts.chunk_writer, &packed);
	if (event->number < INTERRUPTS_MOST && !writer->is_interrupt_seen[event->number])
		writer->is_interrupt_seen[event->number] = writer->has_new_interrupt = true;
	writer->totals.interrupts++;
}

/* Begins with the last batch's track, which is mostly right. `source`: RECORDING_MARKS_*. */
static struct track *thread_track(struct trace_writer *writer, unsigned source, unsigned pid,
				  unsigned tid)
{
	size_t count = writer->threads.count;

	for (size_t i = 0; i < count; i++) {
		size_t at = (writer->last_thread + i) % count;
		struct track *track = &writer->threads.items[at];
		if (track->tid == tid && track->pid == pid && track->cpu == source) {
			writer->last_thread = at;
			return track;
		}
	}
	struct track *track = array_add(&writer->threads);
	track->kind = CHUNK_MARKS;
	track->cpu = source;
	track->pid = pid;
	track->tid = tid;
	trace_writer_name_task(writer, pid, tid);
	return track;
}

/* A flight recording discards old marks; a task's name is kept, cut to the length of TASK_NAME. */
static void preserve_name(struct trace_writer *writer, const struct track *track,
			  const struct mark *mark)
{
	bool is_process = mark->kind == MARK_PROCESS_NAME;
	bool is_other = mark->kind == MARK_THREAD_NAME && mark->has_value;
	struct task_event event = {
		.time_ns = clock_now_ns(), /* after that of add_name */
		.kind = TASK_NAME,
		.pid = track->pid,
		.tid = is_process ? track->pid :
		       is_other   ? (unsigned)mark->value :
				    track->tid,
	};
	AUTO(text)
	char *text = annotation_reader_string_copy(writer->annotations, mark->name_id - 1);

	if (!text)
		return;
	memcpy(event.name, text, strnlen(text, sizeof(event.name) - 1));
	chunk_writer_add_task(&writer->tasks.chunk_writer, &event);
	writer->totals.tasks++;
}

void trace_writer_on_marks(void *context, const struct annotation_batch *batch)
{
	struct trace_writer *writer = context;
	struct track *track = thread_track(writer, RECORDING_MARKS_PROGRAM, batch->pid, batch->tid);

	for (size_t i = 0; i < batch->count; i++) {
		const struct annotation *item = &batch->items[i];
		struct mark mark = {
			.time_ns = item->time_ns,
			.value = item->value,
			.name_id = item->word + 1,
			.kind = item->kind,
			.has_value = item->has_value,
			.is_text = item->is_text,
		};
		chunk_writer_add_mark(&track->chunk_writer, &mark);
		if (writer->keep_ns &&
		    (mark.kind == MARK_THREAD_NAME || mark.kind == MARK_PROCESS_NAME))
			preserve_name(writer, track, &mark);
	}
	track->lost += batch->dropped;
	writer->totals.marks += batch->count;
}

static void add_mark(struct trace_writer *writer, struct track *track, const struct mark *mark)
{
	writer->totals.other_names += mark->name_id == MARK_NAMES_OTHER;
	chunk_writer_add_mark(&track->chunk_writer, mark);
	writer->totals.marks++;
}

/* Makes a program's flow ids different from those of other names and processes. */
static uint64_t flow_id(unsigned pid, unsigned name_id, uint64_t id)
{
	return (uint64_t)pid << 42 ^ (uint64_t)name_id << 26 ^ (id & 0x3ffffff);
}

void trace_writer_on_text(void *context, const struct scheduler_text_event *event)
{
	struct trace_writer *writer = context;
	struct track *track = thread_track(writer, RECORDING_MARKS_KERNEL, event->tgid, event->tid);
	struct mark mark = {.time_ns = event->time_ns};
	struct trace_marker trace_marker;
	size_t size = event->size < sizeof(event->text) ? event->size : sizeof(event->text);

	if (!trace_marker_parse(event->text, size, &trace_marker))
		return;
	mark.kind = (unsigned char)trace_marker.kind;
	if (trace_marker.name)
		mark.name_id = mark_names_id(writer->mark_names, trace_marker.name,
					     trace_marker.name_length);
	else if (track->open.count)
		mark.name_id = track->open.items[--track->open.count];
	else
		mark.name_id = mark_names_id(writer->mark_names, "(unknown)", strlen("(unknown)"));
	if (trace_marker.kind == MARK_BEGIN)
		*array_add(&track->open) = mark.name_id;
	mark.has_value = trace_marker.kind == MARK_COUNTER || trace_marker.kind == MARK_FLOW_OUT ||
			 trace_marker.kind == MARK_FLOW_IN;
	mark.value = trace_marker.kind == MARK_COUNTER || !mark.has_value ?
			     trace_marker.value :
			     flow_id(event->tgid, mark.name_id, trace_marker.value);
	add_mark(writer, track, &mark);
}

void trace_writer_on_probe(struct trace_writer *writer, const struct scheduler_probe_event *event,
			   enum mark_kind kind, const char *name)
{
	struct mark mark = {
		.time_ns = event->time_ns,
		.kind = (unsigned char)kind,
		.name_id = mark_names_id(writer->mark_names, name, strlen(name)),
	};
	add_mark(writer, thread_track(writer, RECORDING_MARKS_KERNEL, event->tgid, event->tid),
		 &mark);
}

void trace_writer_on_message(void *context, const struct scheduler_message_event *event)
{
	struct trace_writer *writer = context;
	bool is_sent = event->kind == SCHEDULER_EVENT_SENT;
	struct mark mark = {
		.time_ns = event->time_ns,
		.kind = is_sent ? MARK_FLOW_OUT : MARK_FLOW_IN,
		.name_id = mark_names_id(writer->mark_names, CHUNK_MESSAGE_NAME,
					 strlen(CHUNK_MESSAGE_NAME)),
		.has_value = true,
		.value = event->id,
	};
	add_mark(writer, thread_track(writer, RECORDING_MARKS_KERNEL, event->tgid, event->tid),
		 &mark);
}

void trace_writer_set_lost(struct trace_writer *writer, unsigned cpu, uint64_t lost)
{
	writer->cores[cpu & (SCHEDULER_RINGS_MOST - 1)].lost = lost;
}

/* ---- writing ---- */

static int write_calls(struct trace_writer *writer, struct error *error)
{
	int code = 0;

	for (unsigned i = 0; i < CALLS_MOST && !code; i++) {
		if (!writer->is_call_seen[i] || writer->is_call_written[i])
			continue;
		writer->is_call_written[i] = true;
		const char *name = system_call_name((int)i);
		AUTO(text) char *text = name ? text_copy(name) : text_format("system call %u", i);
		struct recording_string word = {
			.run_id = writer->run_id,
			.number = RECORDING_STRING_SYSTEM_CALLS + i,
			.text = text,
		};
		code = profile_add_string(writer->profile, &word, error);
	}
	return code;
}

/* A line of /proc/interrupts ends with the device: " 10: 1 2 IO-APIC 10-edge virtio0". */
static int write_interrupt(struct trace_writer *writer, char *line, struct error *error)
{
	char *end;
	unsigned long number = strtoul(line, &end, 10);

	line[strcspn(line, "\n")] = 0;
	char *name = strrchr(line, ' ');
	if (end == line || *end != ':' || !name || !name[1] || number >= INTERRUPTS_MOST ||
	    !writer->is_interrupt_seen[number])
		return 0;
	struct recording_string word = {
		.run_id = writer->run_id,
		.number = RECORDING_STRING_INTERRUPTS + (unsigned)number,
		.text = name + 1,
	};
	return profile_add_string(writer->profile, &word, error);
}

static int write_interrupts(struct trace_writer *writer, struct error *error)
{
	AUTO(file) FILE *file = fopen("/proc/interrupts", "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;
	int code = 0;

	while (file && !code && getline(&line, &room, file) > 0)
		code = write_interrupt(writer, line, error);
	writer->has_new_interrupt = false;
	return code;
}

/* The name with a source line instead of an address; NULL: it has none. */
static char *resolved_name(struct trace_writer *writer, const char *text)
{
	if (!strstr(text, " at /"))
		return NULL;
	if (!writer->location_names)
		writer->location_names = location_names_new();
	return location_names_resolve(writer->location_names, text);
}

static int write_names(struct trace_writer *writer, struct error *error)
{
	int code = 0;

	for (; writer->names_written < mark_names_count(writer->mark_names) && !code;
	     writer->names_written++) {
		size_t i = writer->names_written;
		struct recording_string word = {
			.run_id = writer->run_id,
			.number = (unsigned)(MARK_NAMES_FIRST + i),
			.text = (char *)(uintptr_t)mark_names_text(writer->mark_names, i),
		};
		code = profile_add_string(writer->profile, &word, error);
	}
	return code;
}

static int write_words(struct trace_writer *writer, struct error *error)
{
	int code = 0;

	for (unsigned i = 0; writer->annotations && i < ANNOTATIONS_NAMES && !code; i++) {
		if (writer->is_name_written[i])
			continue;
		AUTO(text) char *text = annotation_reader_string_copy(writer->annotations, i);
		if (!text)
			continue;
		AUTO(text) char *better = resolved_name(writer, text);
		struct recording_string word = {.run_id = writer->run_id,
						.number = i + 1,
						.text = better ? better : text};
		code = profile_add_string(writer->profile, &word, error);
		writer->is_name_written[i] = true;
	}
	return code;
}

static int write_chunk(struct trace_writer *writer, struct recording_chunk *chunk,
		       struct error *error)
{
	int code = profile_add_chunk(writer->profile, chunk, error);

	free(chunk->data.items);
	chunk->data.items = NULL;
	return code;
}

static void discard_old(struct trace_writer *writer)
{
	uint64_t now = clock_now_ns();

	while (writer->kept_from < writer->kept.count &&
	       writer->kept.items[writer->kept_from].end_ns + writer->keep_ns < now) {
		struct recording_chunk *old = &writer->kept.items[writer->kept_from++];
		/* Names and starts of tasks are kept. */
		if (old->kind == CHUNK_TASKS && writer->error.code == 0) {
			write_chunk(writer, old, &writer->error);
			continue;
		}
		writer->totals.discarded += old->events;
		free(old->data.items);
	}
	if (writer->kept_from < 1024)
		return;
	writer->kept.count -= writer->kept_from;
	memmove(writer->kept.items, writer->kept.items + writer->kept_from,
		writer->kept.count * sizeof(*writer->kept.items));
	writer->kept_from = 0;
}

static int write_track(struct trace_writer *writer, struct track *track, bool all,
		       struct error *error)
{
	struct chunk_writer *chunk_writer = &track->chunk_writer;

	if (!(all ? chunk_writer->events || track->lost > track->lost_written :
		    chunk_writer->events >= CHUNK_EVENTS)) {
		if (all) /* there may be many ended threads */
			chunk_writer_release(chunk_writer);
		return 0;
	}
	if (!chunk_writer->events)
		chunk_writer->start_ns = chunk_writer->last_ns = clock_now_ns();
	struct recording_chunk chunk = {
		.run_id = writer->run_id,
		.kind = track->kind,
		.cpu = track->cpu,
		.pid = track->pid,
		.tid = track->tid,
		.start_ns = chunk_writer->start_ns,
		.end_ns = chunk_writer->last_ns,
		.events = chunk_writer->events,
		.lost = track->lost - track->lost_written,
	};
	track->lost_written = track->lost;
	chunk.data.items = chunk_writer_take(chunk_writer, &chunk.data.count);
	if (!writer->keep_ns)
		return write_chunk(writer, &chunk, error);
	*array_add(&writer->kept) = chunk;
	return 0;
}

static int pack(struct trace_writer *writer, bool all, struct error *error)
{
	int code = 0;

	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST && !code; cpu++)
		code = write_track(writer, &writer->cores[cpu], all, error);
	code = code ? code : write_track(writer, &writer->tasks, all, error);
	code = code ? code : write_track(writer, &writer->interrupts, all, error);
	for (size_t i = 0; i < writer->threads.count && !code; i++)
		code = write_track(writer, &writer->threads.items[i], all, error);
	if (!code && all)
		code = write_words(writer, error);
	if (!code && all)
		code = write_names(writer, error);
	if (!code && all)
		code = write_calls(writer, error);
	if (!code && all && writer->has_new_interrupt)
		code = write_interrupts(writer, error);
	return code;
}

int trace_writer_write(struct trace_writer *writer, bool all, struct error *error)
{
	int code = pack(writer, all, error);

	if (writer->keep_ns)
		discard_old(writer);
	if (!code && writer->error.code && error)
		*error = writer->error;
	return code ? code : writer->error.code;
}

int trace_writer_finish(struct trace_writer *writer, struct error *error)
{
	int code = pack(writer, true, error);

	for (size_t i = writer->kept_from; i < writer->kept.count && !code;
	     i++, writer->kept_from++)
		code = write_chunk(writer, &writer->kept.items[i], error);
	return code;
}

const struct trace_writer_totals *trace_writer_totals(const struct trace_writer *writer)
{
	return &writer->totals;
}
