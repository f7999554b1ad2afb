/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox - samples in the Firefox Profiler's processed format, version 48, for
 * profiler.firefox.com.
 *
 * Each thread has its own tables. Classes are categories. A chain off CPU ends in a frame that
 * names the wait. Equal samples are merged and have no times of their own: the samples of a thread
 * follow each other, each as long as the time it stands for.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "report/display.h"
#include "report/run_totals.h"
#include "report/samples/names.h"
#include "report/samples/tables.h"
#include "report/string_table.h"

#include <string.h>

#define VERSION 48
#define GECKO_VERSION 24
#define NS_PER_MS 1e6
#define MS_DIGITS 6

/* By class; the Firefox Profiler knows the colours by name. */
static const struct {
	const char *name, *colour;
} categories[SAMPLE_CLASSES] = {
	[CLASS_USER] = {"User", "blue"},         [CLASS_KERNEL] = {"Kernel", "lightblue"},
	[CLASS_IO] = {"I/O", "orange"},          [CLASS_LOCK] = {"Lock", "red"},
	[CLASS_RUNNABLE] = {"No CPU", "yellow"}, [CLASS_OTHER] = {"Waiting", "grey"},
};

struct thread_writer {
	struct json_writer *json;
	struct samples_tables tables;
	struct interner texts, functions, objects;
	ARRAY(size_t) function_of;                 /* of each frame */
	ARRAY(const struct samples_frame *) first; /* of each function */
	struct interner *libraries;                /* of all threads */
};

static const char *object_of(const struct samples_frame *frame)
{
	return frame->code ? frame->code->object : NULL;
}

/* Frames with equal name, file and object are one function. */
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
	struct json_writer *json = writer->json;
	size_t count = writer->tables.frames.count;

	json_begin_object(json, "frameTable");
	json_put_unsigned(json, "length", count);
	json_put_column(json, "address", "-1", count);
	json_put_column(json, "inlineDepth", "0", count);
	json_put_column(json, "nativeSymbol", "null", count);
	json_put_column(json, "innerWindowID", "0", count);
	json_put_column(json, "implementation", "null", count);
	json_put_column(json, "column", "null", count);
	json_put_column(json, "subcategory", "0", count);
	JSON_PUT_COLUMN(json, "category", count, writer->tables.frames.items[i].class);
	JSON_PUT_COLUMN(json, "func", count, writer->function_of.items[i]);
	json_begin_array(json, "line");
	for (size_t i = 0; i < count; i++) {
		const struct recording_frame *code = writer->tables.frames.items[i].code;
		if (code && code->line)
			json_put_number(json, NULL, code->line);
		else
			json_put_null(json, NULL);
	}
	json_end_array(json);
	json_end_object(json);
}

static void write_function_files(struct thread_writer *writer)
{
	struct json_writer *json = writer->json;

	json_begin_array(json, "fileName");
	for (size_t i = 0; i < writer->first.count; i++) {
		const struct recording_frame *code = writer->first.items[i]->code;
		if (code && code->file)
			json_put_number(json, NULL,
					(int64_t)string_table_add(&writer->texts, code->file));
		else
			json_put_null(json, NULL);
	}
	json_end_array(json);
	json_begin_array(json, "resource");
	for (size_t i = 0; i < writer->first.count; i++) {
		const char *object = object_of(writer->first.items[i]);
		json_put_number(json, NULL,
				object ? (int64_t)string_table_add(&writer->objects, object) : -1);
	}
	json_end_array(json);
}

static void write_functions(struct thread_writer *writer)
{
	struct json_writer *json = writer->json;
	size_t count = writer->first.count;

	json_begin_object(json, "funcTable");
	json_put_unsigned(json, "length", count);
	json_put_column(json, "isJS", "false", count);
	json_put_column(json, "relevantForJS", "false", count);
	json_put_column(json, "lineNumber", "null", count);
	json_put_column(json, "columnNumber", "null", count);
	json_begin_array(json, "name");
	for (size_t i = 0; i < count; i++) {
		AUTO(text) char *name = samples_frame_name(writer->first.items[i]);
		json_put_number(json, NULL, (int64_t)string_table_add(&writer->texts, name));
	}
	json_end_array(json);
	write_function_files(writer);
	json_end_object(json);
}

