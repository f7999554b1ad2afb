/* SPDX-License-Identifier: BSD-2-Clause */
/* ledger - one packer for each core and thread, names of tasks met, and chunks for the file. */
#include "trace/ledger.h"

#include "base/clock.h"
#include "base/own.h"
#include "symbolize/system_calls.h"
#include "trace/marker.h"
#include "trace/names.h"
#include "trace/places.h"
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
	struct packer packer;
	ARRAY(unsigned) open; /* words of spans that texts began and did not end yet */
};

struct ledger {
	struct profile *profile;
	int64_t run_id;
	uint64_t keep_ns;
	const struct annotations_reader *annotations;
	struct track cores[SCHEDULER_RINGS_MOST];
	struct track tasks, interrupts;
	ARRAY(struct track) threads; /* that left marks */
	size_t last_thread;
	unsigned long long named[SCHEDULER_PROCESSES_MOST / 64]; /* tasks: a bit each */
	struct names *names; /* of marks that are not of lever.h */
	size_t names_written;
	struct places *places; /* NULL: none was met */
	bool is_word_written[ANNOTATIONS_WORDS];
	bool is_interrupt_seen[INTERRUPTS_MOST], has_new_interrupt;
	bool is_call_seen[CALLS_MOST], is_call_written[CALLS_MOST];
	ARRAY(struct recording_chunk) kept;
	size_t kept_from; /* those before are gone */
	struct ledger_sums sums;
	struct error error; /* the first that could not be told at once */
};

struct ledger *ledger_new(struct profile *profile, int64_t run_id, uint64_t keep_ns,
			  const struct annotations_reader *annotations)
{
	struct ledger *ledger = memory_new(1, sizeof(*ledger));

	ledger->profile = profile;
	ledger->run_id = run_id;
	ledger->keep_ns = keep_ns;
	ledger->annotations = annotations;
	ledger->names = names_new();
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		ledger->cores[cpu].cpu = cpu;
	ledger->tasks.kind = CHUNK_TASKS;
	ledger->interrupts.kind = CHUNK_INTERRUPTS;
	return ledger;
}

void ledger_free(struct ledger *ledger)
{
	if (!ledger)
		return;
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		packer_release(&ledger->cores[cpu].packer);
	packer_release(&ledger->tasks.packer);
	packer_release(&ledger->interrupts.packer);
	for (size_t i = 0; i < ledger->threads.count; i++) {
		packer_release(&ledger->threads.items[i].packer);
		array_free(&ledger->threads.items[i].open);
	}
	array_free(&ledger->threads);
	names_free(ledger->names);
	places_free(ledger->places);
	for (size_t i = ledger->kept_from; i < ledger->kept.count; i++)
		free(ledger->kept.items[i].data.items);
	array_free(&ledger->kept);
	free(ledger);
}

/* ---- what comes in ---- */

static bool mark_named(struct ledger *ledger, unsigned tid)
{
	unsigned id = tid & (SCHEDULER_PROCESSES_MOST - 1);
	bool was = ledger->named[id / 64] >> (id & 63) & 1;

	ledger->named[id / 64] |= 1ull << (id & 63);
	return was;
}

static void add_name(struct ledger *ledger, unsigned pid, unsigned tid)
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
	packer_add_task(&ledger->tasks.packer, &event);
	ledger->sums.tasks++;
}

void ledger_name_task(struct ledger *ledger, unsigned pid, unsigned tid)
{
	if (tid && !mark_named(ledger, tid))
		add_name(ledger, pid, tid);
}

void ledger_on_scheduler(void *context, unsigned cpu, const struct scheduler_event *events,
			 size_t count)
{
	struct ledger *ledger = context;
	struct packer *packer = &ledger->cores[cpu & (SCHEDULER_RINGS_MOST - 1)].packer;

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
		packer_add_switch(packer, &packed);
		if (event->system_call < CALLS_MOST)
			ledger->is_call_seen[event->system_call] = true;
		if (event->kind == SCHEDULER_WAKE)
			ledger->sums.wakes++;
		else
			ledger->sums.switches++;
		if (!(event->flags & SCHEDULER_OTHER_OURS))
			ledger_name_task(ledger, 0, event->other);
		if (!(event->flags & SCHEDULER_TID_OURS))
			ledger_name_task(ledger, 0, event->tid);
	}
}

