/* SPDX-License-Identifier: BSD-2-Clause */
/* tables - marks the rows that are used, then numbers them in the recording's order. */
#include "report/samples/tables.h"

#include "base/text.h"
#include "report/samples/names.h"

struct numbering {
	struct samples_tables *tables;
	const struct recording *recording;
	size_t *frames; /* of each row of the recording: its number + 1; 0: not used */
	size_t *stacks; /* the same; USED until it is numbered */
};

#define USED SIZE_MAX

bool samples_entry_is_of(const struct samples_entry *entry, const struct recording_thread *thread)
{
	return entry->thread == thread ||
	       (entry->thread->pid == thread->pid && entry->thread->tid == thread->tid &&
		text_equals(entry->thread->command, thread->command));
}

static void mark(struct numbering *numbering, uint64_t stack_id)
{
	const struct recording *recording = numbering->recording;

	while (stack_id) {
		const struct recording_stack *stack = recording_stack(recording, (int64_t)stack_id);
		size_t *number = &numbering->stacks[stack - recording->stacks.items];
		if (*number)
			return;
		*number = USED;
		stack_id = stack->caller_id;
	}
}

/* The number + 1 of the chain with this id, once it is numbered; 0: no chain. */
static size_t number_of(const struct numbering *numbering, uint64_t stack_id)
{
	const struct recording *recording = numbering->recording;
	if (!stack_id)
		return 0;
	return numbering
		->stacks[recording_stack(recording, (int64_t)stack_id) - recording->stacks.items];
}

static size_t number_frame(struct numbering *numbering, int64_t frame_id)
{
	const struct recording_frame *frame = recording_frame(numbering->recording, frame_id);
	size_t *number = &numbering->frames[frame - numbering->recording->frames.items];

	if (!*number) {
		*array_add(&numbering->tables->frames) = (struct samples_frame){
			.code = frame,
			.class = frame->kind == FRAME_KERNEL ? CLASS_KERNEL : CLASS_USER,
		};
		*number = numbering->tables->frames.count;
	}
	return *number - 1;
}

/* A caller has a smaller id than its callees, and so a smaller number. */
static void number_stacks(struct numbering *numbering)
{
	const struct recording *recording = numbering->recording;

	for (size_t i = 0; i < recording->stacks.count; i++) {
		const struct recording_stack *stack = &recording->stacks.items[i];
		if (numbering->stacks[i] != USED)
			continue;
		*array_add(&numbering->tables->stacks) = (struct samples_stack){
			.caller = number_of(numbering, stack->caller_id),
			.frame = number_frame(numbering, stack->frame_id),
		};
		numbering->stacks[i] = numbering->tables->stacks.count;
	}
}

static size_t wait_frame(struct samples_tables *tables,
			 const struct recording_stack_sample *stack_sample)
{
	for (size_t i = tables->frames.count; i-- > 0;) {
		const struct samples_frame *frame = &tables->frames.items[i];
		if (frame->code)
			break; /* waits follow the frames of code */
		if (frame->class == stack_sample->class &&
		    text_equals(frame->subclass, stack_sample->subclass))
			return i;
	}
	*array_add(&tables->frames) = (struct samples_frame){.class = stack_sample->class,
							     .subclass = stack_sample->subclass};
	return tables->frames.count - 1;
}

static void add_waits(struct samples_tables *tables)
{
	for (size_t i = 0; i < tables->entries.count; i++) {
		const struct recording_stack_sample *stack_sample =
			tables->entries.items[i]->stack_sample;
		if (stack_sample->class <= CLASS_KERNEL)
			continue;
		size_t frame = wait_frame(tables, stack_sample);
		*array_add(&tables->stacks) = (struct samples_stack){
			.caller = tables->stack_of.items[i],
			.frame = frame,
		};
		tables->stack_of.items[i] = tables->stacks.count;
	}
}

struct samples_tables samples_tables_of(const struct samples *samples,
					const struct recording_thread *thread, bool waits)
{
	const struct recording *recording = samples->recording;
	struct samples_tables tables = {0};
	struct numbering numbering = {
		.tables = &tables,
		.recording = recording,
		.frames = memory_new(recording->frames.count + 1, sizeof(size_t)),
		.stacks = memory_new(recording->stacks.count + 1, sizeof(size_t)),
	};

	for (size_t i = 0; i < samples->count; i++) {
		const struct samples_entry *entry = &samples->entries[i];
		if (thread && !samples_entry_is_of(entry, thread))
			continue;
		*array_add(&tables.entries) = entry;
		mark(&numbering, entry->stack_sample->stack_id);
	}
	number_stacks(&numbering);
	for (size_t i = 0; i < tables.entries.count; i++)
		*array_add(&tables.stack_of) =
			number_of(&numbering, tables.entries.items[i]->stack_sample->stack_id);
	if (waits)
		add_waits(&tables);
	free(numbering.frames);
	free(numbering.stacks);
	return tables;
}

void samples_tables_free(struct samples_tables *tables)
{
	array_free(&tables->frames);
	array_free(&tables->stacks);
	array_free(&tables->entries);
	array_free(&tables->stack_of);
}

char *samples_frame_name(const struct samples_frame *frame)
{
	return frame->code ? samples_function_name(frame->code) :
			     samples_wait_name(frame->class, frame->subclass);
}

const struct recording_thread **samples_threads(const struct samples *samples, size_t *count)
{
	struct samples_rows rows = samples_group(samples, SAMPLES_BY_THREAD);
	const struct recording_thread **threads = memory_new(rows.count + 1, sizeof(*threads));

	for (size_t i = 0; i < rows.count; i++)
		threads[i] = rows.items[i].first->thread;
	*count = rows.count;
	samples_rows_clear(&rows);
	return threads;
}
