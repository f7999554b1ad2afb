/* SPDX-License-Identifier: BSD-2-Clause */
/* hosts - rewrites the chunks of all hosts into one recording. */
#include "analyze/timeline/hosts.h"

#include "analyze/timeline/messages.h"
#include "base/hash_map.h"
#include "base/interner.h"
#include "stats/clock_fit.h"

#include <string.h>

#define BOUND_STEP_NS 100000000ull /* of each, one bound by messages on either side */
#define BOUND_MOST_NS (1ll << 60)  /* what a file may say; else it is no clock */

static const unsigned ranges[] = {0, RECORDING_STRING_SYSTEM_CALLS, RECORDING_STRING_INTERRUPTS,
				  RECORDING_STRING_INTERRUPTS + RECORDING_STRING_INTERRUPTS_MOST};
#define RANGES (sizeof(ranges) / sizeof(*ranges) - 1)

struct bound_list {
	struct clock_bound *items;
	size_t count, capacity;
};

struct merger {
	const struct recording *from;
	struct recording *into;
	struct timeline *timeline;
	struct messages messages; /* between hosts */
	int64_t run_id;           /* of the merged run */
	struct interner texts;    /* of the merged words */
	struct hash_map by_text;  /* (text, range): its number */
	struct hash_map taken;    /* numbers */
	unsigned next[RANGES];    /* where free numbers may be */
	/* Of the current host. */
	const struct timeline_host *host;
	unsigned index;
	struct clock_fit clock;
	struct hash_map numbers; /* of its words: the merged one */
	unsigned message_name;   /* number, of its own; 0: there is none */
	size_t next_end;         /* of messages: that of the next mark */
	size_t ends_before;      /* of messages, of this host and those before it */
};

/* ---- words ---- */

static unsigned range_of(unsigned number)
{
	unsigned range = 0;

	while (range + 1 < RANGES && number >= ranges[range + 1])
		range++;
	return range;
}

static unsigned free_number(struct merger *merger, unsigned range, unsigned wanted)
{
	if (hash_map_get(&merger->taken, wanted, 0) == HASH_MAP_NONE)
		return wanted;
	while (merger->next[range] > ranges[range] + 1)
		if (hash_map_get(&merger->taken, --merger->next[range], 0) == HASH_MAP_NONE)
			return merger->next[range];
	return ranges[range]; /* there are no more: the text is lost */
}

static void add_word(struct merger *merger, const struct recording_string *string)
{
	unsigned range = range_of(string->number);
	uint32_t text = interner_add(&merger->texts, string->text ? string->text : "?");
	uint32_t number = hash_map_get(&merger->by_text, text, range);

	if (string->number >= ranges[RANGES])
		return;
	if (number == HASH_MAP_NONE) {
		struct recording_string *added = array_add(&merger->into->strings);
		number = free_number(merger, range, string->number);
		*added = (struct recording_string){.id = (int64_t)merger->into->strings.count,
						   .run_id = merger->run_id,
						   .number = number,
						   .text = text_copy(string->text)};
		hash_map_set(&merger->by_text, text, range, number);
		hash_map_set(&merger->taken, number, 0, 1);
	}
	hash_map_set(&merger->numbers, string->number, 0, number);
}

static unsigned number_of(const struct merger *merger, uint64_t number, unsigned otherwise)
{
	uint32_t found = hash_map_get(&merger->numbers, number, 0);
	return found == HASH_MAP_NONE ? otherwise : found;
}

static unsigned call_of(const struct merger *merger, unsigned call)
{
	unsigned number = RECORDING_STRING_SYSTEM_CALLS + call;
	return call == SWITCH_NO_CALL ?
		       call :
		       number_of(merger, number, number) - RECORDING_STRING_SYSTEM_CALLS;
}

/* ---- events ---- */

/* Thread 0 is idle on each host; so is 0 as a process or parent that is not known. */
static unsigned id_of(const struct merger *merger, unsigned id)
{
	return id ? id % TIMELINE_TIDS + merger->index * TIMELINE_TIDS : 0;
}

