/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * otlp - samples as a message ProfilesData of OpenTelemetry's profiles, v1development
 * (opentelemetry-proto 1.10, opentelemetry/proto/profiles/v1development/profiles.proto).
 *
 * That format is still being developed: readers of other versions may refuse it. There are two
 * profiles, "cpu" and "off_cpu", as a sample has values of one type only. Thread, class and system
 * call are attributes. There are no addresses, since all names are here: a location is a line.
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "report/display.h"
#include "report/protobuf.h"
#include "report/run_totals.h"
#include "report/samples/names.h"
#include "report/samples/tables.h"
#include "report/string_table.h"

#include <string.h>

/* Field numbers of the .proto files. */
enum data_field { DATA_RESOURCE_PROFILES = 1, DATA_DICTIONARY };
enum dictionary_field {
	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION,
	DICTIONARY_FUNCTION,
	DICTIONARY_LINK,
	DICTIONARY_TEXT,
	DICTIONARY_ATTRIBUTE,
	DICTIONARY_STACK,
};
enum resource_profiles_field { RESOURCE_PROFILES_RESOURCE = 1, RESOURCE_PROFILES_SCOPES };
enum scope_profiles_field { SCOPE_PROFILES_SCOPE = 1, SCOPE_PROFILES_PROFILES };
enum resource_field { RESOURCE_ATTRIBUTES = 1 };
enum scope_field { SCOPE_NAME = 1, SCOPE_VERSION };
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES,
	PROFILE_TIME_NS,
	PROFILE_DURATION_NS,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ID,
};
enum type_field { TYPE_NAME = 1, TYPE_UNIT };
enum sample_field { SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_VALUES = 4 };
enum mapping_field { MAPPING_FILE = 4 };
enum stack_field { STACK_LOCATIONS = 1 };
enum location_field { LOCATION_MAPPING = 1, LOCATION_LINES = 3 };
enum line_field { LINE_FUNCTION = 1, LINE_NUMBER };
enum function_field { FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };
enum link_field { LINK_TRACE = 1, LINK_SPAN };
enum attribute_field { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE };
enum value_field { VALUE_TEXT = 1, VALUE_NUMBER = 3 };

#define PROFILE_ID_BYTES 16
#define TRACE_ID_BYTES 16
#define SPAN_ID_BYTES 8

/* Item 0 of each table of the dictionary stands for "not set". */
struct writer {
	struct protobuf dictionary, profile, part, inner;
	struct interner texts, functions, objects, attributes;
	struct samples_tables tables;
	ARRAY(uint64_t) numbers;
};

static uint64_t add_text(struct writer *writer, const char *text)
{
	if (!writer->texts.items.count)
		string_table_add(&writer->texts, "");
	return string_table_add(&writer->texts, text);
}

static void add_bytes(struct protobuf *message, unsigned field, const void *bytes, size_t count)
{
	const struct protobuf content = {.items = (unsigned char *)(uintptr_t)bytes,
					 .count = count};

	protobuf_add_message(message, field, &content);
}

static void add_zero_items(struct writer *writer)
{
	static const unsigned char zeros[TRACE_ID_BYTES];
	static const enum dictionary_field tables[] = {DICTIONARY_MAPPING, DICTIONARY_LOCATION,
						       DICTIONARY_FUNCTION, DICTIONARY_ATTRIBUTE,
						       DICTIONARY_STACK};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		add_bytes(&writer->dictionary, tables[i], NULL, 0);
	add_bytes(&writer->part, LINK_TRACE, zeros, TRACE_ID_BYTES);
	add_bytes(&writer->part, LINK_SPAN, zeros, SPAN_ID_BYTES);
	protobuf_add_message(&writer->dictionary, DICTIONARY_LINK, &writer->part);
}

static uint64_t add_function(struct writer *writer, const struct recording_frame *frame)
{
	AUTO(text) char *name = samples_function_name(frame);
	AUTO(text) char *key = text_format("%s\n%s", name, frame->file ? frame->file : "");
	size_t known = writer->functions.items.count;
	size_t number = string_table_add(&writer->functions, key);

	if (number < known)
		return number + 1;
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, FUNCTION_NAME, add_text(writer, name));
	protobuf_add_number(&writer->part, FUNCTION_SYSTEM_NAME, add_text(writer, name));
	protobuf_add_number(&writer->part, FUNCTION_FILE, add_text(writer, frame->file));
	protobuf_add_message(&writer->dictionary, DICTIONARY_FUNCTION, &writer->part);
	return number + 1;
}