static void write_resources(struct thread_writer *writer)
{
	struct json_writer *json = writer->json;
	size_t count = writer->objects.items.count;

	json_begin_object(json, "resourceTable");
	json_put_unsigned(json, "length", count);
	json_put_column(json, "host", "null", count);
	json_put_column(json, "type", "1", count); /* a library */
	JSON_PUT_COLUMN(json, "name", count,
			string_table_add(&writer->texts, writer->objects.items.items[i]));
	JSON_PUT_COLUMN(json, "lib", count,
			string_table_add(writer->libraries, writer->objects.items.items[i]));
	json_end_object(json);
}

static void write_stacks(struct thread_writer *writer)
{
	struct json_writer *json = writer->json;
	size_t count = writer->tables.stacks.count;
	const struct samples_stack *stacks = writer->tables.stacks.items;

	json_begin_object(json, "stackTable");
	json_put_unsigned(json, "length", count);
	json_put_column(json, "subcategory", "0", count);
	JSON_PUT_COLUMN(json, "frame", count, stacks[i].frame);
	JSON_PUT_COLUMN(json, "category", count,
			writer->tables.frames.items[stacks[i].frame].class);
	json_begin_array(json, "prefix");
	for (size_t i = 0; i < count; i++) {
		if (stacks[i].caller)
			json_put_number(json, NULL, (int64_t)stacks[i].caller - 1);
		else
			json_put_null(json, NULL);
	}
	json_end_array(json);
	json_end_object(json);
}

/*
 * A sample's time is the end of the time that it stands for. CPU time counts from one sample to the
 * next: an empty sample stands before the first.
 */
static void write_samples(struct thread_writer *writer)
{
	struct json_writer *json = writer->json;
	size_t count = writer->tables.entries.count;
	uint64_t until_ns = 0;

	json_begin_object(json, "samples");
	json_put_unsigned(json, "length", count + 1);
	json_put_text(json, "weightType", "tracing-ms");
	json_begin_array(json, "stack");
	json_put_null(json, NULL);
	for (size_t i = 0; i < count; i++) {
		size_t stack = writer->tables.stack_of.items[i];
		if (stack)
			json_put_number(json, NULL, (int64_t)stack - 1);
		else
			json_put_null(json, NULL);
	}
	json_end_array(json);
	json_begin_array(json, "time");
	json_put_number(json, NULL, 0);
	for (size_t i = 0; i < count; i++) {
		until_ns += writer->tables.entries.items[i]->stack_sample->weight_ns;
		json_put_real(json, NULL, (double)until_ns / NS_PER_MS, MS_DIGITS);
	}
	json_end_array(json);
	json_begin_array(json, "weight");
	json_put_number(json, NULL, 0);
	for (size_t i = 0; i < count; i++)
		json_put_real(json, NULL,
			      (double)writer->tables.entries.items[i]->stack_sample->weight_ns /
				      NS_PER_MS,
			      MS_DIGITS);
	json_end_array(json);
	json_begin_array(json, "threadCPUDelta");
	json_put_number(json, NULL, 0);
	for (size_t i = 0; i < count; i++) {
		const struct recording_stack_sample *stack_sample =
			writer->tables.entries.items[i]->stack_sample;
		bool is_on_cpu = stack_sample->class <= CLASS_KERNEL;
		json_put_number(json, NULL,
				is_on_cpu ? (int64_t)(stack_sample->weight_ns / 1000) : 0);
	}
	json_end_array(json);
	json_end_object(json);
}

static void write_empty(struct json_writer *json, const char *key, const char *const *names)
{
	json_begin_object(json, key);
	json_put_number(json, "length", 0);
	for (; *names; names++)
		json_put_column(json, *names, NULL, 0);
	json_end_object(json);
}

static void write_thread_facts(struct json_writer *json, const struct recording_thread *thread)
{
	const char *name = thread->command ? thread->command : "?";
	AUTO(text) char *pid = text_format("%u", thread->pid);

	json_put_text(json, "name", name);
	json_put_text(json, "processName", name);
	json_put_literal(json, "isMainThread", thread->pid == thread->tid ? "true" : "false");
	json_put_text(json, "pid", pid);
	json_put_number(json, "tid", thread->tid);
	json_put_text(json, "processType", "default");
	json_put_number(json, "processStartupTime", 0);
	json_put_null(json, "processShutdownTime");
	json_put_number(json, "registerTime", 0);
	json_put_null(json, "unregisterTime");
	json_put_column(json, "pausedRanges", NULL, 0);
}