static uint64_t time_of(const struct merger *merger, uint64_t time_ns)
{
	return merger->index ? clock_fit_time(&merger->clock, time_ns) : time_ns;
}

static void put_switch(const struct merger *merger, struct chunk_writer *writer,
		       struct switch_event *event)
{
	event->time_ns = time_of(merger, event->time_ns);
	event->tid = id_of(merger, event->tid);
	event->other = id_of(merger, event->other);
	event->system_call = call_of(merger, event->system_call);
	chunk_writer_add_switch(writer, event);
}

static void put_task(const struct merger *merger, struct chunk_writer *writer,
		     struct task_event *event)
{
	event->time_ns = time_of(merger, event->time_ns);
	event->tid = id_of(merger, event->tid);
	event->pid = id_of(merger, event->pid);
	event->parent = id_of(merger, event->parent);
	chunk_writer_add_task(writer, event);
}

static void put_interrupt(const struct merger *merger, struct chunk_writer *writer,
			  struct interrupt_event *event)
{
	bool is_named = !(event->number & (INTERRUPT_SOFT | INTERRUPT_VECTOR));
	unsigned number = RECORDING_STRING_INTERRUPTS + event->number;

	event->time_ns = time_of(merger, event->time_ns);
	event->cpu += merger->host->first_cpu;
	event->tid = id_of(merger, event->tid);
	if (is_named)
		event->number = number_of(merger, number, number) - RECORDING_STRING_INTERRUPTS;
	chunk_writer_add_interrupt(writer, event);
}

/* Messages have the numbers of their sends; a receive of several has a mark for each. */
static void put_message(struct merger *merger, struct chunk_writer *writer, struct mark *mark)
{
	const struct messages *messages = &merger->messages;
	size_t own = merger->next_end;

	if (own == messages->ends.count)
		return; /* left out */
	merger->next_end++;
	const struct message_end *end = &messages->ends.items[own];
	for (size_t i = 0; i < end->count; i++) {
		const struct message *message = &messages->received.items[end->first + i];
		mark->value = message->out + 1;
		if (message->is_whole)
			chunk_writer_add_mark(writer, mark);
	}
	mark->value = own + 1;
	if (!end->count)
		chunk_writer_add_mark(writer, mark);
}

static void put_mark(struct merger *merger, const struct recording_chunk *chunk,
		     struct chunk_writer *writer, struct mark *mark)
{
	bool is_message = chunk->cpu == RECORDING_MARKS_KERNEL && merger->message_name &&
			  mark->name_id == merger->message_name;

	mark->time_ns = time_of(merger, mark->time_ns);
	mark->name_id = number_of(merger, mark->name_id, 0);
	if (mark->has_value && mark->is_text)
		mark->value = number_of(merger, mark->value, 0);
	if (mark->has_value && mark->kind == MARK_THREAD_NAME)
		mark->value = id_of(merger, (unsigned)mark->value);
	if (is_message)
		put_message(merger, writer, mark);
	else
		chunk_writer_add_mark(writer, mark);
}

static bool put_next(struct merger *merger, const struct recording_chunk *chunk,
		     struct chunk_reader *reader, struct chunk_writer *writer)
{
	struct switch_event log;
	struct task_event task;
	struct interrupt_event interrupt;
	struct mark mark;
	bool has_event = false;

	if (chunk->kind == CHUNK_SCHEDULER && (has_event = chunk_next_switch(reader, &log)))
		put_switch(merger, writer, &log);
	else if (chunk->kind == CHUNK_TASKS && (has_event = chunk_next_task(reader, &task)))
		put_task(merger, writer, &task);
	else if (chunk->kind == CHUNK_INTERRUPTS &&
		 (has_event = chunk_next_interrupt(reader, &interrupt)))
		put_interrupt(merger, writer, &interrupt);
	else if (chunk->kind == CHUNK_MARKS && (has_event = chunk_next_mark(reader, &mark)))
		put_mark(merger, chunk, writer, &mark);
	return has_event;
}