void ledger_on_task(void *context, const struct scheduler_task_event *event)
{
	static const unsigned kinds[] = {
		[SCHEDULER_EVENT_FORK - SCHEDULER_EVENT_FORK] = TASK_FORK,
		[SCHEDULER_EVENT_EXIT - SCHEDULER_EVENT_FORK] = TASK_EXIT,
		[SCHEDULER_EVENT_EXEC - SCHEDULER_EVENT_FORK] = TASK_EXEC,
		[SCHEDULER_EVENT_NAME - SCHEDULER_EVENT_FORK] = TASK_NAME,
	};
	struct ledger *ledger = context;
	struct task_event packed = {.time_ns = event->time_ns,
				    .tid = event->tid,
				    .pid = event->tgid,
				    .parent = event->parent};

	if (event->kind < SCHEDULER_EVENT_FORK || event->kind > SCHEDULER_EVENT_NAME)
		return;
	packed.kind = kinds[event->kind - SCHEDULER_EVENT_FORK];
	memcpy(packed.name, event->name, sizeof(packed.name));
	packer_add_task(&ledger->tasks.packer, &packed);
	mark_named(ledger, event->tid);
	ledger->sums.tasks++;
	for (size_t i = 0; event->kind == SCHEDULER_EVENT_FORK && i < ledger->threads.count; i++)
		if (ledger->threads.items[i].tid == event->tid)
			ledger->threads.items[i].open.count = 0;
}

void ledger_on_interrupt(void *context, const struct scheduler_interrupt_event *event)
{
	struct ledger *ledger = context;
	struct interrupt_event packed = {
		.time_ns = event->time_ns,
		.cpu = event->cpu,
		.tid = event->tid,
		.number = event->number,
		.is_entry = event->kind == SCHEDULER_EVENT_INTERRUPT_ENTRY,
	};
	packer_add_interrupt(&ledger->interrupts.packer, &packed);
	if (event->number < INTERRUPTS_MOST && !ledger->is_interrupt_seen[event->number])
		ledger->is_interrupt_seen[event->number] = ledger->has_new_interrupt = true;
	ledger->sums.interrupts++;
}

/* Mostly the one of the last batch, or a thread near it. `source`: RECORDING_MARKS_*. */
static struct track *thread_track(struct ledger *ledger, unsigned source, unsigned pid,
				  unsigned tid)
{
	size_t count = ledger->threads.count;

	for (size_t i = 0; i < count; i++) {
		size_t at = (ledger->last_thread + i) % count;
		struct track *track = &ledger->threads.items[at];
		if (track->tid == tid && track->pid == pid && track->cpu == source) {
			ledger->last_thread = at;
			return track;
		}
	}
	struct track *track = array_add(&ledger->threads);
	track->kind = CHUNK_MARKS;
	track->cpu = source;
	track->pid = pid;
	track->tid = tid;
	ledger_name_task(ledger, pid, tid);
	return track;
}

/* In a flight recording the mark will be forgotten; what names the task is not, as long as it fits. */
static void keep_name(struct ledger *ledger, const struct track *track, const struct mark *mark)
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
	AUTO(text) char *text = annotations_word_copy(ledger->annotations, mark->word - 1);

	if (!text)
		return;
	memcpy(event.name, text, strnlen(text, sizeof(event.name) - 1));
	packer_add_task(&ledger->tasks.packer, &event);
	ledger->sums.tasks++;
}

void ledger_on_marks(void *context, const struct annotations_batch *batch)
{
	struct ledger *ledger = context;
	struct track *track = thread_track(ledger, RECORDING_MARKS_PROGRAM, batch->pid, batch->tid);

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
		packer_add_mark(&track->packer, &mark);
		if (ledger->keep_ns &&
		    (mark.kind == MARK_THREAD_NAME || mark.kind == MARK_PROCESS_NAME))
			keep_name(ledger, track, &mark);
	}
	track->lost += batch->dropped;
	ledger->sums.marks += batch->count;
}

static void add_seen(struct ledger *ledger, struct track *track, const struct mark *mark)
{
	packer_add_mark(&track->packer, mark);
	ledger->sums.marks++;
}

/* Ids of different names and processes must differ; programs choose theirs by themselves. */
static uint64_t flow_id(unsigned pid, unsigned word, uint64_t id)
{
	return (uint64_t)pid << 42 ^ (uint64_t)word << 26 ^ (id & 0x3ffffff);
}

