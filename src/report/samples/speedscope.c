/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speedscope - samples for speedscope.app (its file-format-schema.json): a profile of all threads
 * together, and one of each.
 *
 * A chain off CPU ends in a frame that names the wait. Equal samples are merged, so they are not in
 * order of time: use the views "left heavy" and "sandwich".
 */
#include "report/formats.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "report/display.h"
#include "report/run_totals.h"
#include "report/samples/tables.h"

static void write_frame(struct json_writer *json, const struct samples_frame *frame)
{
	AUTO(text) char *name = samples_frame_name(frame);

	json_begin_object(json, NULL);
	json_put_text(json, "name", name);
	if (frame->code && frame->code->file) {
		json_put_text(json, "file", frame->code->file);
		if (frame->code->line) {
			json_put_number(json, "line", frame->code->line);
		}
	}
	json_end_object(json);
}

/* Frames from the outermost on. */
static void write_chain(struct json_writer *json, const struct samples_tables *tables, size_t stack)
{
	ARRAY(size_t) chain = {0};

	for (; stack; stack = tables->stacks.items[stack - 1].caller)
		*array_add(&chain) = tables->stacks.items[stack - 1].frame;
	json_begin_array(json, NULL);
	for (size_t i = chain.count; i-- > 0;)
		json_put_unsigned(json, NULL, chain.items[i]);
	json_end_array(json);
	array_free(&chain);
}

/* Of one thread, or of all if `thread` is NULL. */
static void write_profile(struct json_writer *json, const struct samples_tables *tables,
			  const struct recording_thread *thread, const char *name)
{
	uint64_t all_ns = 0;

	json_break_line(json);
	json_begin_object(json, NULL);
	json_put_text(json, "type", "sampled");
	json_put_text(json, "unit", "nanoseconds");
	json_put_text(json, "name", name);
	json_begin_array(json, "samples");
	for (size_t i = 0; i < tables->entries.count; i++)
		if (!thread || samples_entry_is_of(tables->entries.items[i], thread))
			write_chain(json, tables, tables->stack_of.items[i]);
	json_end_array(json);
	json_begin_array(json, "weights");
	for (size_t i = 0; i < tables->entries.count; i++) {
		uint64_t weight_ns = tables->entries.items[i]->stack_sample->weight_ns;
		if (thread && !samples_entry_is_of(tables->entries.items[i], thread))
			continue;
		json_put_unsigned(json, NULL, weight_ns);
		all_ns += weight_ns;
	}
	json_end_array(json);
	json_put_number(json, "startValue", 0);
	json_put_unsigned(json, "endValue", all_ns);
	json_end_object(json);
}

static void write_profiles(struct json_writer *json, const struct samples *samples,
			   const struct samples_tables *tables)
{
	size_t count;
	const struct recording_thread **threads = samples_threads(samples, &count);

	json_begin_array(json, "profiles");
	write_profile(json, tables, NULL, "all threads");
	for (size_t i = 0; i < count && count > 1; i++) {
		AUTO(text)
		char *name = text_format("%s (%u)", threads[i]->command ? threads[i]->command : "?",
					 threads[i]->tid);
		write_profile(json, tables, threads[i], name);
	}
	json_end_array(json);
	free(threads);
}

void report_samples_speedscope(FILE *out, const struct report *report)
{
	struct run_totals totals = run_totals_of(report->recording);
	struct samples_tables tables = samples_tables_of(report->samples, NULL, true);
	struct json_writer json = {.out = out};
	AUTO(text) char *command = display_command(totals.last ? totals.last->command : NULL);

	json_begin_object(&json, NULL);
	json_put_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_put_text(&json, "exporter", "lever");
	json_put_number(&json, "activeProfileIndex", 0);
	json_put_text(&json, "name", *command ? command : "lever record");
	json_begin_object(&json, "shared");
	json_begin_array(&json, "frames");
	for (size_t i = 0; i < tables.frames.count; i++) {
		json_break_line(&json);
		write_frame(&json, &tables.frames.items[i]);
	}
	json_end_array(&json);
	json_end_object(&json);
	write_profiles(&json, report->samples, &tables);
	json_end_object(&json);
	fputc('\n', out);
	samples_tables_free(&tables);
}