static uint64_t add_mapping(struct writer *writer, const struct recording_frame *frame)
{
	const char *object = frame->object               ? frame->object :
			     frame->kind == FRAME_KERNEL ? "[kernel]" :
							   NULL;
	size_t known = writer->objects.items.count;

	if (!object)
		return 0;
	size_t number = string_table_add(&writer->objects, object);
	if (number == known) {
		protobuf_clear(&writer->part);
		protobuf_add_number(&writer->part, MAPPING_FILE, add_text(writer, object));
		protobuf_add_message(&writer->dictionary, DICTIONARY_MAPPING, &writer->part);
	}
	return number + 1;
}

/* A location for each frame; its number is the frame's number + 1. */
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
		protobuf_add_number(&writer->part, LOCATION_MAPPING, mapping);
		protobuf_add_message(&writer->part, LOCATION_LINES, &writer->inner);
		protobuf_add_message(&writer->dictionary, DICTIONARY_LOCATION, &writer->part);
	}
}

/* Of each chain of the tables, from the innermost location on; numbers as those of locations. */
static void add_stacks(struct writer *writer)
{
	for (size_t i = 0; i < writer->tables.stacks.count; i++) {
		writer->numbers.count = 0;
		for (size_t stack = i + 1; stack;
		     stack = writer->tables.stacks.items[stack - 1].caller)
			*array_add(&writer->numbers) =
				writer->tables.stacks.items[stack - 1].frame + 1;
		protobuf_clear(&writer->part);
		protobuf_add_packed(&writer->part, STACK_LOCATIONS, writer->numbers.items,
				    writer->numbers.count);
		protobuf_add_message(&writer->dictionary, DICTIONARY_STACK, &writer->part);
	}
}

/* Remembers an attribute for the sample; `value` is the message AnyValue in writer->inner. */
static void add_attribute(struct writer *writer, const char *key, const char *value)
{
	AUTO(text) char *identity = text_format("%s\n%s", key, value);
	size_t known = writer->attributes.items.count;
	size_t number = string_table_add(&writer->attributes, identity);

	*array_add(&writer->numbers) = number + 1;
	if (number < known)
		return;
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, ATTRIBUTE_KEY, add_text(writer, key));
	protobuf_add_message(&writer->part, ATTRIBUTE_VALUE, &writer->inner);
	protobuf_add_message(&writer->dictionary, DICTIONARY_ATTRIBUTE, &writer->part);
}

static void add_text_attribute(struct writer *writer, const char *key, const char *text)
{
	if (!text)
		return;
	AUTO(text) char *clean = display_clean(text);
	protobuf_clear(&writer->inner);
	protobuf_add_text(&writer->inner, VALUE_TEXT, clean);
	add_attribute(writer, key, clean);
}

static void add_number_attribute(struct writer *writer, const char *key, unsigned number)
{
	AUTO(text) char *text = text_format("%u", number);

	protobuf_clear(&writer->inner);
	protobuf_add_number(&writer->inner, VALUE_NUMBER, number);
	add_attribute(writer, key, text);
}

static void add_sample(struct writer *writer, const struct samples_entry *entry, size_t stack)
{
	const struct recording_stack_sample *stack_sample = entry->stack_sample;
	uint64_t weight_ns = stack_sample->weight_ns;

	writer->numbers.count = 0;
	add_text_attribute(writer, "thread.name", entry->thread->command);
	add_number_attribute(writer, "thread.id", entry->thread->tid);
	add_number_attribute(writer, "process.pid", entry->thread->pid);
	add_text_attribute(writer, "lever.class", samples_class_title(stack_sample->class));
	add_text_attribute(writer, "lever.subclass", stack_sample->subclass);
	add_text_attribute(writer, "lever.system_call", stack_sample->system_call);
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, SAMPLE_STACK, stack);
	protobuf_add_packed(&writer->part, SAMPLE_ATTRIBUTES, writer->numbers.items,
			    writer->numbers.count);
	protobuf_add_packed(&writer->part, SAMPLE_VALUES, &weight_ns, 1);
	protobuf_add_message(&writer->profile, PROFILE_SAMPLES, &writer->part);
}

static void add_type(struct writer *writer, unsigned field, const char *name)
{
	protobuf_clear(&writer->part);
	protobuf_add_number(&writer->part, TYPE_NAME, add_text(writer, name));
	protobuf_add_number(&writer->part, TYPE_UNIT, add_text(writer, "nanoseconds"));
	protobuf_add_message(&writer->profile, field, &writer->part);
}

/* Equal for equal recordings. */
static void add_id(struct writer *writer, const struct recording_run *run, bool is_on_cpu)
{
	AUTO(text)
	char *identity = text_format("%lld %llu %d %s", (long long)run->started_s,
				     (unsigned long long)run->sampled_ns, is_on_cpu,
				     run->command ? run->command : "");
	uint64_t halves[2] = {hash_text(identity), hash_text(identity + 1)};

	add_bytes(&writer->profile, PROFILE_ID, halves, PROFILE_ID_BYTES);
}

