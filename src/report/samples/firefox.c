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

#include "base/cleanup.h"
#include "report/display.h"
#include "report/json_columns.h"
#include "report/run_totals.h"
#include "report/samples/names.h"
#include "report/samples/tables.h"
#include "report/string_table.h"

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
	struct json_columns json_columns;
	struct samples_tables tables;
	struct interner texts, functions, objects;
	ARRAY(size_t) function_of;                 /* each frame's */
	ARRAY(const struct samples_frame *) first; /* frame of each function */
	struct interner *libraries;                /* of the profile */
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
		size_t number = string_table_add(&writer->functions, key);
		if (number == writer->first.count)
			*array_add(&writer->first) = frame;
		*array_add(&writer->function_of) = number;
		if (object)
			string_table_add(&writer->objects, object);
	}
}

static void write_frames(struct thread_writer *writer)
{
	struct json_columns *json_columns = &writer->json_columns;
	size_t count = writer->tables.frames.count;

	json_columns_open(json_columns, "frameTable");
	json_columns_key(json_columns, "length");
	fprintf(json_columns->out, "%zu", count);
	json_columns_constant(json_columns, "address", "-1", count);
	json_columns_constant(json_columns, "inlineDepth", "0", count);
	json_columns_constant(json_columns, "nativeSymbol", "null", count);
	json_columns_constant(json_columns, "innerWindowID", "0", count);
	json_columns_constant(json_columns, "implementation", "null", count);
	json_columns_constant(json_columns, "column", "null", count);
	json_columns_constant(json_columns, "subcategory", "0", count);
	json_columns_begin(json_columns, "category");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns, writer->tables.frames.items[i].class);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "func");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns, (int64_t)writer->function_of.items[i]);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "line");
	for (size_t i = 0; i < count; i++) {
		const struct recording_frame *code = writer->tables.frames.items[i].code;
		if (code && code->line)
			json_columns_number(json_columns, code->line);
		else
			json_columns_null(json_columns);
	}
	json_columns_end(json_columns);
	json_columns_close(json_columns);
}

static void write_function_files(struct thread_writer *writer)
{
	struct json_columns *json_columns = &writer->json_columns;

	json_columns_begin(json_columns, "fileName");
	for (size_t i = 0; i < writer->first.count; i++) {
		const struct recording_frame *code = writer->first.items[i]->code;
		if (code && code->file)
			json_columns_number(json_columns,
					    (int64_t)string_table_add(&writer->texts, code->file));
		else
			json_columns_null(json_columns);
	}
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "resource");
	for (size_t i = 0; i < writer->first.count; i++) {
		const char *object = object_of(writer->first.items[i]);
		json_columns_number(json_columns,
				    object ? (int64_t)string_table_add(&writer->objects, object) :
					     -1);
	}
	json_columns_end(json_columns);
}

static void write_functions(struct thread_writer *writer)
{
	struct json_columns *json_columns = &writer->json_columns;
	size_t count = writer->first.count;

	json_columns_open(json_columns, "funcTable");
	json_columns_key(json_columns, "length");
	fprintf(json_columns->out, "%zu", count);
	json_columns_constant(json_columns, "isJS", "false", count);
	json_columns_constant(json_columns, "relevantForJS", "false", count);
	json_columns_constant(json_columns, "lineNumber", "null", count);
	json_columns_constant(json_columns, "columnNumber", "null", count);
	json_columns_begin(json_columns, "name");
	for (size_t i = 0; i < count; i++) {
		AUTO(text) char *name = samples_frame_name(writer->first.items[i]);
		json_columns_number(json_columns, (int64_t)string_table_add(&writer->texts, name));
	}
	json_columns_end(json_columns);
	write_function_files(writer);
	json_columns_close(json_columns);
}

static void write_resources(struct thread_writer *writer)
{
	struct json_columns *json_columns = &writer->json_columns;
	size_t count = writer->objects.items.count;

	json_columns_open(json_columns, "resourceTable");
	json_columns_key(json_columns, "length");
	fprintf(json_columns->out, "%zu", count);
	json_columns_constant(json_columns, "host", "null", count);
	json_columns_constant(json_columns, "type", "1", count); /* a library */
	json_columns_begin(json_columns, "name");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns,
				    (int64_t)string_table_add(&writer->texts,
							      writer->objects.items.items[i]));
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "lib");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns,
				    (int64_t)string_table_add(writer->libraries,
							      writer->objects.items.items[i]));
	json_columns_end(json_columns);
	json_columns_close(json_columns);
}