static void add_chunk(struct merger *merger, const struct recording_chunk *chunk)
{
	struct chunk_reader reader;
	struct chunk_writer writer = {0};

	if (!chunk_open(&reader, chunk->data.items, chunk->data.count, chunk->start_ns)) {
		merger->timeline->damaged_chunks++;
		return;
	}
	while (put_next(merger, chunk, &reader, &writer))
		continue;
	merger->timeline->damaged_chunks += reader.is_damaged;
	chunk_close(&reader);
	struct recording_chunk *added = array_add(&merger->into->chunks);
	*added = *chunk;
	added->id = (int64_t)merger->into->chunks.count;
	added->run_id = merger->run_id;
	added->pid = id_of(merger, chunk->pid);
	added->tid = id_of(merger, chunk->tid);
	added->cpu += chunk->kind == CHUNK_SCHEDULER ? merger->host->first_cpu : 0;
	added->start_ns = writer.events ? writer.start_ns : time_of(merger, chunk->start_ns);
	added->end_ns = writer.events ? writer.last_ns : time_of(merger, chunk->end_ns);
	added->data.items = chunk_writer_take(&writer, &added->data.count);
	chunk_writer_release(&writer);
}

/* ---- messages as bounds of clocks ---- */

/* False: the message is none, as of two connections that seem to be one. */
static bool is_possible(const struct clock_fit *clock, uint64_t time_ns, int64_t offset_ns,
			bool is_high)
{
	int64_t known_ns = (int64_t)(clock_fit_time(clock, time_ns) - time_ns);
	int64_t room_ns = (int64_t)clock->uncertainty_ns;

	return is_high ? offset_ns >= known_ns - room_ns : offset_ns <= known_ns + room_ns;
}

/*
 * A message that came by its receiver's clock cannot have left later. The narrowest are kept, of
 * those that the clock as known so far allows. Of one that came in part, the send may be lost.
 */
static void add_message_bounds(const struct merger *merger, struct bound_list *bounds)
{
	struct hash_map kept = {0}; /* (time in steps, side): index */

	for (size_t i = 0; i < merger->messages.received.count; i++) {
		const struct message *message = &merger->messages.received.items[i];
		const struct message_end *out = &merger->messages.ends.items[message->out];
		const struct message_end *in = &merger->messages.ends.items[message->in];
		bool is_out = out->host == merger->index;
		const struct message_end *one = is_out ? out : in, *other = is_out ? in : out;
		if (!message->is_whole || one->host != merger->index || other->host ||
		    one->time_ns >= BOUND_MOST_NS || other->time_ns >= BOUND_MOST_NS)
			continue;
		int64_t offset_ns = (int64_t)(other->time_ns - one->time_ns);
		if (!is_possible(&merger->clock, one->time_ns, offset_ns, is_out))
			continue;
		uint32_t at = hash_map_get(&kept, one->time_ns / BOUND_STEP_NS, is_out);
		if (at == HASH_MAP_NONE) {
			at = (uint32_t)bounds->count;
			*array_add(bounds) =
				(struct clock_bound){one->time_ns, INT64_MIN, INT64_MAX};
			hash_map_set(&kept, one->time_ns / BOUND_STEP_NS, is_out, at);
		}
		struct clock_bound *bound = &bounds->items[at];
		if (is_out && offset_ns < bound->high_ns)
			*bound = (struct clock_bound){one->time_ns, INT64_MIN, offset_ns};
		else if (!is_out && offset_ns > bound->low_ns)
			*bound = (struct clock_bound){one->time_ns, offset_ns, INT64_MAX};
	}
	hash_map_clear(&kept);
}

