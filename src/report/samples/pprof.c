/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprof - samples for pprof: a gzipped message Profile (github.com/google/pprof,
 * proto/profile.proto).
 *
 * Each sample has four values: the number of samples, their time, and the parts of it on and off
 * CPU. Thread, class and system call are labels. There are no addresses, since all names are here:
 * a location is a line.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "report/display.h"
#include "report/protobuf.h"
#include "report/run_totals.h"
#include "report/samples/names.h"
#include "report/samples/tables.h"
#include "report/string_table.h"

/* Field numbers of profile.proto. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_TEXT,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_TYPE,
};
enum type_field { TYPE_NAME = 1, TYPE_UNIT };
enum sample_field { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum label_field { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_FILE = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES,
	MAPPING_HAS_LINES,
};
enum location_field { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_LINE = 4 };
enum line_field { LINE_FUNCTION = 1, LINE_NUMBER };
enum function_field { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

#define MAPPING_BYTES 0x1000 /* without meaning; mappings must not overlap */

struct writer {
	struct protobuf profile, part, inner;
	struct interner texts, functions, objects;
	struct samples_tables tables;
	ARRAY(uint64_t) chain;
};

static uint64_t add_text(struct writer *writer, const char *text)
{
	if (!writer->texts.items.count)
		string_table_add(&writer->texts, ""); /* number 0 must be the empty text */
	return string_table_add(&writer->texts, text);
}

static void add_type(struct writer *writer, unsigned field, const char *name, const char *unit)
{
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, TYPE_NAME, add_text(writer, name));
	protobuf_add_number(&writer->part, TYPE_UNIT, add_text(writer, unit));
	protobuf_add_message(&writer->profile, field, &writer->part);
}

static void add_types(struct writer *writer)
{
	add_type(writer, PROFILE_SAMPLE_TYPE, "samples", "count");
	add_type(writer, PROFILE_SAMPLE_TYPE, "time", "nanoseconds");
	add_type(writer, PROFILE_SAMPLE_TYPE, "cpu", "nanoseconds");
	add_type(writer, PROFILE_SAMPLE_TYPE, "waiting", "nanoseconds");
	add_type(writer, PROFILE_PERIOD_TYPE, "time", "nanoseconds");
	protobuf_add_number(&writer->profile, PROFILE_DEFAULT_TYPE, add_text(writer, "time"));
}

static void add_run(struct writer *writer, const struct run_totals *totals)
{
	if (!totals->last)
		return;
	AUTO(text) char *command = display_command(totals->last->command);
	protobuf_add_number(&writer->profile, PROFILE_TIME_NS,
			    (uint64_t)totals->last->started_s * 1000000000);
	protobuf_add_number(&writer->profile, PROFILE_DURATION_NS, totals->wall_ns);
	protobuf_add_number(&writer->profile, PROFILE_PERIOD, totals->last->period_ns);
	if (*command)
		protobuf_add_number(&writer->profile, PROFILE_COMMENT, add_text(writer, command));
}

/* The number + 1 of the frame's function; describes it at the first call. */
static uint64_t add_function(struct writer *writer, const struct recording_frame *frame)
{
	AUTO(text) char *name = samples_function_name(frame);
	AUTO(text)
	char *key = text_format("%s\n%s\n%s", name, frame->file ? frame->file : "",
				frame->object ? frame->object : "");
	size_t known = writer->functions.items.count;
	size_t number = string_table_add(&writer->functions, key);

	if (number < known)
		return number + 1;
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, FUNCTION_ID, number + 1);
	protobuf_add_number(&writer->part, FUNCTION_NAME, add_text(writer, name));
	protobuf_add_number(&writer->part, FUNCTION_SYSTEM_NAME, add_text(writer, name));
	protobuf_add_number(&writer->part, FUNCTION_FILE, add_text(writer, frame->file));
	protobuf_add_message(&writer->profile, PROFILE_FUNCTION, &writer->part);
	return number + 1;
}

static uint64_t add_mapping(struct writer *writer, const struct recording_frame *frame)
{
	const char *object = frame->object               ? frame->object :
			     frame->kind == FRAME_KERNEL ? "[kernel]" :
							   "[unknown]";
	size_t known = writer->objects.items.count;
	size_t number = string_table_add(&writer->objects, object);

	if (number < known)
		return number + 1;
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, MAPPING_ID, number + 1);
	protobuf_add_number(&writer->part, MAPPING_START, (number + 1) * MAPPING_BYTES);
	protobuf_add_number(&writer->part, MAPPING_LIMIT, (number + 2) * MAPPING_BYTES);
	protobuf_add_number(&writer->part, MAPPING_FILE, add_text(writer, object));
	/* Tells readers that the names are complete. */
	protobuf_add_number(&writer->part, MAPPING_HAS_FUNCTIONS, true);
	protobuf_add_number(&writer->part, MAPPING_HAS_FILES, true);
	protobuf_add_number(&writer->part, MAPPING_HAS_LINES, true);
	protobuf_add_message(&writer->profile, PROFILE_MAPPING, &writer->part);
	return number + 1;
}