void ledger_on_text(void *context, const struct scheduler_text_event *event)
{
	struct ledger *ledger = context;
	struct track *track = thread_track(ledger, RECORDING_MARKS_KERNEL, event->tgid, event->tid);
	struct mark mark = {.time_ns = event->time_ns};
	struct marker marker;
	size_t size = event->size < sizeof(event->text) ? event->size : sizeof(event->text);

	if (!marker_read(event->text, size, &marker))
		return;
	mark.kind = (unsigned char)marker.kind;
	if (marker.name)
		mark.word = names_number(ledger->names, marker.name, marker.name_length);
	else if (track->open.count)
		mark.word = track->open.items[--track->open.count];
	else
		mark.word = names_number(ledger->names, "(unknown)", strlen("(unknown)"));
	if (marker.kind == MARK_BEGIN)
		*array_add(&track->open) = mark.word;
	mark.has_value = marker.kind == MARK_COUNTER || marker.kind == MARK_FLOW_OUT ||
			 marker.kind == MARK_FLOW_IN;
	mark.value = marker.kind == MARK_COUNTER || !mark.has_value ?
			     marker.value :
			     flow_id(event->tgid, mark.word, marker.value);
	add_seen(ledger, track, &mark);
}

void ledger_on_probe(struct ledger *ledger, const struct scheduler_probe_event *event,
		     enum mark_kind kind, const char *name)
{
	struct mark mark = {
		.time_ns = event->time_ns,
		.kind = (unsigned char)kind,
		.word = names_number(ledger->names, name, strlen(name)),
	};
	add_seen(ledger, thread_track(ledger, RECORDING_MARKS_KERNEL, event->tgid, event->tid),
		 &mark);
}

void ledger_set_lost(struct ledger *ledger, unsigned cpu, uint64_t lost)
{
	ledger->cores[cpu & (SCHEDULER_RINGS_MOST - 1)].lost = lost;
}

/* ---- writing ---- */

static int write_calls(struct ledger *ledger, struct error *error)
{
	int code = 0;

	for (unsigned i = 0; i < CALLS_MOST && !code; i++) {
		if (!ledger->is_call_seen[i] || ledger->is_call_written[i])
			continue;
		ledger->is_call_written[i] = true;
		struct recording_word word = {
			.run_id = ledger->run_id,
			.number = RECORDING_WORD_CALLS + i,
			.text = (char *)(uintptr_t)system_call_name((int)i),
		};
		code = profile_add_word(ledger->profile, &word, error);
	}
	return code;
}

/* A line of /proc/interrupts ends with the name of the device: " 10: 1 2 IO-APIC 10-edge virtio0". */
static int write_interrupt(struct ledger *ledger, char *line, struct error *error)
{
	char *end;
	unsigned long number = strtoul(line, &end, 10);

	line[strcspn(line, "\n")] = 0;
	char *name = strrchr(line, ' ');
	if (end == line || *end != ':' || !name || !name[1] || number >= INTERRUPTS_MOST ||
	    !ledger->is_interrupt_seen[number])
		return 0;
	struct recording_word word = {
		.run_id = ledger->run_id,
		.number = RECORDING_WORD_INTERRUPTS + (unsigned)number,
		.text = name + 1,
	};
	return profile_add_word(ledger->profile, &word, error);
}

