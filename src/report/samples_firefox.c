/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples_firefox - samples in the Firefox Profiler's processed format, version 48, which
 * profiler.firefox.com opens as a file.
 *
 * Each thread has tables of its own. Classes are categories; off CPU, a chain ends in a frame that
 * says what was waited for. Equal samples are added up, so they have no times of their own: a
 * thread's samples stand one after the other, each as long as the time it stands for.
 */
#include "report/report.h"

#include "base/own.h"
#include "report/columns.h"
#include "report/samples_tables.h"
#include "report/samples_words.h"
#include "report/sums.h"
#include "report/text_table.h"
#include "report/words.h"

#include <string.h>

#define VERSION 48
#define GECKO_VERSION 24
#define NS_PER_MS 1e6

/* By class; the colours are those that the Firefox Profiler knows by name. */
static const struct {
	const char *name, *colour;
} categories[SAMPLE_CLASSES] = {
	[CLASS_USER] = {"User", "blue"},         [CLASS_KERNEL] = {"Kernel", "lightblue"},
	[CLASS_IO] = {"I/O", "orange"},          [CLASS_LOCK] = {"Lock", "red"},
	[CLASS_RUNNABLE] = {"No CPU", "yellow"}, [CLASS_OTHER] = {"Waiting", "grey"},
};

struct thread_writer {
	struct columns columns;
	struct samples_tables tables;
	struct text_table texts, functions, objects;
	ARRAY(size_t) function_of;                 /* each frame's */
	ARRAY(const struct samples_frame *) first; /* frame of each function */
	struct text_table *libraries;              /* of the profile */
};

static const char *object_of(const struct samples_frame *frame)
{
	return frame->code ? frame->code->object : NULL;
}

/* Frames of equal name, file and object are of one function. */
static void number_functions(struct thread_writer *writer)
{
	for (size_t i = 0; i < writer->tables.frames.count; i++) {
		const struct samples_frame *frame = &writer->tables.frames.items[i];
		const char *file = frame->code ? frame->code->file : NULL;
		const char *object = object_of(frame);
		AUTO(text) char *name = samples_frame_name(frame);
		AUTO(text)
		char *key = text_format("%s\n%s\n%s", name, file ? file : "", object ? object : "");
		size_t number = text_table_add(&writer->functions, key);
		if (number == writer->first.count)
			*array_add(&writer->first) = frame;
		*array_add(&writer->function_of) = number;
		if (object)
			text_table_add(&writer->objects, object);
	}
}

static void write_frames(struct thread_writer *writer)
{
	struct columns *columns = &writer->columns;
	size_t count = writer->tables.frames.count;

	columns_open(columns, "frameTable");
	columns_key(columns, "length");
	fprintf(columns->out, "%zu", count);
	columns_constant(columns, "address", "-1", count);
	columns_constant(columns, "inlineDepth", "0", count);
	columns_constant(columns, "nativeSymbol", "null", count);
	columns_constant(columns, "innerWindowID", "0", count);
	columns_constant(columns, "implementation", "null", count);
	columns_constant(columns, "column", "null", count);
	columns_constant(columns, "subcategory", "0", count);
	columns_begin(columns, "category");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, writer->tables.frames.items[i].class);
	columns_end(columns);
	columns_begin(columns, "func");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, (int64_t)writer->function_of.items[i]);
	columns_end(columns);
	columns_begin(columns, "line");
	for (size_t i = 0; i < count; i++) {
		const struct recording_frame *code = writer->tables.frames.items[i].code;
		if (code && code->line)
			columns_number(columns, code->line);
		else
			columns_null(columns);
	}
	columns_end(columns);
	columns_close(columns);
}

static void write_function_files(struct thread_writer *writer)
{
	struct columns *columns = &writer->columns;

	columns_begin(columns, "fileName");
	for (size_t i = 0; i < writer->first.count; i++) {
		const struct recording_frame *code = writer->first.items[i]->code;
		if (code && code->file)
			columns_number(columns,
				       (int64_t)text_table_add(&writer->texts, code->file));
		else
			columns_null(columns);
	}
	columns_end(columns);
	columns_begin(columns, "resource");
	for (size_t i = 0; i < writer->first.count; i++) {
		const char *object = object_of(writer->first.items[i]);
		columns_number(columns,
			       object ? (int64_t)text_table_add(&writer->objects, object) : -1);
	}
	columns_end(columns);
}

static void write_functions(struct thread_writer *writer)
{
	struct columns *columns = &writer->columns;
	size_t count = writer->first.count;

	columns_open(columns, "funcTable");
	columns_key(columns, "length");
	fprintf(columns->out, "%zu", count);
	columns_constant(columns, "isJS", "false", count);
	columns_constant(columns, "relevantForJS", "false", count);
	columns_constant(columns, "lineNumber", "null", count);
	columns_constant(columns, "columnNumber", "null", count);
	columns_begin(columns, "name");
	for (size_t i = 0; i < count; i++) {
		AUTO(text) char *name = samples_frame_name(writer->first.items[i]);
		columns_number(columns, (int64_t)text_table_add(&writer->texts, name));
	}
	columns_end(columns);
	write_function_files(writer);
	columns_close(columns);
}

