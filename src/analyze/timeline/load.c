/* SPDX-License-Identifier: BSD-2-Clause */
/* load - sorts the logs of all cores by time, and follows each thread through its states. */
#include "analyze/timeline/hosts.h"

#include "wire/wait_class.h"

#include <string.h>

#define STATE_DEAD 0xb0 /* bits of switch_event.state: the thread has ended */

/* An event of any log, to be sorted. */
struct entry {
	uint64_t time_ns;
	size_t order; /* position in the log: keeps the order of equal times */
	bool is_task;
	unsigned cpu;
	union {
		struct switch_event log;
		struct task_event task;
	};
};

struct entries {
	struct entry *items;
	size_t count, capacity;
};

/* ---- threads ---- */

static struct timeline_thread *thread_last(struct timeline *timeline, unsigned tid)
{
	const struct timeline_thread *thread = timeline_thread_of(timeline, tid);
	return thread ? &timeline->threads.items[thread - timeline->threads.items] : NULL;
}

static struct timeline_thread *thread_add(struct timeline *timeline, unsigned pid, unsigned tid,
					  uint64_t time_ns)
{
	struct timeline_thread *thread = array_add(&timeline->threads);

	thread->pid = pid;
	thread->tid = tid;
	/* A flight recording has births from before its first event. */
	thread->start_ns = time_ns > timeline->start_ns ? time_ns : timeline->start_ns;
	thread->end_ns = thread->start_ns;
	hash_map_set(&timeline->by_tid, tid, 0, (uint32_t)timeline->threads.count);
	return thread;
}

static struct timeline_thread *find_or_add_thread(struct timeline *timeline, unsigned tid,
						  uint64_t time_ns)
{
	struct timeline_thread *thread = thread_last(timeline, tid);
	return thread ? thread : thread_add(timeline, 0, tid, time_ns);
}

static void thread_rename(struct timeline_thread *thread, const char *name)
{
	free(thread->name);
	thread->name = text_copy(name);
}

/* ---- states ---- */

static struct timeline_state *state_open(struct timeline_thread *thread)
{
	struct timeline_state *last =
		thread->states.count ? &thread->states.items[thread->states.count - 1] : NULL;
	return last && !last->end_ns ? last : NULL;
}

static void state_close(struct timeline_thread *thread, uint64_t time_ns)
{
	struct timeline_state *state = state_open(thread);

	if (!state)
		return;
	state->end_ns = time_ns > state->start_ns ? time_ns : state->start_ns;
	thread->class_ns[state->class] += state->end_ns - state->start_ns;
	thread->end_ns = state->end_ns;
	if (state->end_ns == state->start_ns)
		thread->states.count--;
}

static struct timeline_state *state_begin(struct timeline_thread *thread, uint64_t time_ns,
					  enum timeline_class class)
{
	state_close(thread, time_ns);
	struct timeline_state *state = array_add(&thread->states);
	state->start_ns = time_ns;
	state->class = class;
	state->system_call = SWITCH_NO_CALL;
	return state;
}

static enum timeline_class class_of(const struct timeline *timeline,
				    const struct switch_event *event)
{
	if (event->flags & SWITCH_PREEMPTED)
		return TIMELINE_RUNNABLE;
	if (event->flags & SWITCH_IO_WAIT)
		return TIMELINE_IO;
	if (wait_reason_of_call_name(timeline_call(timeline, event->system_call)) ==
	    WAIT_FOR_THREAD)
		return TIMELINE_LOCK;
	return TIMELINE_OTHER;
}

static struct timeline_core *find_or_add_core(struct timeline *timeline, unsigned cpu)
{
	for (size_t i = 0; i < timeline->cores.count; i++)
		if (timeline->cores.items[i].cpu == cpu)
			return &timeline->cores.items[i];
	struct timeline_core *core = array_add(&timeline->cores);
	core->cpu = cpu;
	return core;
}

/* The first event of a thread tells its state since it was first seen. */
static void begin_first_state(struct timeline_thread *thread, uint64_t time_ns,
			      enum timeline_class class, unsigned cpu)
{
	if (!thread->states.count && thread->start_ns < time_ns)
		state_begin(thread, thread->start_ns, class)->cpu = cpu;
}

