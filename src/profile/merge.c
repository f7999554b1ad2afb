/* SPDX-License-Identifier: BSD-2-Clause */
/* merge - copies rows with ids that count up from 1, as readers find those at once. */
#include "profile/merge.h"

#include "base/cleanup.h"
#include "base/hash_map.h"
#include "base/interner.h"
#include "base/text.h"
#include "profile/rows.h"

#include <string.h>
#include <time.h>

#define EDGE_S 2

/* Notes of runs that differ in the number at their beginning only are one, with the sum. */
struct note {
	uint64_t number;
	char *rest;
};

struct merge {
	struct recording *recording;
	ARRAY(struct note) notes;
	struct interner frames; /* by all their content: the frame's id */
	struct hash_map stacks; /* (caller, frame): the stack's id */
	struct hash_map run_of, frame_of, stack_of, thread_of; /* of the file: its id, here */
};

struct merge *merge_new(void)
{
	struct merge *merge = memory_new(1, sizeof(*merge));

	merge->recording = memory_new(1, sizeof(*merge->recording));
	return merge;
}

static void add_note(struct merge *merge, const char *line)
{
	char *rest;
	uint64_t number = strtoull(line, &rest, 10);

	for (size_t i = 0; i < merge->notes.count; i++) {
		if (strcmp(merge->notes.items[i].rest, rest) != 0)
			continue;
		merge->notes.items[i].number += number;
		return;
	}
	*array_add(&merge->notes) = (struct note){number, text_copy(rest)};
}

static void take_notes(struct merge *merge, struct recording_run *run)
{
	AUTO(text) char *note = take(&run->note);
	char *rest = note;

	for (char *line; (line = strsep(&rest, "\n"));)
		if (*line)
			add_note(merge, line);
}

static void forget_notes(struct merge *merge)
{
	for (size_t i = 0; i < merge->notes.count; i++)
		free(merge->notes.items[i].rest);
	array_free(&merge->notes);
}

static void forget_ids(struct merge *merge)
{
	hash_map_clear(&merge->run_of);
	hash_map_clear(&merge->frame_of);
	hash_map_clear(&merge->stack_of);
	hash_map_clear(&merge->thread_of);
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	forget_ids(merge);
	forget_notes(merge);
	interner_clear(&merge->frames);
	hash_map_clear(&merge->stacks);
	recording_free(merge->recording);
	free(merge);
}

static uint32_t id_of(const struct hash_map *ids, int64_t id)
{
	return hash_map_get(ids, (uint64_t)id, 0);
}

/*
 * A recording ends a moment after its time, and the next one begins then: a part as short as that
 * at the edge of a longer range does not count.
 */
static bool was_on(const struct recording_run *run, int64_t first_s, int64_t last_s)
{
	int64_t end = run->wall_ns ? run->started_s + (int64_t)(run->wall_ns / 1000000000) :
				     (int64_t)time(NULL); /* it is still written */
	int64_t least = last_s - first_s > 2 * EDGE_S ? EDGE_S : 0;
	int64_t common = (end < last_s ? end : last_s) -
			 (run->started_s > first_s ? run->started_s : first_s);

	return run->kind == RUN_SAMPLES &&
	       (common > least || (run->started_s >= first_s && end <= last_s));
}

/* A new last row of the table, with texts of its own. */
static void *copy_row(struct recording *into, size_t table, const void *row)
{
	char *added = rows_add(into, table);

	memcpy(added, row, schema_tables[table].row_size);
	for (size_t i = 0; i < schema_tables[table].count; i++) {
		const struct column *column = &schema_tables[table].columns[i];
		char **text = (char **)(void *)(added + column->offset);
		if (column->type == COLUMN_TEXT)
			*text = text_copy(*text);
	}
	return added;
}

static void add_runs(struct merge *merge, const struct recording *from, int64_t first_s,
		     int64_t last_s)
{
	struct recording *into = merge->recording;

	for (size_t i = 0; i < from->runs.count; i++) {
		const struct recording_run *run = &from->runs.items[i];
		if (!was_on(run, first_s, last_s))
			continue;
		struct recording_run *added = copy_row(into, TABLE_RUN, run);
		added->id = (int64_t)into->runs.count;
		take_notes(merge, added);
		hash_map_set(&merge->run_of, (uint64_t)run->id, 0, (uint32_t)added->id);
	}
	for (size_t i = 0; i < from->overheads.count; i++) {
		uint32_t run = id_of(&merge->run_of, from->overheads.items[i].run_id);
		if (run == HASH_MAP_NONE)
			continue;
		struct recording_overhead *added =
			copy_row(into, TABLE_OVERHEAD, &from->overheads.items[i]);
		added->run_id = run;
	}
}

