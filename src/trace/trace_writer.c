/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_writer - one chunk_writer for each core and thread, mark_names of tasks met, and chunks for the file. */
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
#define CALLS_MOST 1024 /* system calls */
#define INTERRUPTS_MOST 4096

struct track {
	enum chunk_kind kind;
	unsigned cpu, pid, tid; /* cpu: of CHUNK_MARKS, RECORDING_MARKS_* */
	uint64_t lost, lost_written;
	struct chunk_writer chunk_writer;
	ARRAY(unsigned) open; /* words of spans that texts began and did not end yet */
};

struct trace_writer {
	struct profile *profile;
	int64_t run_id;
	uint64_t keep_ns;
	const struct annotation_reader *annotations;
	struct track cores[SCHEDULER_RINGS_MOST];
	struct track tasks, interrupts;
	ARRAY(struct track) threads; /* that left marks */
	size_t last_thread;
	unsigned long long named[SCHEDULER_PROCESSES_MOST / 64]; /* tasks: a bit each */
	struct mark_names *mark_names; /* of marks that are not of lever.h */
	size_t names_written;
	struct location_names *location_names; /* NULL: none was met */
	bool is_name_written[ANNOTATIONS_NAMES];
	bool is_interrupt_seen[INTERRUPTS_MOST], has_new_interrupt;
	bool is_call_seen[CALLS_MOST], is_call_written[CALLS_MOST];
	ARRAY(struct recording_chunk) kept;
	size_t kept_from; /* those before are gone */
	struct trace_writer_totals totals;
	struct error error; /* the first that could not be told at once */
};

struct trace_writer *trace_writer_new(struct profile *profile, int64_t run_id, uint64_t keep_ns,
				      const struct annotation_reader *annotations)
{
	struct trace_writer *trace_writer = memory_new(1, sizeof(*trace_writer));

	trace_writer->profile = profile;
	trace_writer->run_id = run_id;
	trace_writer->keep_ns = keep_ns;
	trace_writer->annotations = annotations;
	trace_writer->mark_names = mark_names_new();
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		trace_writer->cores[cpu].cpu = cpu;
	trace_writer->tasks.kind = CHUNK_TASKS;
	trace_writer->interrupts.kind = CHUNK_INTERRUPTS;
	return trace_writer;
}

void trace_writer_free(struct trace_writer *trace_writer)
{
	if (!trace_writer)
		return;
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		chunk_writer_release(&trace_writer->cores[cpu].chunk_writer);
	chunk_writer_release(&trace_writer->tasks.chunk_writer);
	chunk_writer_release(&trace_writer->interrupts.chunk_writer);
	for (size_t i = 0; i < trace_writer->threads.count; i++) {
		chunk_writer_release(&trace_writer->threads.items[i].chunk_writer);
		array_free(&trace_writer->threads.items[i].open);
	}
	array_free(&trace_writer->threads);
	mark_names_free(trace_writer->mark_names);
	location_names_free(trace_writer->location_names);
	for (size_t i = trace_writer->kept_from; i < trace_writer->kept.count; i++)
		free(trace_writer->kept.items[i].data.items);
	array_free(&trace_writer->kept);
	free(trace_writer);
}

/* ---- what comes in ---- */

static bool set_named(struct trace_writer *trace_writer, unsigned tid)
{
	unsigned id = tid & (SCHEDULER_PROCESSES_MOST - 1);
	bool was = trace_writer->named[id / 64] >> (id & 63) & 1;

	trace_writer->named[id / 64] |= 1ull << (id & 63);
	return was;
}

static void add_name(struct trace_writer *trace_writer, unsigned pid, unsigned tid)
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
	chunk_writer_add_task(&trace_writer->tasks.chunk_writer, &event);
	trace_writer->totals.tasks++;
}

void trace_writer_name_task(struct trace_writer *trace_writer, unsigned pid, unsigned tid)
{
	if (tid && !set_named(trace_writer, tid))
		add_name(trace_writer, pid, tid);
}