static void on_leave(struct timeline *timeline, const struct switch_event *event, unsigned cpu)
{
	struct timeline_thread *thread = find_or_add_thread(timeline, event->tid, event->time_ns);
	begin_first_state(thread, event->time_ns, TIMELINE_RUNNING, cpu);
	const struct timeline_state *was = state_open(thread);
	bool is_dead = !(event->flags & SWITCH_PREEMPTED) && event->state & STATE_DEAD;

	if (was && was->class == TIMELINE_RUNNING && event->time_ns > was->start_ns)
		find_or_add_core(timeline, cpu)->busy_ns += event->time_ns - was->start_ns;
	if (is_dead) {
		state_close(thread, event->time_ns);
		return;
	}
	enum timeline_class class = class_of(timeline, event);
	struct timeline_state *state = state_begin(thread, event->time_ns, class);
	state->is_preempted = class == TIMELINE_RUNNABLE;
	if (class != TIMELINE_RUNNABLE)
		state->system_call = event->system_call;
}

/* The core where the thread ran last, or `otherwise`. */
static unsigned last_core(const struct timeline_thread *thread, unsigned otherwise)
{
	for (size_t i = thread->states.count; i--;)
		if (thread->states.items[i].class == TIMELINE_RUNNING)
			return thread->states.items[i].cpu;
	return otherwise;
}

static void on_enter(struct timeline *timeline, const struct switch_event *event, unsigned cpu)
{
	struct timeline_thread *thread = find_or_add_thread(timeline, event->other, event->time_ns);
	bool has_moved = last_core(thread, cpu) != cpu;
	struct timeline_core *core = find_or_add_core(timeline, cpu);

	core->entries++;
	core->migrations += has_moved;
	thread->migrations += has_moved;
	state_begin(thread, event->time_ns, TIMELINE_RUNNING)->cpu = cpu;
}

static void on_wake(struct timeline *timeline, const struct switch_event *event)
{
	struct timeline_thread *thread = find_or_add_thread(timeline, event->tid, event->time_ns);
	begin_first_state(thread, event->time_ns, TIMELINE_OTHER, 0);
	struct timeline_state *state = state_open(thread);

	/*
	 * A wake-up of a running thread means nothing; one of a thread in an unknown state begins
	 * its first state.
	 */
	if (state && (state->class == TIMELINE_RUNNING || state->class == TIMELINE_RUNNABLE))
		return;
	if (state) {
		state->waker = event->other;
		state->by_interrupt = event->flags & SWITCH_INTERRUPT;
	}
	state_begin(thread, event->time_ns, TIMELINE_RUNNABLE);
}

static void on_task(struct timeline *timeline, const struct task_event *task)
{
	struct timeline_thread *thread = thread_last(timeline, task->tid);

	if (task->kind == TASK_FORK) {
		if (thread && thread->states.count && !thread->states.items[0].end_ns)
			state_close(thread, task->time_ns); /* its exit was lost */
		thread = thread_add(timeline, task->pid, task->tid, task->time_ns);
		thread->parent = task->parent;
		if (task->time_ns >= timeline->start_ns)
			state_begin(thread, task->time_ns, TIMELINE_RUNNABLE);
	}
	if (!thread)
		thread = thread_add(timeline, task->pid, task->tid, task->time_ns);
	if (task->pid)
		thread->pid = task->pid;
	if (task->kind == TASK_EXEC && !thread->exec_ns)
		thread->exec_ns = task->time_ns;
	thread->has_ended = task->kind == TASK_EXIT;
	thread_rename(thread, task->name);
}

static void on_entry(struct timeline *timeline, const struct entry *entry)
{
	if (entry->is_task) {
		on_task(timeline, &entry->task);
		return;
	}
	if (entry->log.kind == SWITCH_WAKE) {
		on_wake(timeline, &entry->log);
		return;
	}
	if (entry->log.flags & SWITCH_TID_OURS)
		on_leave(timeline, &entry->log, entry->cpu);
	if (entry->log.flags & SWITCH_OTHER_OURS)
		on_enter(timeline, &entry->log, entry->cpu);
}

/* ---- reading ---- */

static void extend_time(struct timeline *timeline, const struct recording_chunk *chunk)
{
	if (!chunk->events || chunk->kind == CHUNK_TASKS)
		return;
	if (!timeline->start_ns || chunk->start_ns < timeline->start_ns)
		timeline->start_ns = chunk->start_ns;
	if (chunk->end_ns > timeline->end_ns)
		timeline->end_ns = chunk->end_ns;
}

static void read_log(struct timeline *timeline, const struct recording_chunk *chunk,
		     struct entries *entries)
{
	struct chunk_reader reader;