static void add_frames(struct merge *merge, const struct recording *from)
{
	struct recording *into = merge->recording;

	for (size_t i = 0; i < from->frames.count; i++) {
		const struct recording_frame *frame = &from->frames.items[i];
		AUTO(text)
		char *key = text_format("%d\n%u\n%s\n%s\n%s\n%s", (int)frame->kind, frame->line,
					frame->function ? frame->function : "\1",
					frame->file ? frame->file : "\1",
					frame->object ? frame->object : "\1",
					frame->content ? frame->content : "\1");
		uint32_t id = interner_add(&merge->frames, key);
		hash_map_set(&merge->frame_of, (uint64_t)frame->id, 0, id);
		if (id <= into->frames.count)
			continue;
		struct recording_frame *added = copy_row(into, TABLE_FRAME, frame);
		added->id = id;
	}
}

/* Callers come before what they call. */
static void add_stacks(struct merge *merge, const struct recording *from)
{
	struct recording *into = merge->recording;

	for (size_t i = 0; i < from->stacks.count; i++) {
		const struct recording_stack *stack = &from->stacks.items[i];
		uint32_t frame = id_of(&merge->frame_of, stack->frame_id);
		uint32_t caller =
			stack->caller_id ? id_of(&merge->stack_of, (int64_t)stack->caller_id) : 0;
		uint32_t id = hash_map_get(&merge->stacks, caller, frame);
		if (id == HASH_MAP_NONE) {
			struct recording_stack *added = array_add(&into->stacks);
			id = (uint32_t)into->stacks.count;
			*added = (struct recording_stack){.id = id,
							  .caller_id = caller,
							  .frame_id = frame};
			hash_map_set(&merge->stacks, caller, frame, id);
		}
		hash_map_set(&merge->stack_of, (uint64_t)stack->id, 0, id);
	}
}

static void add_threads(struct merge *merge, const struct recording *from)
{
	struct recording *into = merge->recording;

	for (size_t i = 0; i < from->threads.count; i++) {
		const struct recording_thread *thread = &from->threads.items[i];
		uint32_t run = id_of(&merge->run_of, thread->run_id);
		if (run == HASH_MAP_NONE)
			continue;
		struct recording_thread *added = copy_row(into, TABLE_THREAD, thread);
		added->id = (int64_t)into->threads.count;
		added->run_id = run;
		hash_map_set(&merge->thread_of, (uint64_t)thread->id, 0, (uint32_t)added->id);
	}
}

static uint64_t stack_of(const struct merge *merge, uint64_t stack_id)
{
	return stack_id ? id_of(&merge->stack_of, (int64_t)stack_id) : 0;
}

static void add_samples(struct merge *merge, const struct recording *from)
{
	struct recording *into = merge->recording;

	for (size_t i = 0; i < from->stack_samples.count; i++) {
		const struct recording_stack_sample *sample = &from->stack_samples.items[i];
		uint32_t run = id_of(&merge->run_of, sample->run_id);
		uint32_t thread = id_of(&merge->thread_of, sample->thread_id);
		if (run == HASH_MAP_NONE || thread == HASH_MAP_NONE)
			continue;
		struct recording_stack_sample *added = copy_row(into, TABLE_STACK_SAMPLE, sample);
		added->id = (int64_t)into->stack_samples.count;
		added->run_id = run;
		added->thread_id = thread;
		added->stack_id = stack_of(merge, sample->stack_id);
	}
	for (size_t i = 0; i < from->wakeups.count; i++) {
		const struct recording_wakeup *wakeup = &from->wakeups.items[i];
		uint32_t run = id_of(&merge->run_of, wakeup->run_id);
		uint32_t thread = id_of(&merge->thread_of, wakeup->thread_id);
		if (run == HASH_MAP_NONE || thread == HASH_MAP_NONE)
			continue;
		struct recording_wakeup *added = copy_row(into, TABLE_WAKEUP, wakeup);
		added->id = (int64_t)into->wakeups.count;
		added->run_id = run;
		added->thread_id = thread;
		added->stack_id = stack_of(merge, wakeup->stack_id);
	}
}

size_t merge_add(struct merge *merge, const struct recording *from, int64_t first_s, int64_t last_s)
{
	size_t before = merge->recording->runs.count;

	add_runs(merge, from, first_s, last_s);
	if (merge->recording->runs.count > before) {
		merge->recording->owner_uid = from->owner_uid;
		add_frames(merge, from);
		add_stacks(merge, from);
		add_threads(merge, from);
		add_samples(merge, from);
	}
	forget_ids(merge);
	return merge->recording->runs.count - before;
}

struct recording *merge_take(struct merge *merge)
{
	struct recording *recording = merge->recording;

	for (size_t i = 0; i < merge->notes.count && recording->runs.count; i++) {
		const struct note *note = &merge->notes.items[i];
		text_add_line(&recording->runs.items[0].note,
			      note->number ? text_format("%llu%s", (unsigned long long)note->number,
							 note->rest) :
					     text_copy(note->rest));
	}
	forget_notes(merge);
	merge->recording = memory_new(1, sizeof(*merge->recording));
	interner_clear(&merge->frames);
	hash_map_clear(&merge->stacks);
	return recording;
}