static void write_resources(struct thread_writer *writer)
{
	struct columns *columns = &writer->columns;
	size_t count = writer->objects.items.count;

	columns_open(columns, "resourceTable");
	columns_key(columns, "length");
	fprintf(columns->out, "%zu", count);
	columns_constant(columns, "host", "null", count);
	columns_constant(columns, "type", "1", count); /* a library */
	columns_begin(columns, "name");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, (int64_t)text_table_add(&writer->texts,
								writer->objects.items.items[i]));
	columns_end(columns);
	columns_begin(columns, "lib");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, (int64_t)text_table_add(writer->libraries,
								writer->objects.items.items[i]));
	columns_end(columns);
	columns_close(columns);
}

static void write_stacks(struct thread_writer *writer)
{
	struct columns *columns = &writer->columns;
	size_t count = writer->tables.stacks.count;
	const struct samples_stack *stacks = writer->tables.stacks.items;

	columns_open(columns, "stackTable");
	columns_key(columns, "length");
	fprintf(columns->out, "%zu", count);
	columns_constant(columns, "subcategory", "0", count);
	columns_begin(columns, "frame");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, (int64_t)stacks[i].frame);
	columns_end(columns);
	columns_begin(columns, "category");
	for (size_t i = 0; i < count; i++)
		columns_number(columns, writer->tables.frames.items[stacks[i].frame].class);
	columns_end(columns);
	columns_begin(columns, "prefix");
	for (size_t i = 0; i < count; i++) {
		if (stacks[i].caller)
			columns_number(columns, (int64_t)stacks[i].caller - 1);
		else
			columns_null(columns);
	}
	columns_end(columns);
	columns_close(columns);
}

/*
 * A sample's time is the end of the time that it stands for. CPU time is counted from one sample to the
 * next, so that of the first one would be lost: an empty one stands before it.
 */
static void write_samples(struct thread_writer *writer)
{
	struct columns *columns = &writer->columns;
	size_t count = writer->tables.entries.count;
	uint64_t until_ns = 0;

	columns_open(columns, "samples");
	columns_key(columns, "length");
	fprintf(columns->out, "%zu", count + 1);
	columns_key(columns, "weightType");
	fputs("\"tracing-ms\"", columns->out);
	columns_begin(columns, "stack");
	columns_null(columns);
	for (size_t i = 0; i < count; i++) {
		size_t stack = writer->tables.stack_of.items[i];
		if (stack)
			columns_number(columns, (int64_t)stack - 1);
		else
			columns_null(columns);
	}
	columns_end(columns);
	columns_begin(columns, "time");
	columns_number(columns, 0);
	for (size_t i = 0; i < count; i++) {
		until_ns += writer->tables.entries.items[i]->moment->weight_ns;
		columns_real(columns, (double)until_ns / NS_PER_MS);
	}
	columns_end(columns);
	columns_begin(columns, "weight");
	columns_number(columns, 0);
	for (size_t i = 0; i < count; i++)
		columns_real(columns, (double)writer->tables.entries.items[i]->moment->weight_ns /
					      NS_PER_MS);
	columns_end(columns);
	columns_begin(columns, "threadCPUDelta");
	columns_number(columns, 0);
	for (size_t i = 0; i < count; i++) {
		const struct recording_moment *moment = writer->tables.entries.items[i]->moment;
		bool is_on_cpu = moment->class <= CLASS_KERNEL;
		columns_number(columns, is_on_cpu ? (int64_t)(moment->weight_ns / 1000) : 0);
	}
	columns_end(columns);
	columns_close(columns);
}

static void write_empty(struct columns *columns, const char *key, const char *const *names)
{
	columns_open(columns, key);
	columns_key(columns, "length");
	fputc('0', columns->out);
	for (; *names; names++)
		columns_constant(columns, *names, NULL, 0);
	columns_close(columns);
}

static void write_thread_facts(struct columns *columns, const struct recording_thread *thread)
{
	FILE *out = columns->out;

	columns_key(columns, "name");
	columns_write_text(out, thread->command ? thread->command : "?");
	columns_key(columns, "processName");
	columns_write_text(out, thread->command ? thread->command : "?");
	columns_key(columns, "isMainThread");
	fputs(thread->pid == thread->tid ? "true" : "false", out);
	columns_key(columns, "pid");
	fprintf(out, "\"%u\"", thread->pid);
	columns_key(columns, "tid");
	fprintf(out, "%u", thread->tid);
	columns_key(columns, "processType");
	fputs("\"default\"", out);
	columns_key(columns, "processStartupTime");
	fputc('0', out);
	columns_key(columns, "processShutdownTime");
	fputs("null", out);
	columns_key(columns, "registerTime");
	fputc('0', out);
	columns_key(columns, "unregisterTime");
	fputs("null", out);
	columns_constant(columns, "pausedRanges", NULL, 0);
}