	if (!chunk_open(&reader, chunk->data.items, chunk->data.count, chunk->start_ns)) {
		timeline->damaged_chunks++;
		return;
	}
	struct switch_event log;
	struct task_event task;
	while (chunk->kind == CHUNK_TASKS ? chunk_next_task(&reader, &task) :
					    chunk_next_switch(&reader, &log)) {
		struct entry *entry = array_add(entries);
		entry->order = entries->count;
		entry->cpu = chunk->cpu;
		entry->is_task = chunk->kind == CHUNK_TASKS;
		entry->time_ns = entry->is_task ? task.time_ns : log.time_ns;
		if (entry->is_task)
			entry->task = task;
		else
			entry->log = log;
	}
	timeline->damaged_chunks += reader.is_damaged;
	chunk_close(&reader);
}

static int by_time(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

/* "barrier at main.c:42", "wait for a lock". */
static bool is_wait_name(const char *text)
{
	return !strncasecmp(text, "barrier", strlen("barrier")) ||
	       !strncasecmp(text, "wait", strlen("wait")) ||
	       !strncasecmp(text, "taskwait", strlen("taskwait")) ||
	       !strncasecmp(text, "taskgroup", strlen("taskgroup"));
}

static void read_names(struct timeline *timeline)
{
	const struct recording *recording = timeline->recording;

	for (size_t i = 0; i < recording->strings.count; i++)
		if (recording->strings.items[i].run_id == timeline->run->id &&
		    recording->strings.items[i].number <
			    RECORDING_STRING_INTERRUPTS + RECORDING_STRING_INTERRUPTS_MOST &&
		    recording->strings.items[i].number >= timeline->name_count)
			timeline->name_count = recording->strings.items[i].number + 1;
	timeline->names = memory_new(timeline->name_count + 1, sizeof(*timeline->names));
	timeline->ends_elsewhere = memory_new(timeline->name_count + 1, sizeof(bool));
	timeline->is_wait = memory_new(timeline->name_count + 1, sizeof(bool));
	for (size_t i = 0; i < recording->strings.count; i++) {
		const struct recording_string *string = &recording->strings.items[i];
		if (string->run_id != timeline->run->id || string->number >= timeline->name_count)
			continue;
		timeline->names[string->number] = string->text;
		timeline->is_wait[string->number] = string->text && is_wait_name(string->text);
	}
}

/* Ids are reused: marks belong to the thread that had the id at the time. */
static void add_marks(struct timeline *timeline, const struct recording_chunk *chunk)
{
	struct timeline_thread *thread = NULL;

	for (size_t i = 0; i < timeline->threads.count; i++) {
		struct timeline_thread *other = &timeline->threads.items[i];
		if (other->tid == chunk->tid && (!thread || other->start_ns <= chunk->start_ns))
			thread = other;
	}
	if (!thread)
		thread = thread_add(timeline, chunk->pid, chunk->tid, chunk->start_ns);
	thread->pid = chunk->pid;
	if (chunk->end_ns > thread->end_ns)
		thread->end_ns = chunk->end_ns;
	if (chunk->start_ns < thread->start_ns)
		thread->start_ns = chunk->start_ns;
	thread->marks += chunk->events;
	thread->lost += chunk->lost;
	*array_add(&thread->chunks) = chunk;
}

static void close_states(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->threads.count; i++) {
		struct timeline_thread *thread = &timeline->threads.items[i];
		const struct timeline_state *open = state_open(thread);
		if (open && open->class == TIMELINE_RUNNING && timeline->end_ns > open->start_ns)
			find_or_add_core(timeline, open->cpu)->busy_ns +=
				timeline->end_ns - open->start_ns;
		state_close(thread, timeline->end_ns);
	}
}

/* Drops threads that ended before the first event that a flight recording kept. */
static void drop_unknown_threads(struct timeline *timeline)
{
	size_t kept = 0;

	for (size_t i = 0; i < timeline->threads.count; i++) {
		struct timeline_thread *thread = &timeline->threads.items[i];
		bool is_last = hash_map_get(&timeline->by_tid, thread->tid, 0) == i + 1;
		if (thread->has_ended && !thread->states.count && !thread->marks && !thread->lost) {
			if (is_last)
				hash_map_set(&timeline->by_tid, thread->tid, 0, 0);
			free(thread->name);
			array_free(&thread->chunks);
			continue;
		}
		if (is_last)
			hash_map_set(&timeline->by_tid, thread->tid, 0, (uint32_t)kept + 1);
		timeline->threads.items[kept++] = *thread;
	}
	timeline->threads.count = kept;
}

