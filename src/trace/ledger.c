/* SPDX-License-Identifier: BSD-2-Clause */
/* ledger - one packer for each core and thread, names of tasks met, and chunks for the file. */
#include "trace/ledger.h"

#include "base/clock.h"
#include "base/own.h"
#include "symbolize/system_calls.h"
#include "wire/annotations.h"

#include <errno.h>
#include <string.h>

#define CHUNK_EVENTS 32768
#define CALLS_MOST 1024 /* system calls */

struct track {
	enum chunk_kind kind;
	unsigned cpu, pid, tid;
	uint64_t lost, lost_written;
	struct packer packer;
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
	bool is_word_written[ANNOTATIONS_WORDS];
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
	for (size_t i = 0; i < ledger->threads.count; i++)
		packer_release(&ledger->threads.items[i].packer);
	array_free(&ledger->threads);
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
	ledger->sums.interrupts++;
}

/* Mostly the one of the last batch, or a thread near it. */
static struct track *thread_track(struct ledger *ledger, unsigned pid, unsigned tid)
{
	size_t count = ledger->threads.count;

	for (size_t i = 0; i < count; i++) {
		size_t at = (ledger->last_thread + i) % count;
		struct track *track = &ledger->threads.items[at];
		if (track->tid == tid && track->pid == pid) {
			ledger->last_thread = at;
			return track;
		}
	}
	struct track *track = array_add(&ledger->threads);
	track->kind = CHUNK_MARKS;
	track->pid = pid;
	track->tid = tid;
	ledger_name_task(ledger, pid, tid);
	return track;
}

void ledger_on_marks(void *context, const struct annotations_batch *batch)
{
	struct ledger *ledger = context;
	struct track *track = thread_track(ledger, batch->pid, batch->tid);

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
	}
	track->lost += batch->dropped;
	ledger->sums.marks += batch->count;
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

static int write_words(struct ledger *ledger, struct error *error)
{
	int code = 0;

	for (unsigned i = 0; ledger->annotations && i < ANNOTATIONS_WORDS && !code; i++) {
		if (ledger->is_word_written[i])
			continue;
		AUTO(text) char *text = annotations_word_copy(ledger->annotations, i);
		if (!text)
			continue;
		struct recording_word word = {.run_id = ledger->run_id,
					      .number = i + 1,
					      .text = text};
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
		code = write_calls(ledger, error);
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