static int by_bound_time(const void *left, const void *right)
{
	const struct clock_bound *a = left, *b = right;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

/* ---- hosts ---- */

static unsigned cores_of(const struct merger *merger, int64_t run_id)
{
	unsigned cores = 0;

	for (size_t i = 0; i < merger->from->chunks.count; i++) {
		const struct recording_chunk *chunk = &merger->from->chunks.items[i];
		struct interrupt_event event;
		struct chunk_reader reader;
		if (chunk->run_id != run_id)
			continue;
		if (chunk->kind == CHUNK_SCHEDULER && chunk->cpu >= cores)
			cores = chunk->cpu + 1;
		if (chunk->kind != CHUNK_INTERRUPTS ||
		    !chunk_open(&reader, chunk->data.items, chunk->data.count, chunk->start_ns))
			continue;
		while (chunk_next_interrupt(&reader, &event))
			cores = event.cpu >= cores ? event.cpu + 1 : cores;
		chunk_close(&reader);
	}
	return cores;
}

static bool is_clock(const struct recording_clock *row)
{
	return row->low_ns <= row->high_ns && row->low_ns > -BOUND_MOST_NS &&
	       row->high_ns < BOUND_MOST_NS && row->time_ns < BOUND_MOST_NS;
}

static void fit_clock(struct merger *merger, struct timeline_host *host)
{
	struct bound_list bounds = {0};

	for (size_t i = 0; i < merger->from->clocks.count; i++) {
		const struct recording_clock *row = &merger->from->clocks.items[i];
		if (row->run_id == host->run->id && is_clock(row))
			*array_add(&bounds) =
				(struct clock_bound){row->time_ns, row->low_ns, row->high_ns};
	}
	if (bounds.count) {
		clock_fit(bounds.items, bounds.count, &merger->clock);
		add_message_bounds(merger, &bounds);
		clock_fit_clear(&merger->clock);
		qsort(bounds.items, bounds.count, sizeof(*bounds.items), by_bound_time);
		clock_fit(bounds.items, bounds.count, &merger->clock);
		uint64_t middle_ns = bounds.items[bounds.count / 2].time_ns;
		host->ahead_ns = (int64_t)(middle_ns - clock_fit_time(&merger->clock, middle_ns));
		host->drift = -merger->clock.drift;
		host->uncertainty_ns = merger->clock.uncertainty_ns;
	}
	array_free(&bounds);
}

/* The current host's ends, by the first host's clock. */
static void place_messages(struct merger *merger)
{
	size_t at = merger->ends_before;

	merger->next_end = at;
	for (; at < merger->messages.ends.count; at++) {
		struct message_end *end = &merger->messages.ends.items[at];
		if (end->host != merger->index)
			break;
		end->time_ns = time_of(merger, end->time_ns);
		end->tid = id_of(merger, end->tid);
	}
	merger->ends_before = at;
	merger->message_name = messages_name(merger->from, merger->host->run->id);
}

static int by_arrival(const void *left, const void *right)
{
	const struct timeline_message *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->came_ns != b->came_ns)
		return a->came_ns < b->came_ns ? -1 : 1;
	return a->left_ns < b->left_ns ? -1 : a->left_ns > b->left_ns;
}

static void keep_messages(struct merger *merger)
{
	struct timeline *timeline = merger->timeline;

	for (size_t i = 0; i < merger->messages.received.count; i++) {
		const struct message *message = &merger->messages.received.items[i];
		const struct message_end *out = &merger->messages.ends.items[message->out];
		const struct message_end *in = &merger->messages.ends.items[message->in];
		if (out->time_ns <= in->time_ns)
			*array_add(&timeline->messages) =
				(struct timeline_message){.from = out->tid,
							  .to = in->tid,
							  .left_ns = out->time_ns,
							  .came_ns = in->time_ns};
	}
	if (timeline->messages.count)
		qsort(timeline->messages.items, timeline->messages.count,
		      sizeof(*timeline->messages.items), by_arrival);
	timeline->messages_left_out = merger->messages.left_out;
}

static void add_host(struct merger *merger, struct timeline_host *host, unsigned index)
{
	const struct recording *from = merger->from;

	merger->host = host;
	merger->index = index;
	if (index) {
		host->first_cpu = host[-1].first_cpu + cores_of(merger, host[-1].run->id);
		fit_clock(merger, host);
	}
	place_messages(merger);
	for (size_t i = 0; i < from->strings.count; i++)
		if (from->strings.items[i].run_id == host->run->id)
			add_word(merger, &from->strings.items[i]);
	for (size_t i = 0; i < from->chunks.count; i++)
		if (from->chunks.items[i].run_id == host->run->id)
			add_chunk(merger, &from->chunks.items[i]);
	hash_map_clear(&merger->numbers);
	clock_fit_clear(&merger->clock);
}

