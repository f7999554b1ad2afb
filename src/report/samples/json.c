/* SPDX-License-Identifier: BSD-2-Clause */
/* json - samples as JSON, as docs/samples.schema.json defines them. */
#include "report/samples/json.h"

#include "analyze/samples/hosts.h"
#include "analyze/samples/locks.h"
#include "base/cleanup.h"
#include "report/formats.h"
#include "report/json.h"
#include "report/samples/warnings.h"

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

/* Each frame is made once, and shared by all chains. */
static json_t *stack_of(const struct recording *recording, json_t **frames, uint64_t stack_id)
{
	size_t count;
	const struct recording_frame **chain = samples_chain(recording, stack_id, &count);
	json_t *stack = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t **frame = &frames[chain[i] - recording->frames.items];
		if (!*frame)
			*frame = frame_of(chain[i]);
		json_array_append(stack, *frame);
	}
	free(chain);
	return stack;
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

static json_t *entry_of(const struct samples *samples, json_t **frames,
			const struct samples_entry *entry)
{
	const struct recording_stack_sample *stack_sample = entry->stack_sample;
	const struct recording_frame *user = entry->user, *site = entry->site;
	struct samples_sum sum = samples_sum_of(samples, stack_sample);
	json_t *json =
		json_pack("{so so so so so so so so so so}", "function",
			  json_text(user ? user->function : NULL), "file",
			  json_text(site ? site->file : NULL), "line",
			  site ? json_integer(site->line) : json_null(), "kernel_function",
			  json_text(entry->kernel ? entry->kernel->function : NULL), "class",
			  class_of(stack_sample->class), "in_kernel",
			  json_boolean(stack_sample->class != CLASS_USER), "subclass",
			  json_text(stack_sample->subclass), "system_call",
			  json_text(stack_sample->system_call), "thread", thread_of(entry->thread),
			  "stack", stack_of(samples->recording, frames, stack_sample->stack_id));

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

static json_t *entries_of(const struct samples *samples)
{
	size_t frame_count = samples->recording->frames.count;
	json_t **frames = memory_new(frame_count + 1, sizeof(*frames));
	json_t *entries = json_array();

	for (size_t i = 0; i < samples->count; i++)
		json_array_append_new(entries, entry_of(samples, frames, &samples->entries[i]));
	for (size_t i = 0; i < frame_count; i++)
		json_decref(frames[i]);
	free(frames);
	return entries;
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
	json_object_set_new(json, "entries", entries_of(samples));
	json_object_set_new(json, "locks", locks_of(samples));
	json_object_set_new(json, "warnings", warnings);
	json_write_report(out, json);
}
