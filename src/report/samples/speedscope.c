/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples_speedscope - samples as speedscope opens them (its file-format-schema.json): a profile of
 * all threads together, and one of each.
 *
 * Off CPU, a chain ends in a frame that says what was waited for. Samples are not in the order of
 * time, since equal ones are added up: speedscope's "left heavy" and "sandwich" are the views to use.
 */
#include "report/report.h"

#include "base/cleanup.h"
#include "report/display.h"
#include "report/json_columns.h"
#include "report/run_totals.h"
#include "report/samples/tables.h"

#define EXPORTER "lever"

static void write_frame(FILE *out, const struct samples_frame *frame)
{
	AUTO(text) char *name = samples_frame_name(frame);

	fputs("{\"name\":", out);
	json_columns_write_text(out, name);
	if (frame->code && frame->code->file) {
		fputs(",\"file\":", out);
		json_columns_write_text(out, frame->code->file);
		if (frame->code->line)
			fprintf(out, ",\"line\":%u", frame->code->line);
	}
	fputc('}', out);
}

/* Frames from the outermost on. */
static void write_chain(FILE *out, const struct samples_tables *tables, size_t stack)
{
	ARRAY(size_t) chain = {0};

	for (; stack; stack = tables->stacks.items[stack - 1].caller)
		*array_add(&chain) = tables->stacks.items[stack - 1].frame;
	fputc('[', out);
	for (size_t i = chain.count; i-- > 0;)
		fprintf(out, "%zu%s", chain.items[i], i ? "," : "");
	fputc(']', out);
	array_free(&chain);
}

/* Of one thread, or of all if it is NULL. */
static void write_profile(FILE *out, const struct samples_tables *tables,
			  const struct recording_thread *thread, const char *name)
{
	uint64_t all_ns = 0;
	const char *comma = "";

	fputs("{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"name\":", out);
	json_columns_write_text(out, name);
	fputs(",\"samples\":[", out);
	for (size_t i = 0; i < tables->entries.count; i++) {
		if (thread && !samples_entry_is_of(tables->entries.items[i], thread))
			continue;
		fputs(comma, out);
		write_chain(out, tables, tables->stack_of.items[i]);
		comma = ",";
	}
	fputs("],\"weights\":[", out);
	comma = "";
	for (size_t i = 0; i < tables->entries.count; i++) {
		uint64_t weight_ns = tables->entries.items[i]->stack_sample->weight_ns;
		if (thread && !samples_entry_is_of(tables->entries.items[i], thread))
			continue;
		fprintf(out, "%s%llu", comma, (unsigned long long)weight_ns);
		comma = ",";
		all_ns += weight_ns;
	}
	fprintf(out, "],\"startValue\":0,\"endValue\":%llu}", (unsigned long long)all_ns);
}

static void write_threads(FILE *out, const struct samples *samples,
			  const struct samples_tables *tables)
{
	size_t count;
	const struct recording_thread **threads = samples_threads(samples, &count);

	write_profile(out, tables, NULL, "all threads");
	for (size_t i = 0; i < count && count > 1; i++) {
		AUTO(text)
		char *name = text_format("%s (%u)", threads[i]->command ? threads[i]->command : "?",
					 threads[i]->tid);
		fputs(",\n", out);
		write_profile(out, tables, threads[i], name);
	}
	free(threads);
}

void report_samples_speedscope(FILE *out, const struct recording *recording,
			       const struct samples *samples)
{
	struct run_totals totals = run_totals_of(recording);
	struct samples_tables tables = samples_tables_of(samples, NULL, true);
	AUTO(text)
	char *command = display_command(totals.last ? totals.last->command : NULL);

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"", out);
	fprintf(out, ",\"exporter\":\"%s\",\"activeProfileIndex\":0,\"name\":", EXPORTER);
	json_columns_write_text(out, *command ? command : "lever record");
	fputs(",\n\"shared\":{\"frames\":[", out);
	for (size_t i = 0; i < tables.frames.count; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_frame(out, &tables.frames.items[i]);
	}
	fputs("]},\n\"profiles\":[", out);
	write_threads(out, samples, &tables);
	fputs("]}\n", out);
	samples_tables_free(&tables);
}
