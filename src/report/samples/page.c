/* SPDX-License-Identifier: BSD-2-Clause */
/* samples_page - the tables of samples_tables.h, as json_columns. */
#include "report/samples/page.h"

#include "report/json_columns.h"
#include "report/samples/tables.h"
#include "report/string_table.h"

struct writer {
	struct json_columns json_columns;
	struct samples_tables tables;
	struct interner texts;
	ARRAY(const struct recording_thread *) threads; /* by number */
	ARRAY(size_t) thread_of;                        /* each entry's */
};

static void add_text(struct writer *writer, const char *text)
{
	json_columns_number(&writer->json_columns,
			    text ? (int64_t)string_table_add(&writer->texts, text) + 1 : 0);
}

typedef const char *frame_text(const struct recording_frame *frame);

static const char *function_of(const struct recording_frame *frame)
{
	return frame->function;
}

static const char *file_of(const struct recording_frame *frame)
{
	return frame->file;
}

static const char *object_of(const struct recording_frame *frame)
{
	return frame->object;
}

static void write_frame_texts(struct writer *writer, const char *key, frame_text *text_of)
{
	json_columns_begin(&writer->json_columns, key);
	for (size_t i = 0; i < writer->tables.frames.count; i++)
		add_text(writer, text_of(writer->tables.frames.items[i].code));
	json_columns_end(&writer->json_columns);
}

static void write_frames(struct writer *writer)
{
	struct json_columns *json_columns = &writer->json_columns;

	json_columns_open(json_columns, "frames");
	json_columns_begin(json_columns, "kernel");
	for (size_t i = 0; i < writer->tables.frames.count; i++)
		json_columns_number(json_columns,
				    writer->tables.frames.items[i].class == CLASS_KERNEL);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "line");
	for (size_t i = 0; i < writer->tables.frames.count; i++)
		json_columns_number(json_columns, writer->tables.frames.items[i].code->line);
	json_columns_end(json_columns);
	write_frame_texts(writer, "function", function_of);
	write_frame_texts(writer, "file", file_of);
	write_frame_texts(writer, "object", object_of);
	json_columns_close(json_columns);
}

static void write_stacks(struct writer *writer)
{
	struct json_columns *json_columns = &writer->json_columns;

	json_columns_open(json_columns, "stacks");
	json_columns_begin(json_columns, "frame");
	for (size_t i = 0; i < writer->tables.stacks.count; i++)
		json_columns_number(json_columns, (int64_t)writer->tables.stacks.items[i].frame);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "up");
	for (size_t i = 0; i < writer->tables.stacks.count; i++) {
		size_t caller = writer->tables.stacks.items[i].caller;
		json_columns_number(json_columns, caller ? (int64_t)(i + 1 - caller) : 0);
	}
	json_columns_end(json_columns);
	json_columns_close(json_columns);
}

/* Threads are rows of the recording: the same one, the same address. */
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
	struct json_columns *json_columns = &writer->json_columns;

	json_columns_open(json_columns, "threads");
	json_columns_begin(json_columns, "pid");
	for (size_t i = 0; i < writer->threads.count; i++)
		json_columns_number(json_columns, writer->threads.items[i]->pid);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "tid");
	for (size_t i = 0; i < writer->threads.count; i++)
		json_columns_number(json_columns, writer->threads.items[i]->tid);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "command");
	for (size_t i = 0; i < writer->threads.count; i++)
		add_text(writer, writer->threads.items[i]->command);
	json_columns_end(json_columns);
	json_columns_close(json_columns);
}

static void write_entries(struct writer *writer)
{
	struct json_columns *json_columns = &writer->json_columns;
	size_t count = writer->tables.entries.count;

	json_columns_open(json_columns, "entries");
	json_columns_begin(json_columns, "stack");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns, (int64_t)writer->tables.stack_of.items[i]);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "thread");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns, (int64_t)writer->thread_of.items[i]);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "class");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns,
				    writer->tables.entries.items[i]->stack_sample->class);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "subclass");
	for (size_t i = 0; i < count; i++)
		add_text(writer, writer->tables.entries.items[i]->stack_sample->subclass);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "samples");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns, (int64_t)writer->tables.entries.items[i]
							  ->stack_sample->samples);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "weight_ns");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns, (int64_t)writer->tables.entries.items[i]
							  ->stack_sample->weight_ns);
	json_columns_end(json_columns);
	json_columns_close(json_columns);
}

void samples_page_write(FILE *out, const struct samples *samples)
{
	struct writer writer = {
		.json_columns.out = out,
		.tables = samples_tables_of(samples, NULL, false),
	};

	number_threads(&writer, samples->recording);
	json_columns_open(&writer.json_columns, NULL);
	write_frames(&writer);
	write_stacks(&writer);
	write_threads(&writer);
	write_entries(&writer);
	json_columns_begin(&writer.json_columns, "texts");
	for (size_t i = 0; i < writer.texts.items.count; i++)
		json_columns_text(&writer.json_columns, writer.texts.items.items[i]);
	json_columns_end(&writer.json_columns);
	json_columns_close(&writer.json_columns);
	samples_tables_free(&writer.tables);
	interner_clear(&writer.texts);
	array_free(&writer.threads);
	array_free(&writer.thread_of);
}