static int write_interrupts(struct ledger *ledger, struct error *error)
{
	AUTO(file) FILE *file = fopen("/proc/interrupts", "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;
	int code = 0;

	while (file && !code && getline(&line, &room, file) > 0)
		code = write_interrupt(ledger, line, error);
	ledger->has_new_interrupt = false;
	return code;
}

/* A name of a place in code becomes that of a line. */
static char *better_name(struct ledger *ledger, const char *text)
{
	if (!strstr(text, " at /"))
		return NULL;
	if (!ledger->places)
		ledger->places = places_new();
	return places_name(ledger->places, text);
}

static int write_names(struct ledger *ledger, struct error *error)
{
	int code = 0;

	for (; ledger->names_written < names_count(ledger->names) && !code;
	     ledger->names_written++) {
		size_t i = ledger->names_written;
		struct recording_word word = {
			.run_id = ledger->run_id,
			.number = (unsigned)(NAMES_FIRST + i),
			.text = (char *)(uintptr_t)names_text(ledger->names, i),
		};
		code = profile_add_word(ledger->profile, &word, error);
	}
	return code;
}

static int write_words(struct ledger *ledger, struct error *error)
{
	int code = 0;

	for (unsigned i = 0; ledger->annotations && i < ANNOTATIONS_WORDS && !code; i++) {
		if (ledger->is_word_written[i])
			continue;
		AUTO(text) char *text = annotations_word_copy(ledger->annotations, i);
		if (!text)
			continue;
		AUTO(text) char *better = better_name(ledger, text);
		struct recording_word word = {.run_id = ledger->run_id,
					      .number = i + 1,
					      .text = better ? better : text};
		code = profile_add_word(ledger->profile, &word, error);
		ledger->is_word_written[i] = true;
	}
	return code;
}

static int write_chunk(struct ledger *ledger, struct recording_chunk *chunk, struct error *error)
{
	int code = profile_add_chunk(ledger->profile, chunk, error);

	free(chunk->data.items);
	chunk->data.items = NULL;
	return code;
}

static void forget_old(struct ledger *ledger)
{
	uint64_t now = clock_now_ns();

	while (ledger->kept_from < ledger->kept.count &&
	       ledger->kept.items[ledger->kept_from].end_ns + ledger->keep_ns < now) {
		struct recording_chunk *old = &ledger->kept.items[ledger->kept_from++];
		/* Names and births of tasks hold on. */
		if (old->kind == CHUNK_TASKS && ledger->error.code == 0) {
			write_chunk(ledger, old, &ledger->error);
			continue;
		}
		ledger->sums.forgotten += old->events;
		free(old->data.items);
	}
	if (ledger->kept_from < 1024)
		return;
	ledger->kept.count -= ledger->kept_from;
	memmove(ledger->kept.items, ledger->kept.items + ledger->kept_from,
		ledger->kept.count * sizeof(*ledger->kept.items));
	ledger->kept_from = 0;
}

static int write_track(struct ledger *ledger, struct track *track, bool all, struct error *error)
{
	struct packer *packer = &track->packer;

	if (!(all ? packer->events || track->lost > track->lost_written :
		    packer->events >= CHUNK_EVENTS)) {
		if (all) /* a thread that has ended, perhaps: there may be many */
			packer_release(packer);
		return 0;
	}
	if (!packer->events)
		packer->start_ns = packer->last_ns = clock_now_ns();
	struct recording_chunk chunk = {
		.run_id = ledger->run_id,
		.kind = track->kind,
		.cpu = track->cpu,
		.pid = track->pid,
		.tid = track->tid,
		.start_ns = packer->start_ns,
		.end_ns = packer->last_ns,
		.events = packer->events,
		.lost = track->lost - track->lost_written,
	};
	track->lost_written = track->lost;
	chunk.data.items = packer_take(packer, &chunk.data.count);
	ledger->sums.packed_bytes += chunk.data.count;
	if (!ledger->keep_ns)
		return write_chunk(ledger, &chunk, error);
	*array_add(&ledger->kept) = chunk;
	return 0;
}

static int pack(struct ledger *ledger, bool all, struct error *error)
{
	int code = 0;

	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST && !code; cpu++)
		code = write_track(ledger, &ledger->cores[cpu], all, error);
	code = code ? code : write_track(ledger, &ledger->tasks, all, error);
	code = code ? code : write_track(ledger, &ledger->interrupts, all, error);
	for (size_t i = 0; i < ledger->threads.count && !code; i++)
		code = write_track(ledger, &ledger->threads.items[i], all, error);
	if (!code && all)
		code = write_words(ledger, error);
	if (!code && all)
		code = write_names(ledger, error);
	if (!code && all)
		code = write_calls(ledger, error);
	if (!code && all && ledger->has_new_interrupt)
		code = write_interrupts(ledger, error);
	return code;
}

int ledger_write(struct ledger *ledger, bool all, struct error *error)
{
	int code = pack(ledger, all, error);

	if (ledger->keep_ns)
		forget_old(ledger);
	if (!code && ledger->error.code && error)
		*error = ledger->error;
	return code ? code : ledger->error.code;
}

int ledger_finish(struct ledger *ledger, struct error *error)
{
	int code = pack(ledger, true, error);

	for (size_t i = ledger->kept_from; i < ledger->kept.count && !code;
	     i++, ledger->kept_from++)
		code = write_chunk(ledger, &ledger->kept.items[i], error);
	return code;
}

const struct ledger_sums *ledger_sums(const struct ledger *ledger)
{
	return &ledger->sums;
}