static void fill_profile(struct writer *writer, const struct run_totals *totals, bool is_on_cpu)
{
	protobuf_clear(&writer->profile);
	add_type(writer, PROFILE_SAMPLE_TYPE, is_on_cpu ? "cpu" : "off_cpu");
	for (size_t i = 0; i < writer->tables.entries.count; i++) {
		const struct samples_entry *entry = writer->tables.entries.items[i];
		if ((entry->stack_sample->class <= CLASS_KERNEL) == is_on_cpu)
			add_sample(writer, entry, writer->tables.stack_of.items[i]);
	}
	if (!totals->last)
		return;
	protobuf_add_fixed(&writer->profile, PROFILE_TIME_NS,
			   (uint64_t)totals->last->started_s * 1000000000);
	protobuf_add_number(&writer->profile, PROFILE_DURATION_NS, totals->wall_ns);
	add_type(writer, PROFILE_PERIOD_TYPE, is_on_cpu ? "cpu" : "off_cpu");
	protobuf_add_number(&writer->profile, PROFILE_PERIOD, totals->last->period_ns);
	add_id(writer, totals->last, is_on_cpu);
}

static void add_resource_attribute(struct protobuf *resource, const char *key, const char *text)
{
	struct protobuf value = {0}, attribute = {0};

	if (text && *text) {
		AUTO(text) char *clean = display_clean(text);
		protobuf_add_text(&value, VALUE_TEXT, clean);
		protobuf_add_text(&attribute, ATTRIBUTE_KEY, key);
		protobuf_add_message(&attribute, ATTRIBUTE_VALUE, &value);
		protobuf_add_message(resource, RESOURCE_ATTRIBUTES, &attribute);
	}
	protobuf_release(&value);
	protobuf_release(&attribute);
}

static void add_heads(struct protobuf *resource, struct protobuf *scope,
		      const struct recording_run *run)
{
	AUTO(text) char *command = display_command(run ? run->command : NULL);

	add_resource_attribute(resource, "process.command_line", command);
	add_resource_attribute(resource, "host.name", run ? run->host : NULL);
	add_resource_attribute(resource, "os.type", "linux");
	add_resource_attribute(resource, "os.version", run ? run->kernel : NULL);
	protobuf_add_text(scope, SCOPE_NAME, "lever");
	protobuf_add_text(scope, SCOPE_VERSION, run && run->version ? run->version : "");
}

static void write_profiles(FILE *out, struct writer *writer, const struct run_totals *totals)
{
	struct protobuf resource = {0}, scope = {0}, scopes = {0}, resources = {0};

	add_heads(&resource, &scope, totals->last);
	protobuf_add_message(&scopes, SCOPE_PROFILES_SCOPE, &scope);
	for (int is_on_cpu = 1; is_on_cpu >= 0; is_on_cpu--) {
		fill_profile(writer, totals, is_on_cpu);
		protobuf_add_message(&scopes, SCOPE_PROFILES_PROFILES, &writer->profile);
	}
	protobuf_add_message(&resources, RESOURCE_PROFILES_RESOURCE, &resource);
	protobuf_add_message(&resources, RESOURCE_PROFILES_SCOPES, &scopes);
	protobuf_write(out, DATA_RESOURCE_PROFILES, &resources);
	protobuf_release(&resource);
	protobuf_release(&scope);
	protobuf_release(&scopes);
	protobuf_release(&resources);
}

void report_samples_otlp(FILE *out, const struct report *report)
{
	struct run_totals totals = run_totals_of(report->recording);
	struct writer writer = {.tables = samples_tables_of(report->samples, NULL, false)};

	add_zero_items(&writer);
	add_locations(&writer);
	add_stacks(&writer);
	write_profiles(out, &writer, &totals);
	for (size_t i = 0; i < writer.texts.items.count; i++)
		protobuf_add_text(&writer.dictionary, DICTIONARY_TEXT, writer.texts.items.items[i]);
	protobuf_write(out, DATA_DICTIONARY, &writer.dictionary);
	interner_clear(&writer.texts);
	interner_clear(&writer.functions);
	interner_clear(&writer.objects);
	interner_clear(&writer.attributes);
	samples_tables_free(&writer.tables);
	array_free(&writer.numbers);
	protobuf_release(&writer.dictionary);
	protobuf_release(&writer.profile);
	protobuf_release(&writer.part);
	protobuf_release(&writer.inner);
}
