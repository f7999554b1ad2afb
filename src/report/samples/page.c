/* SPDX-License-Identifier: BSD-2-Clause */
/* page - writes the tables of tables.h as columns. */
#include "report/samples/page.h"

#include "base/json.h"
#include "report/samples/tables.h"
#include "report/string_table.h"

struct writer {
	struct json_writer json;
	struct samples_tables tables;
	struct interner texts;
	ARRAY(const struct recording_thread *) threads; /* by number */
	ARRAY(size_t) thread_of;                        /* of each entry */
};

static int64_t add_text(struct writer *writer, const char *text)
{
	return text ? (int64_t)string_table_add(&writer->texts, text) + 1 : 0;
}

static void write_frames(struct writer *writer)
{
	struct json_writer *json = &writer->json;
	const struct samples_frame *frames = writer->tables.frames.items;
	size_t count = writer->tables.frames.count;

	json_begin_object(json, "frames");
	JSON_PUT_COLUMN(json, "kernel", count, frames[i].class == CLASS_KERNEL);
	JSON_PUT_COLUMN(json, "line", count, frames[i].code->line);
	JSON_PUT_COLUMN(json, "function", count, add_text(writer, frames[i].code->function));
	JSON_PUT_COLUMN(json, "file", count, add_text(writer, frames[i].code->file));
	JSON_PUT_COLUMN(json, "object", count, add_text(writer, frames[i].code->object));
	json_end_object(json);
}

static void write_stacks(struct writer *writer)
{
	struct json_writer *json = &writer->json;
	const struct samples_stack *stacks = writer->tables.stacks.items;
	size_t count = writer->tables.stacks.count;

	json_begin_object(json, "stacks");
	JSON_PUT_COLUMN(json, "frame", count, stacks[i].frame);
	JSON_PUT_COLUMN(json, "up", count, stacks[i].caller ? i + 1 - stacks[i].caller : 0);
	json_end_object(json);
}

/* Threads are rows of the recording: equal addresses are equal threads. */
static void number_threads(struct writer *writer, const struct recording *recording)
{
	size_t *numbers = memory_new(recording->threads.count + 1, sizeof(*numbers));

	for (size_t i = 0; i < writer->tables.entries.count; i++) {
		const struct recording_thread *thread = writer->tables.entries.items[i]->thread;
		size_t *number = &numbers[thread - recording->threads.items];
		if (!*number) {
			*array_add(&writer->threads) = thread;
			*number = writer->threads.count;
		}
		*array_add(&writer->thread_of) = *number - 1;
	}
	free(numbers);
}

static void write_threads(struct writer *writer)
{
	struct json_writer *json = &writer->json;
	const struct recording_thread **threads = writer->threads.items;
	size_t count = writer->threads.count;

	json_begin_object(json, "threads");
	JSON_PUT_COLUMN(json, "pid", count, threads[i]->pid);
	JSON_PUT_COLUMN(json, "tid", count, threads[i]->tid);
	JSON_PUT_COLUMN(json, "command", count, add_text(writer, threads[i]->command));
	json_end_object(json);
}

static void write_entries(struct writer *writer)
{
	struct json_writer *json = &writer->json;
	const struct samples_entry **entries = writer->tables.entries.items;
	size_t count = writer->tables.entries.count;

	json_begin_object(json, "entries");
	JSON_PUT_COLUMN(json, "stack", count, writer->tables.stack_of.items[i]);
	JSON_PUT_COLUMN(json, "thread", count, writer->thread_of.items[i]);
	JSON_PUT_COLUMN(json, "class", count, entries[i]->stack_sample->class);
	JSON_PUT_COLUMN(json, "subclass", count,
			add_text(writer, entries[i]->stack_sample->subclass));
	JSON_PUT_COLUMN(json, "samples", count, entries[i]->stack_sample->samples);
	JSON_PUT_COLUMN(json, "weight_ns", count, entries[i]->stack_sample->weight_ns);
	json_end_object(json);
}

void samples_page_write(FILE *out, const struct samples *samples)
{
	struct writer writer = {
		.json.out = out,
		.tables = samples_tables_of(samples, NULL, false),
	};

	number_threads(&writer, samples->recording);
	json_begin_object(&writer.json, NULL);
	write_frames(&writer);
	write_stacks(&writer);
	write_threads(&writer);
	write_entries(&writer);
	string_table_write(&writer.json, "texts", &writer.texts);
	json_end_object(&writer.json);
	samples_tables_free(&writer.tables);
	interner_clear(&writer.texts);
	array_free(&writer.threads);
	array_free(&writer.thread_of);
}