void trace_writer_on_scheduler(void *context, unsigned cpu, const struct scheduler_event *events,
			       size_t count)
{
	struct trace_writer *trace_writer = context;
	struct chunk_writer *chunk_writer =
		&trace_writer->cores[cpu & (SCHEDULER_RINGS_MOST - 1)].chunk_writer;

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
			trace_writer->is_call_seen[event->system_call] = true;
		if (event->kind == SCHEDULER_WAKE)
			trace_writer->totals.wakes++;
		else
			trace_writer->totals.switches++;
		if (!(event->flags & SCHEDULER_OTHER_OURS))
			trace_writer_name_task(trace_writer, 0, event->other);
		if (!(event->flags & SCHEDULER_TID_OURS))
			trace_writer_name_task(trace_writer, 0, event->tid);
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
	struct trace_writer *trace_writer = context;
	struct task_event packed = {.time_ns = event->time_ns,
				    .tid = event->tid,
				    .pid = event->tgid,
				    .parent = event->parent};

	if (event->kind < SCHEDULER_EVENT_FORK || event->kind > SCHEDULER_EVENT_NAME)
		return;
	packed.kind = kinds[event->kind - SCHEDULER_EVENT_FORK];
	memcpy(packed.name, event->name, sizeof(packed.name));
	chunk_writer_add_task(&trace_writer->tasks.chunk_writer, &packed);
	set_named(trace_writer, event->tid);
	trace_writer->totals.tasks++;
	for (size_t i = 0; event->kind == SCHEDULER_EVENT_FORK && i < trace_writer->threads.count;
	     i++)
		if (trace_writer->threads.items[i].tid == event->tid)
			trace_writer->threads.items[i].open.count = 0;
}

void trace_writer_on_interrupt(void *context, const struct scheduler_interrupt_event *event)
{
	struct trace_writer *trace_writer = context;
	struct interrupt_event packed = {
		.time_ns = event->time_ns,
		.cpu = event->cpu,
		.tid = event->tid,
		.number = event->number,
		.is_entry = event->kind == SCHEDULER_EVENT_INTERRUPT_ENTRY,
	};
	chunk_writer_add_interrupt(&trace_writer->interrupts.chunk_writer, &packed);
	if (event->number < INTERRUPTS_MOST && !trace_writer->is_interrupt_seen[event->number])
		trace_writer->is_interrupt_seen[event->number] = trace_writer->has_new_interrupt =
			true;
	trace_writer->totals.interrupts++;
}

/* Mostly the one of the last batch, or a thread near it. `source`: RECORDING_MARKS_*. */
static struct track *thread_track(struct trace_writer *trace_writer, unsigned source, unsigned pid,
				  unsigned tid)
{
	size_t count = trace_writer->threads.count;

	for (size_t i = 0; i < count; i++) {
		size_t at = (trace_writer->last_thread + i) % count;
		struct track *track = &trace_writer->threads.items[at];
		if (track->tid == tid && track->pid == pid && track->cpu == source) {
			trace_writer->last_thread = at;
			return track;
		}
	}
	struct track *track = array_add(&trace_writer->threads);
	track->kind = CHUNK_MARKS;
	track->cpu = source;
	track->pid = pid;
	track->tid = tid;
	trace_writer_name_task(trace_writer, pid, tid);
	return track;
}

/* In a flight recording the mark will be discarded; what mark_names the task is not, as long as it fits. */
static void preserve_name(struct trace_writer *trace_writer, const struct track *track,
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
	char *text = annotation_reader_string_copy(trace_writer->annotations, mark->word - 1);

	if (!text)
		return;
	memcpy(event.name, text, strnlen(text, sizeof(event.name) - 1));
	chunk_writer_add_task(&trace_writer->tasks.chunk_writer, &event);
	trace_writer->totals.tasks++;
}

void trace_writer_on_marks(void *context, const struct annotation_batch *batch)
{
	struct trace_writer *trace_writer = context;
	struct track *track =
		thread_track(trace_writer, RECORDING_MARKS_PROGRAM, batch->pid, batch->tid);

	for (size_t i = 0; i < batch->count; i++) {
		const struct annotation *item = &batch->items[i];
		struct mark mark = {
			.time_ns = item->time_ns,
			.value = item->value,
			.word = item->word + 1,
			.kind = item->kind,
			.has_value = item->has_value,
			.is_text = item->is_text,
		};
		chunk_writer_add_mark(&track->chunk_writer, &mark);
		if (trace_writer->keep_ns &&
		    (mark.kind == MARK_THREAD_NAME || mark.kind == MARK_PROCESS_NAME))
			preserve_name(trace_writer, track, &mark);
	}
	track->lost += batch->dropped;
	trace_writer->totals.marks += batch->count;
}

static void add_mark(struct trace_writer *trace_writer, struct track *track,
		     const struct mark *mark)
{
	chunk_writer_add_mark(&track->chunk_writer, mark);
	trace_writer->totals.marks++;
}

/* Ids of different mark_names and processes must differ; programs choose theirs by themselves. */
static uint64_t flow_id(unsigned pid, unsigned word, uint64_t id)
{
	return (uint64_t)pid << 42 ^ (uint64_t)word << 26 ^ (id & 0x3ffffff);
}