static void write_thread(struct json_writer *json, const struct samples *samples,
			 const struct recording_thread *thread, struct interner *libraries)
{
	static const char *const markers[] = {"data",  "name",     "startTime", "endTime",
					      "phase", "category", NULL};
	static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
	struct thread_writer writer = {
		.json = json,
		.tables = samples_tables_of(samples, thread, true),
		.libraries = libraries,
	};

	number_functions(&writer);
	json_begin_object(json, NULL);
	write_thread_facts(json, thread);
	write_frames(&writer);
	write_functions(&writer);
	write_resources(&writer);
	write_stacks(&writer);
	write_samples(&writer);
	write_empty(json, "markers", markers);
	write_empty(json, "nativeSymbols", symbols);
	string_table_write(json, "stringArray", &writer.texts);
	json_end_object(json);
	samples_tables_free(&writer.tables);
	interner_clear(&writer.texts);
	interner_clear(&writer.functions);
	interner_clear(&writer.objects);
	array_free(&writer.function_of);
	array_free(&writer.first);
}

static void write_libraries(struct json_writer *json, const struct interner *libraries)
{
	json_begin_array(json, "libs");
	for (size_t i = 0; i < libraries->items.count; i++) {
		const char *path = libraries->items.items[i];
		const char *slash = strrchr(path, '/');
		const char *name = slash && slash[1] ? slash + 1 : path;

		json_break_line(json);
		json_begin_object(json, NULL);
		json_put_text(json, "name", name);
		json_put_text(json, "debugName", name);
		json_put_text(json, "path", path);
		json_put_text(json, "debugPath", path);
		json_put_text(json, "breakpadId", "");
		json_put_null(json, "codeId");
		json_put_text(json, "arch", "");
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_categories(struct json_writer *json)
{
	json_begin_array(json, "categories");
	for (unsigned i = 0; i < SAMPLE_CLASSES; i++) {
		json_begin_object(json, NULL);
		json_put_text(json, "name", categories[i].name);
		json_put_text(json, "color", categories[i].colour);
		json_put_column(json, "subcategories", "\"Other\"", 1);
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_meta(struct json_writer *json, const struct recording_run *run)
{
	/* The same in each file. */
	static const char *const facts[][2] = {
		{"processType", "0"},
		{"importedFrom", "\"lever\""},
		{"oscpu", "\"Linux\""},
		{"stackwalk", "1"},
		{"debug", "false"},
		{"symbolicated", "true"},
		{"pausedRanges", "[]"},
		{"markerSchema", "[]"},
		{"usesOnlyOneStackType", "true"},
		{"doesNotUseFrameImplementation", "true"},
		{"sourceCodeIsNotOnSearchfox", "true"},
		{"extensions", "{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]}"},
		{"sampleUnits",
		 "{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"\xc2\xb5s\"}"},
	};
	AUTO(text) char *command = display_command(run ? run->command : NULL);

	json_begin_object(json, "meta");
	json_put_number(json, "preprocessedProfileVersion", VERSION);
	json_put_number(json, "version", GECKO_VERSION);
	json_put_real(json, "interval", run ? (double)run->period_ns / NS_PER_MS : 1.0, MS_DIGITS);
	json_put_number(json, "startTime", run ? run->started_s * 1000 : 0);
	json_put_text(json, "product", *command ? command : "lever record");
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		json_put_literal(json, facts[i][0], facts[i][1]);
	}
	write_categories(json);
	json_end_object(json);
}

void report_samples_firefox(FILE *out, const struct report *report)
{
	struct run_totals totals = run_totals_of(report->recording);
	struct samples_tables all = samples_tables_of(report->samples, NULL, false);
	struct interner libraries = {0};
	struct json_writer json = {.out = out};
	size_t count;
	const struct recording_thread **threads = samples_threads(report->samples, &count);

	for (size_t i = 0; i < all.frames.count; i++)
		if (object_of(&all.frames.items[i]))
			string_table_add(&libraries, object_of(&all.frames.items[i]));
	json_begin_object(&json, NULL);
	write_meta(&json, totals.last);
	write_libraries(&json, &libraries);
	json_put_column(&json, "pages", NULL, 0);
	json_put_column(&json, "profilerOverhead", NULL, 0);
	json_put_column(&json, "counters", NULL, 0);
	json_begin_array(&json, "threads");
	for (size_t i = 0; i < count; i++) {
		json_break_line(&json);
		write_thread(&json, report->samples, threads[i], &libraries);
	}
	json_end_array(&json);
	json_end_object(&json);
	fputc('\n', out);
	free(threads);
	interner_clear(&libraries);
	samples_tables_free(&all);
}