static int by_cpu(const void *left, const void *right)
{
	const struct timeline_core *a = left, *b = right;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

static void read_chunks(struct timeline *timeline)
{
	const struct recording *recording = timeline->recording;
	struct entries entries = {0};

	for (size_t i = 0; i < recording->chunks.count; i++) {
		const struct recording_chunk *chunk = &recording->chunks.items[i];
		if (chunk->run_id != timeline->run->id)
			continue;
		extend_time(timeline, chunk);
		if (chunk->kind == CHUNK_SCHEDULER || chunk->kind == CHUNK_TASKS)
			read_log(timeline, chunk, &entries);
		if (chunk->kind == CHUNK_SCHEDULER) {
			timeline->has_scheduler = true;
			find_or_add_core(timeline, chunk->cpu)->lost += chunk->lost;
		}
	}
	if (entries.count)
		qsort(entries.items, entries.count, sizeof(*entries.items), by_time);
	for (size_t i = 0; i < entries.count; i++)
		on_entry(timeline, &entries.items[i]);
	array_free(&entries);
	close_states(timeline);
	for (size_t i = 0; i < recording->chunks.count; i++)
		if (recording->chunks.items[i].run_id == timeline->run->id &&
		    recording->chunks.items[i].kind == CHUNK_MARKS)
			add_marks(timeline, &recording->chunks.items[i]);
	drop_unknown_threads(timeline);
	if (timeline->cores.count)
		qsort(timeline->cores.items, timeline->cores.count, sizeof(*timeline->cores.items),
		      by_cpu);
}

/* ---- the first pass over the marks ---- */

struct first_pass {
	struct timeline *timeline;
	struct timeline_thread *thread;
	uint64_t *ends, *unmatched; /* by name */
};

static void on_end_mark(void *context, unsigned name_id, bool has_begin)
{
	struct first_pass *pass = context;

	pass->ends[name_id]++;
	pass->unmatched[name_id] += !has_begin;
}

/* A name that the program gives to a thread replaces the kernel's. */
static void on_mark(void *context, const struct mark *mark)
{
	struct first_pass *pass = context;
	struct timeline_thread *thread = pass->thread;

	if (mark->kind == MARK_THREAD_NAME && mark->has_value) /* names another thread */
		thread = thread_last(pass->timeline, (unsigned)mark->value);
	if (mark->kind == MARK_PROCESS_NAME)
		thread = thread_last(pass->timeline, thread->pid);
	if (thread && (mark->kind == MARK_THREAD_NAME || mark->kind == MARK_PROCESS_NAME))
		thread_rename(thread, timeline_name(pass->timeline, mark->name_id));
}

/* Names threads, counts damaged chunks, and finds the names whose spans end in other threads. */
static void read_marks(struct timeline *timeline)
{
	struct first_pass pass = {
		.timeline = timeline,
		.ends = memory_new(timeline->name_count + 1, sizeof(*pass.ends)),
		.unmatched = memory_new(timeline->name_count + 1, sizeof(*pass.unmatched)),
	};
	struct timeline_visitor visitor = {.context = &pass,
					   .end_mark = on_end_mark,
					   .mark = on_mark};

	for (size_t i = 0; i < timeline->threads.count; i++) {
		pass.thread = &timeline->threads.items[i];
		if (pass.thread->marks)
			timeline->damaged_chunks += timeline_walk(timeline, pass.thread, &visitor);
	}
	for (size_t i = 0; i < timeline->name_count; i++)
		timeline->ends_elsewhere[i] = 2 * pass.unmatched[i] > pass.ends[i];
	free(pass.ends);
	free(pass.unmatched);
}

struct timeline *timeline_of_run(const struct recording *recording, const struct recording_run *run)
{
	struct timeline *timeline = memory_new(1, sizeof(*timeline));

	timeline->recording = recording;
	timeline->run = run;
	if (!run)
		return timeline;
	timeline_merge_hosts(timeline);
	read_names(timeline);
	read_chunks(timeline);
	read_marks(timeline);
	timeline->imbalance = timeline_host_loads(timeline);
	return timeline;
}

struct timeline *timeline_new(const struct recording *recording)
{
	const struct recording_run *run = NULL;
	size_t others = 0;

	for (size_t i = 0; i < recording->runs.count; i++) {
		if (recording->runs.items[i].kind != RUN_TIMELINE)
			continue;
		others += run && !timeline_is_together(recording, &recording->runs.items[i], run);
		run = &recording->runs.items[i];
	}
	struct timeline *timeline = timeline_of_run(recording, run);
	timeline->other_runs = others;
	return timeline;
}