static void write_texts(struct thread_writer *writer)
{
	columns_begin(&writer->columns, "stringArray");
	for (size_t i = 0; i < writer->texts.items.count; i++)
		columns_text(&writer->columns, writer->texts.items.items[i]);
	columns_end(&writer->columns);
}

static void write_thread(FILE *out, const struct samples *samples,
			 const struct recording_thread *thread, struct text_table *libraries)
{
	static const char *const markers[] = {"data",  "name",     "startTime", "endTime",
					      "phase", "category", NULL};
	static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
	struct thread_writer writer = {
		.columns.out = out,
		.tables = samples_tables_of(samples, thread, true),
		.libraries = libraries,
	};

	number_functions(&writer);
	columns_open(&writer.columns, NULL);
	write_thread_facts(&writer.columns, thread);
	write_frames(&writer);
	write_functions(&writer);
	write_resources(&writer);
	write_stacks(&writer);
	write_samples(&writer);
	write_empty(&writer.columns, "markers", markers);
	write_empty(&writer.columns, "nativeSymbols", symbols);
	write_texts(&writer);
	columns_close(&writer.columns);
	samples_tables_free(&writer.tables);
	text_table_free(&writer.texts);
	text_table_free(&writer.functions);
	text_table_free(&writer.objects);
	array_free(&writer.function_of);
	array_free(&writer.first);
}

static void write_libraries(FILE *out, const struct text_table *libraries)
{
	fputs(",\n\"libs\":[", out);
	for (size_t i = 0; i < libraries->items.count; i++) {
		const char *path = libraries->items.items[i];
		const char *slash = strrchr(path, '/');
		struct columns columns = {.out = out};
		fputs(i ? ",\n" : "", out);
		columns_open(&columns, NULL);
		columns_key(&columns, "name");
		columns_write_text(out, slash && slash[1] ? slash + 1 : path);
		columns_key(&columns, "debugName");
		columns_write_text(out, slash && slash[1] ? slash + 1 : path);
		columns_key(&columns, "path");
		columns_write_text(out, path);
		columns_key(&columns, "debugPath");
		columns_write_text(out, path);
		columns_key(&columns, "breakpadId");
		fputs("\"\"", out);
		columns_key(&columns, "codeId");
		fputs("null", out);
		columns_key(&columns, "arch");
		fputs("\"\"", out);
		columns_close(&columns);
	}
	fputs("]", out);
}

static void write_meta(FILE *out, const struct recording_run *run)
{
	AUTO(text) char *command = words_command(run ? run->command : NULL);

	fprintf(out, "{\"meta\":{\"preprocessedProfileVersion\":%d,\"version\":%d", VERSION,
		GECKO_VERSION);
	fprintf(out, ",\"interval\":%.6f,\"startTime\":%lld000",
		run ? (double)run->period_ns / NS_PER_MS : 1.0,
		run ? (long long)run->started_s : 0ll);
	fputs(",\"processType\":0,\"product\":", out);
	columns_write_text(out, *command ? command : "lever record");
	fputs(",\"importedFrom\":\"lever\",\"oscpu\":\"Linux\",\"stackwalk\":1,\"debug\":false",
	      out);
	fputs(",\"symbolicated\":true,\"pausedRanges\":[],\"markerSchema\":[]", out);
	fputs(",\"usesOnlyOneStackType\":true,\"doesNotUseFrameImplementation\":true", out);
	fputs(",\"sourceCodeIsNotOnSearchfox\":true,\"extensions\":{\"length\":0,\"id\":[],"
	      "\"name\":[],\"baseURL\":[]}",
	      out);
	fputs(",\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":"
	      "\"\xc2\xb5s\"},\"categories\":[",
	      out);
	for (unsigned i = 0; i < SAMPLE_CLASSES; i++)
		fprintf(out, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			i ? "," : "", categories[i].name, categories[i].colour);
	fputs("]}", out);
}

void report_samples_firefox(FILE *out, const struct recording *recording,
			    const struct samples *samples)
{
	struct sums sums = sums_of(recording);
	struct samples_tables all = samples_tables_of(samples, NULL, false);
	struct text_table libraries = {0};
	size_t count;
	const struct recording_thread **threads = samples_threads(samples, &count);

	for (size_t i = 0; i < all.frames.count; i++)
		if (object_of(&all.frames.items[i]))
			text_table_add(&libraries, object_of(&all.frames.items[i]));
	write_meta(out, sums.last);
	write_libraries(out, &libraries);
	fputs(",\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\n\"threads\":[", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_thread(out, samples, threads[i], &libraries);
	}
	fputs("]}\n", out);
	free(threads);
	text_table_free(&libraries);
	samples_tables_free(&all);
}