void trace_writer_on_text(void *context, const struct scheduler_text_event *event)
{
	struct trace_writer *trace_writer = context;
	struct track *track =
		thread_track(trace_writer, RECORDING_MARKS_KERNEL, event->tgid, event->tid);
	struct mark mark = {.time_ns = event->time_ns};
	struct trace_marker trace_marker;
	size_t size = event->size < sizeof(event->text) ? event->size : sizeof(event->text);

	if (!trace_marker_parse(event->text, size, &trace_marker))
		return;
	mark.kind = (unsigned char)trace_marker.kind;
	if (trace_marker.name)
		mark.word = mark_names_id(trace_writer->mark_names, trace_marker.name,
					  trace_marker.name_length);
	else if (track->open.count)
		mark.word = track->open.items[--track->open.count];
	else
		mark.word =
			mark_names_id(trace_writer->mark_names, "(unknown)", strlen("(unknown)"));
	if (trace_marker.kind == MARK_BEGIN)
		*array_add(&track->open) = mark.word;
	mark.has_value = trace_marker.kind == MARK_COUNTER || trace_marker.kind == MARK_FLOW_OUT ||
			 trace_marker.kind == MARK_FLOW_IN;
	mark.value = trace_marker.kind == MARK_COUNTER || !mark.has_value ?
			     trace_marker.value :
			     flow_id(event->tgid, mark.word, trace_marker.value);
	add_mark(trace_writer, track, &mark);
}

void trace_writer_on_probe(struct trace_writer *trace_writer,
			   const struct scheduler_probe_event *event, enum mark_kind kind,
			   const char *name)
{
	struct mark mark = {
		.time_ns = event->time_ns,
		.kind = (unsigned char)kind,
		.word = mark_names_id(trace_writer->mark_names, name, strlen(name)),
	};
	add_mark(trace_writer,
		 thread_track(trace_writer, RECORDING_MARKS_KERNEL, event->tgid, event->tid),
		 &mark);
}

void trace_writer_set_lost(struct trace_writer *trace_writer, unsigned cpu, uint64_t lost)
{
	trace_writer->cores[cpu & (SCHEDULER_RINGS_MOST - 1)].lost = lost;
}

/* ---- writing ---- */

static int write_calls(struct trace_writer *trace_writer, struct error *error)
{
	int code = 0;

	for (unsigned i = 0; i < CALLS_MOST && !code; i++) {
		if (!trace_writer->is_call_seen[i] || trace_writer->is_call_written[i])
			continue;
		trace_writer->is_call_written[i] = true;
		struct recording_string word = {
			.run_id = trace_writer->run_id,
			.number = RECORDING_STRING_SYSTEM_CALLS + i,
			.text = (char *)(uintptr_t)system_call_name((int)i),
		};
		code = profile_add_string(trace_writer->profile, &word, error);
	}
	return code;
}

/* A line of /proc/interrupts ends with the name of the device: " 10: 1 2 IO-APIC 10-edge virtio0". */
static int write_interrupt(struct trace_writer *trace_writer, char *line, struct error *error)
{
	char *end;
	unsigned long number = strtoul(line, &end, 10);

	line[strcspn(line, "\n")] = 0;
	char *name = strrchr(line, ' ');
	if (end == line || *end != ':' || !name || !name[1] || number >= INTERRUPTS_MOST ||
	    !trace_writer->is_interrupt_seen[number])
		return 0;
	struct recording_string word = {
		.run_id = trace_writer->run_id,
		.number = RECORDING_STRING_INTERRUPTS + (unsigned)number,
		.text = name + 1,
	};
	return profile_add_string(trace_writer->profile, &word, error);
}