static void write_stacks(struct thread_writer *writer)
{
	struct json_columns *json_columns = &writer->json_columns;
	size_t count = writer->tables.stacks.count;
	const struct samples_stack *stacks = writer->tables.stacks.items;

	json_columns_open(json_columns, "stackTable");
	json_columns_key(json_columns, "length");
	fprintf(json_columns->out, "%zu", count);
	json_columns_constant(json_columns, "subcategory", "0", count);
	json_columns_begin(json_columns, "frame");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns, (int64_t)stacks[i].frame);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "category");
	for (size_t i = 0; i < count; i++)
		json_columns_number(json_columns,
				    writer->tables.frames.items[stacks[i].frame].class);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "prefix");
	for (size_t i = 0; i < count; i++) {
		if (stacks[i].caller)
			json_columns_number(json_columns, (int64_t)stacks[i].caller - 1);
		else
			json_columns_null(json_columns);
	}
	json_columns_end(json_columns);
	json_columns_close(json_columns);
}

/*
 * A sample's time is the end of the time that it stands for. CPU time is counted from one sample to the
 * next, so that of the first one would be lost: an empty one stands before it.
 */
static void write_samples(struct thread_writer *writer)
{
	struct json_columns *json_columns = &writer->json_columns;
	size_t count = writer->tables.entries.count;
	uint64_t until_ns = 0;

	json_columns_open(json_columns, "samples");
	json_columns_key(json_columns, "length");
	fprintf(json_columns->out, "%zu", count + 1);
	json_columns_key(json_columns, "weightType");
	fputs("\"tracing-ms\"", json_columns->out);
	json_columns_begin(json_columns, "stack");
	json_columns_null(json_columns);
	for (size_t i = 0; i < count; i++) {
		size_t stack = writer->tables.stack_of.items[i];
		if (stack)
			json_columns_number(json_columns, (int64_t)stack - 1);
		else
			json_columns_null(json_columns);
	}
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "time");
	json_columns_number(json_columns, 0);
	for (size_t i = 0; i < count; i++) {
		until_ns += writer->tables.entries.items[i]->stack_sample->weight_ns;
		json_columns_real(json_columns, (double)until_ns / NS_PER_MS);
	}
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "weight");
	json_columns_number(json_columns, 0);
	for (size_t i = 0; i < count; i++)
		json_columns_real(json_columns,
				  (double)writer->tables.entries.items[i]->stack_sample->weight_ns /
					  NS_PER_MS);
	json_columns_end(json_columns);
	json_columns_begin(json_columns, "threadCPUDelta");
	json_columns_number(json_columns, 0);
	for (size_t i = 0; i < count; i++) {
		const struct recording_stack_sample *stack_sample =
			writer->tables.entries.items[i]->stack_sample;
		bool is_on_cpu = stack_sample->class <= CLASS_KERNEL;
		json_columns_number(json_columns,
				    is_on_cpu ? (int64_t)(stack_sample->weight_ns / 1000) : 0);
	}
	json_columns_end(json_columns);
	json_columns_close(json_columns);
}

static void write_empty(struct json_columns *json_columns, const char *key,
			const char *const *names)
{
	json_columns_open(json_columns, key);
	json_columns_key(json_columns, "length");
	fputc('0', json_columns->out);
	for (; *names; names++)
		json_columns_constant(json_columns, *names, NULL, 0);
	json_columns_close(json_columns);
}

static void write_thread_facts(struct json_columns *json_columns,
			       const struct recording_thread *thread)
{
	FILE *out = json_columns->out;

	json_columns_key(json_columns, "name");
	json_columns_write_text(out, thread->command ? thread->command : "?");
	json_columns_key(json_columns, "processName");
	json_columns_write_text(out, thread->command ? thread->command : "?");
	json_columns_key(json_columns, "isMainThread");
	fputs(thread->pid == thread->tid ? "true" : "false", out);
	json_columns_key(json_columns, "pid");
	fprintf(out, "\"%u\"", thread->pid);
	json_columns_key(json_columns, "tid");
	fprintf(out, "%u", thread->tid);
	json_columns_key(json_columns, "processType");
	fputs("\"default\"", out);
	json_columns_key(json_columns, "processStartupTime");
	fputc('0', out);
	json_columns_key(json_columns, "processShutdownTime");
	fputs("null", out);
	json_columns_key(json_columns, "registerTime");
	fputc('0', out);
	json_columns_key(json_columns, "unregisterTime");
	fputs("null", out);
	json_columns_constant(json_columns, "pausedRanges", NULL, 0);
}

