/* SPDX-License-Identifier: BSD-2-Clause */
/* json - samples as JSON, as docs/samples.schema.json defines them. */
#include "report/samples/json.h"

#include "analyze/samples/hosts.h"
#include "analyze/samples/locks.h"
#include "base/cleanup.h"
#include "report/formats.h"
#include "report/json.h"
#include "report/samples/warnings.h"

#include <string.h>

static json_t *class_of(enum sample_class class)
{
	return json_string(class <= CLASS_KERNEL ? "cpu" : sample_class_name(class));
}

static json_t *frame_of(const struct recording_frame *frame)
{
	return json_pack("{ss so so so so}", "kind", frame_kind_name(frame->kind), "function",
			 json_text(frame->function), "file", json_text(frame->file), "line",
			 frame->line ? json_integer(frame->line) : json_null(), "object",
			 json_text(frame->object));
}

static json_t *thread_of(const struct recording_thread *thread)
{
	return json_pack("{sI sI so}", "pid", (json_int_t)thread->pid, "tid",
			 (json_int_t)thread->tid, "command", json_text(thread->command));
}

static void add_sum(json_t *json, const struct samples_sum *sum)
{
	json_object_set_new(json, "share", json_number(sum->share));
	json_object_set_new(json, "share_error", json_number(sum->half_interval));
	json_object_set_new(json, "weight_ns", json_count(sum->weight_ns));
	json_object_set_new(json, "samples", json_count(sum->samples));
}

/* Its stack is left empty. */
static json_t *entry_of(const struct samples *samples, const struct samples_entry *entry)
{
	const struct recording_stack_sample *stack_sample = entry->stack_sample;
	const struct recording_frame *user = entry->user, *site = entry->site;
	struct samples_sum sum = samples_sum_of(samples, stack_sample);
	json_t *json = json_pack("{so so so so so so so so so so}", "function",
				 json_text(user ? user->function : NULL), "file",
				 json_text(site ? site->file : NULL), "line",
				 site ? json_integer(site->line) : json_null(), "kernel_function",
				 json_text(entry->kernel ? entry->kernel->function : NULL), "class",
				 class_of(stack_sample->class), "in_kernel",
				 json_boolean(stack_sample->class != CLASS_USER), "subclass",
				 json_text(stack_sample->subclass), "system_call",
				 json_text(stack_sample->system_call), "thread",
				 thread_of(entry->thread), "stack", json_array());

	/* 64 bits do not fit a JSON integer everywhere. */
	AUTO(text)
	char *address = text_format("0x%llx", (unsigned long long)stack_sample->address);
	json_object_set_new(json, "futex",
			    stack_sample->address ? json_string(address) : json_null());
	json_object_set_new(json, "resource", json_text(stack_sample->resource));
	add_sum(json, &sum);
	return json;
}

static json_t *place_of(const struct recording_frame *place)
{
	return json_pack("{so so so}", "function", json_text(place ? place->function : NULL),
			 "file", json_text(place ? place->file : NULL), "line",
			 place && place->line ? json_integer(place->line) : json_null());
}

static json_t *wakers_of(const struct samples_lock *lock)
{
	json_t *wakers = json_array();

	for (size_t i = 0; i < lock->wakers.count; i++) {
		const struct samples_waker *waker = &lock->wakers.items[i];
		json_t *json = place_of(waker->place);
		json_object_set_new(json, "command", json_text(waker->command));
		json_object_set_new(json, "weight_ns", json_count(waker->weight_ns));
		json_array_append_new(wakers, json);
	}
	return wakers;
}

static json_t *locks_of(const struct samples *samples)
{
	struct samples_locks locks = samples_locks(samples);
	json_t *array = json_array();

	for (size_t i = 0; i < locks.count; i++) {
		const struct samples_lock *lock = &locks.items[i];
		bool is_kernel = !lock->first->stack_sample->address;
		json_t *json = json_pack("{so so sb sI so so so}", "kind", json_text(lock->kind),
					 "name", json_text(lock->name), "in_kernel", is_kernel,
					 "pid", (json_int_t)lock->pid, "locks",
					 json_count(lock->count), "waited_in",
					 place_of(lock->place), "released_in", wakers_of(lock));
		add_sum(json, &lock->sum);
		json_array_append_new(array, json);
	}
	samples_locks_clear(&locks);
	return array;
}

/* NULL: there is one. */
static json_t *hosts_of(const struct samples *samples)
{
	struct samples_hosts hosts = samples_hosts(samples);
	json_t *array = hosts.count > 1 ? json_array() : NULL;

	for (size_t i = 0; array && i < hosts.count; i++)
		json_array_append_new(array,
				      json_pack("{so so so so}", "name",
						json_text(hosts.items[i].name), "wall_ns",
						json_count(hosts.items[i].wall_ns), "cpu_ns",
						json_count(hosts.items[i].cpu_ns), "busy_cores",
						json_number(hosts.items[i].busy)));
	samples_hosts_clear(&hosts);
	return array;
}