static int write_interrupts(struct trace_writer *trace_writer, struct error *error)
{
	AUTO(file) FILE *file = fopen("/proc/interrupts", "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;
	int code = 0;

	while (file && !code && getline(&line, &room, file) > 0)
		code = write_interrupt(trace_writer, line, error);
	trace_writer->has_new_interrupt = false;
	return code;
}

/* A name of a place in code becomes that of a line. */
static char *resolved_name(struct trace_writer *trace_writer, const char *text)
{
	if (!strstr(text, " at /"))
		return NULL;
	if (!trace_writer->location_names)
		trace_writer->location_names = location_names_new();
	return location_names_resolve(trace_writer->location_names, text);
}

static int write_names(struct trace_writer *trace_writer, struct error *error)
{
	int code = 0;

	for (; trace_writer->names_written < mark_names_count(trace_writer->mark_names) && !code;
	     trace_writer->names_written++) {
		size_t i = trace_writer->names_written;
		struct recording_string word = {
			.run_id = trace_writer->run_id,
			.number = (unsigned)(MARK_NAMES_FIRST + i),
			.text = (char *)(uintptr_t)mark_names_text(trace_writer->mark_names, i),
		};
		code = profile_add_string(trace_writer->profile, &word, error);
	}
	return code;
}

static int write_words(struct trace_writer *trace_writer, struct error *error)
{
	int code = 0;

	for (unsigned i = 0; trace_writer->annotations && i < ANNOTATIONS_NAMES && !code; i++) {
		if (trace_writer->is_name_written[i])
			continue;
		AUTO(text) char *text = annotation_reader_string_copy(trace_writer->annotations, i);
		if (!text)
			continue;
		AUTO(text) char *better = resolved_name(trace_writer, text);
		struct recording_string word = {.run_id = trace_writer->run_id,
						.number = i + 1,
						.text = better ? better : text};
		code = profile_add_string(trace_writer->profile, &word, error);
		trace_writer->is_name_written[i] = true;
	}
	return code;
}

static int write_chunk(struct trace_writer *trace_writer, struct recording_chunk *chunk,
		       struct error *error)
{
	int code = profile_add_chunk(trace_writer->profile, chunk, error);

	free(chunk->data.items);
	chunk->data.items = NULL;
	return code;
}

static void discard_old(struct trace_writer *trace_writer)
{
	uint64_t now = clock_now_ns();

	while (trace_writer->kept_from < trace_writer->kept.count &&
	       trace_writer->kept.items[trace_writer->kept_from].end_ns + trace_writer->keep_ns <
		       now) {
		struct recording_chunk *old = &trace_writer->kept.items[trace_writer->kept_from++];
		/* Names and births of tasks hold on. */
		if (old->kind == CHUNK_TASKS && trace_writer->error.code == 0) {
			write_chunk(trace_writer, old, &trace_writer->error);
			continue;
		}
		trace_writer->totals.discarded += old->events;
		free(old->data.items);
	}
	if (trace_writer->kept_from < 1024)
		return;
	trace_writer->kept.count -= trace_writer->kept_from;
	memmove(trace_writer->kept.items, trace_writer->kept.items + trace_writer->kept_from,
		trace_writer->kept.count * sizeof(*trace_writer->kept.items));
	trace_writer->kept_from = 0;
}

static int write_track(struct trace_writer *trace_writer, struct track *track, bool all,
		       struct error *error)
{
	struct chunk_writer *chunk_writer = &track->chunk_writer;

	if (!(all ? chunk_writer->events || track->lost > track->lost_written :
		    chunk_writer->events >= CHUNK_EVENTS)) {
		if (all) /* a thread that has ended, perhaps: there may be many */
			chunk_writer_release(chunk_writer);
		return 0;
	}
	if (!chunk_writer->events)
		chunk_writer->start_ns = chunk_writer->last_ns = clock_now_ns();
	struct recording_chunk chunk = {
		.run_id = trace_writer->run_id,
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
	trace_writer->totals.packed_bytes += chunk.data.count;
	if (!trace_writer->keep_ns)
		return write_chunk(trace_writer, &chunk, error);
	*array_add(&trace_writer->kept) = chunk;
	return 0;
}

static int pack(struct trace_writer *trace_writer, bool all, struct error *error)
{
	int code = 0;

	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST && !code; cpu++)
		code = write_track(trace_writer, &trace_writer->cores[cpu], all, error);
	code = code ? code : write_track(trace_writer, &trace_writer->tasks, all, error);
	code = code ? code : write_track(trace_writer, &trace_writer->interrupts, all, error);
	for (size_t i = 0; i < trace_writer->threads.count && !code; i++)
		code = write_track(trace_writer, &trace_writer->threads.items[i], all, error);
	if (!code && all)
		code = write_words(trace_writer, error);
	if (!code && all)
		code = write_names(trace_writer, error);
	if (!code && all)
		code = write_calls(trace_writer, error);
	if (!code && all && trace_writer->has_new_interrupt)
		code = write_interrupts(trace_writer, error);
	return code;
}

int trace_writer_write(struct trace_writer *trace_writer, bool all, struct error *error)
{
	int code = pack(trace_writer, all, error);

	if (trace_writer->keep_ns)
		discard_old(trace_writer);
	if (!code && trace_writer->error.code && error)
		*error = trace_writer->error;
	return code ? code : trace_writer->error.code;
}

int trace_writer_finish(struct trace_writer *trace_writer, struct error *error)
{
	int code = pack(trace_writer, true, error);

	for (size_t i = trace_writer->kept_from; i < trace_writer->kept.count && !code;
	     i++, trace_writer->kept_from++)
		code = write_chunk(trace_writer, &trace_writer->kept.items[i], error);
	return code;
}

const struct trace_writer_totals *trace_writer_totals(const struct trace_writer *trace_writer)
{
	return &trace_writer->totals;
}