static void write_texts(struct thread_writer *writer)
{
	json_columns_begin(&writer->json_columns, "stringArray");
	for (size_t i = 0; i < writer->texts.items.count; i++)
		json_columns_text(&writer->json_columns, writer->texts.items.items[i]);
	json_columns_end(&writer->json_columns);
}

static void write_thread(FILE *out, const struct samples *samples,
			 const struct recording_thread *thread, struct interner *libraries)
{
	static const char *const markers[] = {"data",  "name",     "startTime", "endTime",
					      "phase", "category", NULL};
	static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
	struct thread_writer writer = {
		.json_columns.out = out,
		.tables = samples_tables_of(samples, thread, true),
		.libraries = libraries,
	};

	number_functions(&writer);
	json_columns_open(&writer.json_columns, NULL);
	write_thread_facts(&writer.json_columns, thread);
	write_frames(&writer);
	write_functions(&writer);
	write_resources(&writer);
	write_stacks(&writer);
	write_samples(&writer);
	write_empty(&writer.json_columns, "markers", markers);
	write_empty(&writer.json_columns, "nativeSymbols", symbols);
	write_texts(&writer);
	json_columns_close(&writer.json_columns);
	samples_tables_free(&writer.tables);
	interner_clear(&writer.texts);
	interner_clear(&writer.functions);
	interner_clear(&writer.objects);
	array_free(&writer.function_of);
	array_free(&writer.first);
}

static void write_libraries(FILE *out, const struct interner *libraries)
{
	fputs(",\n\"libs\":[", out);
	for (size_t i = 0; i < libraries->items.count; i++) {
		const char *path = libraries->items.items[i];
		const char *slash = strrchr(path, '/');
		struct json_columns json_columns = {.out = out};
		fputs(i ? ",\n" : "", out);
		json_columns_open(&json_columns, NULL);
		json_columns_key(&json_columns, "name");
		json_columns_write_text(out, slash && slash[1] ? slash + 1 : path);
		json_columns_key(&json_columns, "debugName");
		json_columns_write_text(out, slash && slash[1] ? slash + 1 : path);
		json_columns_key(&json_columns, "path");
		json_columns_write_text(out, path);
		json_columns_key(&json_columns, "debugPath");
		json_columns_write_text(out, path);
		json_columns_key(&json_columns, "breakpadId");
		fputs("\"\"", out);
		json_columns_key(&json_columns, "codeId");
		fputs("null", out);
		json_columns_key(&json_columns, "arch");
		fputs("\"\"", out);
		json_columns_close(&json_columns);
	}
	fputs("]", out);
}

static void write_meta(FILE *out, const struct recording_run *run)
{
	AUTO(text) char *command = display_command(run ? run->command : NULL);

	fprintf(out, "{\"meta\":{\"preprocessedProfileVersion\":%d,\"version\":%d", VERSION,
		GECKO_VERSION);
	fprintf(out, ",\"interval\":%.6f,\"startTime\":%lld000",
		run ? (double)run->period_ns / NS_PER_MS : 1.0,
		run ? (long long)run->started_s : 0ll);
	fputs(",\"processType\":0,\"product\":", out);
	json_columns_write_text(out, *command ? command : "lever record");
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
	struct run_totals totals = run_totals_of(recording);
	struct samples_tables all = samples_tables_of(samples, NULL, false);
	struct interner libraries = {0};
	size_t count;
	const struct recording_thread **threads = samples_threads(samples, &count);

	for (size_t i = 0; i < all.frames.count; i++)
		if (object_of(&all.frames.items[i]))
			string_table_add(&libraries, object_of(&all.frames.items[i]));
	write_meta(out, totals.last);
	write_libraries(out, &libraries);
	fputs(",\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\n\"threads\":[", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_thread(out, samples, threads[i], &libraries);
	}
	fputs("]}\n", out);
	free(threads);
	interner_clear(&libraries);
	samples_tables_free(&all);
}