/* The run with the first host's clock; 0: the run is of one host. */
static int64_t first_run_of(const struct recording *recording, int64_t run_id)
{
	for (size_t i = 0; i < recording->clocks.count; i++) {
		const struct recording_clock *row = &recording->clocks.items[i];
		if ((row->run_id == run_id || row->first_run_id == run_id) && is_clock(row))
			return row->first_run_id;
	}
	return 0;
}

bool timeline_is_together(const struct recording *recording, const struct recording_run *run,
			  const struct recording_run *other)
{
	int64_t first = first_run_of(recording, run->id);
	return run == other || (first && first == first_run_of(recording, other->id));
}

static void find_hosts(struct timeline *timeline, const struct recording *recording)
{
	int64_t first = timeline->run ? first_run_of(recording, timeline->run->id) : 0;
	const struct recording_run *run = first ? recording_run(recording, first) : NULL;

	if (!run || (run->kind != RUN_TIMELINE && run->kind != RUN_SCALE))
		return;
	*array_add(&timeline->hosts) = (struct timeline_host){.run = run, .name = run->host};
	for (size_t i = 0; i < recording->runs.count; i++) {
		const struct recording_run *other = &recording->runs.items[i];
		if (other != run && other->kind == run->kind &&
		    timeline->hosts.count < TIMELINE_HOSTS_MOST &&
		    first_run_of(recording, other->id) == first)
			*array_add(&timeline->hosts) =
				(struct timeline_host){.run = other, .name = other->host};
	}
}

void timeline_merge_hosts(struct timeline *timeline)
{
	struct merger merger = {.from = timeline->recording, .timeline = timeline};

	find_hosts(timeline, timeline->recording);
	if (timeline->hosts.count < 2) {
		array_free(&timeline->hosts);
		return;
	}
	timeline->run = timeline->hosts.items[0].run;
	merger.run_id = timeline->run->id;
	merger.into = timeline->merged = memory_new(1, sizeof(*merger.into));
	for (unsigned i = 0; i < RANGES; i++)
		merger.next[i] = ranges[i + 1] - (i == 1); /* the last call is SWITCH_NO_CALL */
	for (unsigned i = 0; i < timeline->hosts.count; i++)
		messages_add(&merger.messages, merger.from, timeline->hosts.items[i].run->id, i);
	messages_pair(&merger.messages);
	for (unsigned i = 0; i < timeline->hosts.count; i++)
		add_host(&merger, &timeline->hosts.items[i], i);
	timeline->recording = timeline->merged;
	keep_messages(&merger);
	messages_clear(&merger.messages);
	interner_clear(&merger.texts);
	hash_map_clear(&merger.by_text);
	hash_map_clear(&merger.taken);
}

double timeline_host_loads(struct timeline *timeline)
{
	double whole_ns = (double)(timeline->end_ns - timeline->start_ns), sum = 0, most = 0;

	for (size_t i = 0; i < timeline->hosts.count; i++)
		timeline->hosts.items[i].busy_cores = timeline->hosts.items[i].threads = 0;
	for (size_t i = 0; i < timeline->threads.count && timeline->hosts.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		struct timeline_host *host = &timeline->hosts.items[thread->tid / TIMELINE_TIDS];
		if (!thread->pid || (!thread->states.count && !thread->marks))
			continue;
		host->threads++;
		if (whole_ns > 0)
			host->busy_cores += (double)thread->class_ns[TIMELINE_RUNNING] / whole_ns;
	}
	for (size_t i = 0; i < timeline->hosts.count; i++) {
		double busy = timeline->hosts.items[i].busy_cores;
		sum += busy;
		most = busy > most ? busy : most;
	}
	return sum > 0 ? most * (double)timeline->hosts.count / sum - 1 : 0;
}