static json_t *classes_of(const struct samples *samples)
{
	struct samples_rows rows = samples_group(samples, SAMPLES_BY_CLASS);
	json_t *classes = json_array();

	for (size_t i = 0; i < rows.count; i++) {
		const struct recording_stack_sample *stack_sample =
			rows.items[i].first->stack_sample;
		json_t *json = json_pack("{so sb so}", "class", class_of(stack_sample->class),
					 "in_kernel", stack_sample->class != CLASS_USER, "subclass",
					 json_text(stack_sample->subclass));
		add_sum(json, &rows.items[i].sum);
		json_array_append_new(classes, json);
	}
	samples_rows_clear(&rows);
	return classes;
}

/*
 * Entries with all their frames are thousands of bytes each, so they are not made as a whole, but
 * written one by one, with a text of each frame.
 */
struct entry_writer {
	FILE *out;
	const struct samples *samples;
	char **frames; /* of each of the recording: its text in a stack; NULL: not used yet */
};

#define ENTRY_DEPTH 2 /* an entry's and a frame's column in the report */
#define FRAME_DEPTH 4

/* No text of a recording can hold these: there, a quote follows a backslash. */
#define EMPTY_ENTRIES "\"entries\": []"
#define EMPTY_STACK "\"stack\": []"

static void write_indented(FILE *out, const char *text, int depth)
{
	for (const char *end; *text; text = end) {
		end = text + strcspn(text, "\n");
		end += *end != 0;
		fprintf(out, "%*s%.*s", depth, "", (int)(end - text), text);
	}
}

static char *frame_text(const struct recording_frame *frame)
{
	AUTO(text) char *part = json_report_part(frame_of(frame));
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write_indented(out, part, FRAME_DEPTH);
	fclose(out);
	return text;
}

static void write_stack(struct entry_writer *writer, uint64_t stack_id)
{
	const struct recording *recording = writer->samples->recording;
	size_t count;
	const struct recording_frame **chain = samples_chain(recording, stack_id, &count);

	fputs(count ? "\"stack\": [\n" : EMPTY_STACK, writer->out);
	for (size_t i = 0; i < count; i++) {
		char **text = &writer->frames[chain[i] - recording->frames.items];
		if (!*text)
			*text = frame_text(chain[i]);
		fputs(*text, writer->out);
		fputs(i + 1 < count ? ",\n" : "\n   ]", writer->out);
	}
	free(chain);
}

static void write_entry(struct entry_writer *writer, const struct samples_entry *entry)
{
	AUTO(text) char *part = json_report_part(entry_of(writer->samples, entry));
	char *stack = strstr(part, EMPTY_STACK);
	const char *rest = stack + strlen(EMPTY_STACK);
	size_t line = strcspn(rest, "\n") + 1;

	*stack = 0;
	write_indented(writer->out, part, ENTRY_DEPTH);
	write_stack(writer, entry->stack_sample->stack_id);
	fprintf(writer->out, "%.*s", (int)line, rest);
	write_indented(writer->out, rest + line, ENTRY_DEPTH);
}

static void write_entries(FILE *out, const struct samples *samples)
{
	size_t frame_count = samples->recording->frames.count;
	struct entry_writer writer = {.out = out, .samples = samples};

	writer.frames = memory_new(frame_count + 1, sizeof(*writer.frames));
	fputs("\"entries\": [\n", out);
	for (size_t i = 0; i < samples->count; i++) {
		write_entry(&writer, &samples->entries[i]);
		fputs(i + 1 < samples->count ? ",\n" : "\n ]", out);
	}
	for (size_t i = 0; i < frame_count; i++)
		free(writer.frames[i]);
	free(writer.frames);
}

json_t *samples_json_head(const struct recording *recording, const struct samples *samples)
{
	struct run_totals totals = run_totals_of(recording);
	struct warnings warnings = samples_warnings(recording);
	json_t *report =
		json_pack("{si ss so so so so so so so so so}", "lever", 1, "kind", "samples",
			  "program", json_program_of(&totals), "engine",
			  json_text(totals.last ? totals.last->engine : NULL), "host",
			  json_host_of(totals.last), "sampling",
			  json_pack("{so so so so}", "period_ns",
				    json_count(totals.last ? totals.last->period_ns : 0), "samples",
				    json_count(totals.samples), "lost", json_count(totals.lost),
				    "truncated", json_count(totals.unwound_badly)),
			  "overhead", json_overhead_of(&totals), "recorded_ns",
			  json_count(samples->recorded_ns), "shown_ns",
			  json_count(samples->all.weight_ns), "classes", classes_of(samples),
			  "warnings", json_warnings(&warnings));
	json_t *hosts = hosts_of(samples);
	if (hosts)
		json_object_set_new(report, "hosts", hosts);
	warnings_release(&warnings);
	return report;
}

void report_samples_json(FILE *out, const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct samples *samples = report->samples;
	json_t *json = samples_json_head(recording, samples);

	/* Warnings come last in the file. */
	json_t *warnings = json_incref(json_object_get(json, "warnings"));
	json_object_del(json, "warnings");
	json_object_set_new(json, "entries", json_array());
	json_object_set_new(json, "locks", locks_of(samples));
	json_object_set_new(json, "warnings", warnings);
	AUTO(text) char *text = json_report_part(json);
	char *entries = strstr(text, EMPTY_ENTRIES);
	fwrite(text, 1, (size_t)(entries - text), out);
	if (samples->count)
		write_entries(out, samples);
	else
		fputs(EMPTY_ENTRIES, out);
	fprintf(out, "%s\n", entries + strlen(EMPTY_ENTRIES));
}
