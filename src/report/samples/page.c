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

static void add_text(struct writer *writer, const char *text)
{
	json_put_number(&writer->json,
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
	json_begin_array(&writer->json, key);
	for (size_t i = 0; i < writer->tables.frames.count; i++)
		add_text(writer, text_of(writer->tables.frames.items[i].code));
	json_end_array(&writer->json);
}

static void write_frames(struct writer *writer)
{
	struct json_writer *json = &writer->json;

	json_begin_object(json, "frames");
	json_begin_array(json, "kernel");
	for (size_t i = 0; i < writer->tables.frames.count; i++)
		json_put_number(json, writer->tables.frames.items[i].class == CLASS_KERNEL);
	json_end_array(json);
	json_begin_array(json, "line");
	for (size_t i = 0; i < writer->tables.frames.count; i++)
		json_put_number(json, writer->tables.frames.items[i].code->line);
	json_end_array(json);
	write_frame_texts(writer, "function", function_of);
	write_frame_texts(writer, "file", file_of);
	write_frame_texts(writer, "object", object_of);
	json_end_object(json);
}

static void write_stacks(struct writer *writer)
{
	struct json_writer *json = &writer->json;

	json_begin_object(json, "stacks");
	json_begin_array(json, "frame");
	for (size_t i = 0; i < writer->tables.stacks.count; i++)
		json_put_number(json, (int64_t)writer->tables.stacks.items[i].frame);
	json_end_array(json);
	json_begin_array(json, "up");
	for (size_t i = 0; i < writer->tables.stacks.count; i++) {
		size_t caller = writer->tables.stacks.items[i].caller;
		json_put_number(json, caller ? (int64_t)(i + 1 - caller) : 0);
	}
	json_end_array(json);
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

	json_begin_object(json, "threads");
	json_begin_array(json, "pid");
	for (size_t i = 0; i < writer->threads.count; i++)
		json_put_number(json, writer->threads.items[i]->pid);
	json_end_array(json);
	json_begin_array(json, "tid");
	for (size_t i = 0; i < writer->threads.count; i++)
		json_put_number(json, writer->threads.items[i]->tid);
	json_end_array(json);
	json_begin_array(json, "command");
	for (size_t i = 0; i < writer->threads.count; i++)
		add_text(writer, writer->threads.items[i]->command);
	json_end_array(json);
	json_end_object(json);
}

static void write_entries(struct writer *writer)
{
	struct json_writer *json = &writer->json;
	size_t count = writer->tables.entries.count;

	json_begin_object(json, "entries");
	json_begin_array(json, "stack");
	for (size_t i = 0; i < count; i++)
		json_put_number(json, (int64_t)writer->tables.stack_of.items[i]);
	json_end_array(json);
	json_begin_array(json, "thread");
	for (size_t i = 0; i < count; i++)
		json_put_number(json, (int64_t)writer->thread_of.items[i]);
	json_end_array(json);
	json_begin_array(json, "class");
	for (size_t i = 0; i < count; i++)
		json_put_number(json, writer->tables.entries.items[i]->stack_sample->class);
	json_end_array(json);
	json_begin_array(json, "subclass");
	for (size_t i = 0; i < count; i++)
		add_text(writer, writer->tables.entries.items[i]->stack_sample->subclass);
	json_end_array(json);
	json_begin_array(json, "samples");
	for (size_t i = 0; i < count; i++)
		json_put_number(json,
				(int64_t)writer->tables.entries.items[i]->stack_sample->samples);
	json_end_array(json);
	json_begin_array(json, "weight_ns");
	for (size_t i = 0; i < count; i++)
		json_put_number(json,
				(int64_t)writer->tables.entries.items[i]->stack_sample->weight_ns);
	json_end_array(json);
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
	json_begin_array(&writer.json, "texts");
	for (size_t i = 0; i < writer.texts.items.count; i++)
		json_put_text(&writer.json, writer.texts.items.items[i]);
	json_end_array(&writer.json);
	json_end_object(&writer.json);
	samples_tables_free(&writer.tables);
	interner_clear(&writer.texts);
	array_free(&writer.threads);
	array_free(&writer.thread_of);
}