/* A location for each frame; its id is the frame's number + 1. */
static void add_locations(struct writer *writer)
{
	for (size_t i = 0; i < writer->tables.frames.count; i++) {
		const struct recording_frame *frame = writer->tables.frames.items[i].code;
		uint64_t function = add_function(writer, frame);
		uint64_t mapping = add_mapping(writer, frame);

		protobuf_clear(&writer->inner);
		protobuf_add_number(&writer->inner, LINE_FUNCTION, function);
		protobuf_add_number(&writer->inner, LINE_NUMBER, frame->line);
		protobuf_clear(&writer->part);
		protobuf_add_number(&writer->part, LOCATION_ID, i + 1);
		protobuf_add_number(&writer->part, LOCATION_MAPPING, mapping);
		protobuf_add_message(&writer->part, LOCATION_LINE, &writer->inner);
		protobuf_add_message(&writer->profile, PROFILE_LOCATION, &writer->part);
	}
}

static void add_label(struct writer *writer, const char *key, const char *text)
{
	if (!text)
		return;
	AUTO(text) char *clean = display_clean(text);
	protobuf_clear(&writer->inner);
	protobuf_add_number(&writer->inner, LABEL_KEY, add_text(writer, key));
	protobuf_add_number(&writer->inner, LABEL_TEXT, add_text(writer, clean));
	protobuf_add_message(&writer->part, SAMPLE_LABEL, &writer->inner);
}

static void add_number_label(struct writer *writer, const char *key, uint64_t number)
{
	protobuf_clear(&writer->inner);
	protobuf_add_number(&writer->inner, LABEL_KEY, add_text(writer, key));
	protobuf_add_number(&writer->inner, LABEL_NUMBER, number);
	protobuf_add_message(&writer->part, SAMPLE_LABEL, &writer->inner);
}

static void add_sample(struct writer *writer, const struct samples_entry *entry, size_t stack)
{
	const struct recording_stack_sample *stack_sample = entry->stack_sample;
	bool is_on_cpu = stack_sample->class <= CLASS_KERNEL;
	uint64_t values[] = {
		stack_sample->samples,
		stack_sample->weight_ns,
		is_on_cpu ? stack_sample->weight_ns : 0,
		is_on_cpu ? 0 : stack_sample->weight_ns,
	};

	writer->chain.count = 0;
	for (; stack; stack = writer->tables.stacks.items[stack - 1].caller)
		*array_add(&writer->chain) = writer->tables.stacks.items[stack - 1].frame + 1;
	protobuf_clear(&writer->part);
	protobuf_add_packed(&writer->part, SAMPLE_LOCATIONS, writer->chain.items,
			    writer->chain.count);
	protobuf_add_packed(&writer->part, SAMPLE_VALUES, values,
			    sizeof(values) / sizeof(values[0]));
	add_label(writer, "thread", entry->thread->command);
	add_number_label(writer, "pid", entry->thread->pid);
	add_number_label(writer, "tid", entry->thread->tid);
	add_label(writer, "class", samples_class_title(stack_sample->class));
	add_label(writer, "subclass", stack_sample->subclass);
	add_label(writer, "system_call", stack_sample->system_call);
	protobuf_add_message(&writer->profile, PROFILE_SAMPLE, &writer->part);
}

void report_samples_pprof(FILE *out, const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct samples *samples = report->samples;
	struct run_totals totals = run_totals_of(recording);
	struct writer writer = {.tables = samples_tables_of(samples, NULL, false)};

	add_types(&writer);
	add_run(&writer, &totals);
	add_locations(&writer);
	for (size_t i = 0; i < writer.tables.entries.count; i++)
		add_sample(&writer, writer.tables.entries.items[i],
			   writer.tables.stack_of.items[i]);
	for (size_t i = 0; i < writer.texts.items.count; i++)
		protobuf_add_text(&writer.profile, PROFILE_TEXT, writer.texts.items.items[i]);
	protobuf_write_gzip(out, &writer.profile);
	interner_clear(&writer.texts);
	interner_clear(&writer.functions);
	interner_clear(&writer.objects);
	samples_tables_free(&writer.tables);
	array_free(&writer.chain);
	protobuf_release(&writer.profile);
	protobuf_release(&writer.part);
	protobuf_release(&writer.inner);
}
