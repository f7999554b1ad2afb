/* SPDX-License-Identifier: BSD-2-Clause */
/* samples_page - the tables of samples_tables.h, as columns. */
#include "report/samples_page.h"

#include "report/columns.h"
#include "report/samples_tables.h"
#include "report/text_table.h"

struct writer {
	struct columns columns;
	struct samples_tables tables;
	struct text_table texts;
	ARRAY(const struct recording_thread *) threads; /* by number */
	ARRAY(size_t) thread_of;                        /* each entry's */
};

static void add_text(struct writer *writer, const char *text)
{
	columns_number(&writer->columns,
		       text ? (int64_t)text_table_add(&writer->texts, text) + 1 : 0);
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
	columns_begin(&writer->columns, key);
	for (size_t i = 0; i < writer->tables.frames.count; i++)
		add_text(writer, text_of(writer->tables.frames.items[i].code));
	columns_end(&writer->columns);
}

static void write_frames(struct writer *writer)
{
	struct columns *columns = &writer->columns;

	columns_open(columns, "frames");
	columns_begin(columns, "kernel");
	for (size_t i = 0; i < writer->tables.frames.count; i++)
		columns_number(columns, writer->tables.frames.items[i].class == CLASS_KERNEL);
	columns_end(columns);
	columns_begin(columns, "line");
	for (size_t i = 0; i < writer->tables.frames.count; i++)
		columns_number(columns, writer->tables.frames.items[i].code->line);
	columns_end(columns);
	write_frame_texts(writer, "function", function_of);
	write_frame_texts(writer, "file", file_of);
	write_frame_texts(writer, "object", object_of);
	columns_close(columns);
}

static void write_stacks(struct writer *writer)
{
	struct columns *columns = &writer->columns;

	columns_open(columns, "stacks");
	columns_begin(columns, "frame");
	for (size_t i = 0; i < writer->tables.stacks.count; i++)
		columns_number(columns, (int64_t)writer->tables.stacks.items[i].frame);
	columns_end(columns);
	columns_begin(columns, "up");
	for (size_t i = 0; i < writer->tables.stacks.count; i++) {
		size_t caller = writer->tables.stacks.items[i].caller;
		columns_number(columns, caller ? (int64_t)(i + 1 - caller) : 0);
	}
	columns_end(columns);
	columns_close(columns);
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
	struct columns *columns = &writer->columns;

	columns_open(columns, "threads");
	columns_begin(columns, "pid");
	for (size_t i = 0; i < writer->threads.count; i++)
		columns_number(columns, writer->threads.items[i]->pid);
	columns_end(columns);
	columns_begin(columns, "tid");
	for (size_t i = 0; i < writer->threads.count; i++)
		columns_number(columns, writer->threads.items[i]->tid);
	columns_end(columns);
	columns_begin(columns, "command");
	for (size_t i = 0; i < writer->threads.count; i++)
		add_text(writer, writer->threads.items[i]->command);
	columns_end(columns);
	columns_close(columns);
}

static void write_entries(struct writer *writer)
{
	struct columns *columns = &writer->columns;
	size_t count = writer->tables.entries.count;

	columns_open(columns, "entries");
	columns_begin(columns, "stack");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, (int64_t)writer->tables.stack_of.items[i]);
	columns_end(columns);
	columns_begin(columns, "thread");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, (int64_t)writer->thread_of.items[i]);
	columns_end(columns);
	columns_begin(columns, "class");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, writer->tables.entries.items[i]->moment->class);
	columns_end(columns);
	columns_begin(columns, "subclass");
	for (size_t i = 0; i < count; i++)
		add_text(writer, writer->tables.entries.items[i]->moment->subclass);
	columns_end(columns);
	columns_begin(columns, "samples");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, (int64_t)writer->tables.entries.items[i]->moment->samples);
	columns_end(columns);
	columns_begin(columns, "weight_ns");
	for (size_t i = 0; i < count; i++)
		columns_number(columns,
			       (int64_t)writer->tables.entries.items[i]->moment->weight_ns);
	columns_end(columns);
	columns_close(columns);
}

void samples_page_write(FILE *out, const struct samples *samples)
{
	struct writer writer = {
		.columns.out = out,
		.tables = samples_tables_of(samples, NULL, false),
	};

	number_threads(&writer, samples->recording);
	columns_open(&writer.columns, NULL);
	write_frames(&writer);
	write_stacks(&writer);
	write_threads(&writer);
	write_entries(&writer);
	columns_begin(&writer.columns, "texts");
	for (size_t i = 0; i < writer.texts.items.count; i++)
		columns_text(&writer.columns, writer.texts.items.items[i]);
	columns_end(&writer.columns);
	columns_close(&writer.columns);
	samples_tables_free(&writer.tables);
	text_table_free(&writer.texts);
	array_free(&writer.threads);
	array_free(&writer.thread_of);
}
