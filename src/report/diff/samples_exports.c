/* SPDX-License-Identifier: BSD-2-Clause */
/* samples_exports - two recordings of samples as JSON, CSV, Markdown and annotations. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/csv.h"
#include "report/diff/diff_report.h"
#include "report/diff/json.h"
#include "report/display.h"
#include "report/samples/names.h"

#include <math.h>

#define ROWS_OF_MARKDOWN 12

static json_t *change_json(const struct samples_change *change)
{
	return json_pack("{so so so so so so sb}", "before_ns",
			 json_number(change->unit_ns[PROFILE_BEFORE]), "after_ns",
			 json_number(change->unit_ns[PROFILE_AFTER]), "change",
			 json_number(change->change), "low", json_number(change->low), "high",
			 json_number(change->high), "p", json_number(change->p), "changed",
			 change->is_sure);
}

static json_t *function_json(const struct samples_function *function)
{
	const struct samples_cost *cost = samples_function_either(function);
	const struct recording_frame *frame = cost->frame;
	json_t *json = change_json(&function->change);

	json_object_set_new(json, "function", json_text(frame ? frame->function : NULL));
	json_object_set_new(json, "object", json_text(frame ? frame->object : NULL));
	json_object_set_new(json, "file", json_text(frame ? frame->file : NULL));
	json_object_set_new(json, "line",
			    frame && frame->line ? json_integer(frame->line) : json_null());
	json_object_set_new(json, "waiting", json_boolean(cost->is_waiting));
	return json;
}

json_t *diff_samples_json_tree(const struct diff_report *report)
{
	const struct samples_pair *pair = report->samples;
	AUTO(text) char *sentence = diff_samples_verdict(pair);
	json_t *functions = json_array(), *notes = json_array();

	for (size_t i = 0; i < pair->count; i++)
		json_array_append_new(functions, function_json(&pair->functions[i]));
	for (size_t i = 0; i < pair->notes.count; i++)
		json_array_append_new(notes, json_text(pair->notes.items[i]));
	return json_pack("{si ss so so so ss so so so so so so so so}", "lever", 1, "kind",
			 "samples-diff", "sentence", json_text(sentence), "before",
			 json_text(report->commands[PROFILE_BEFORE]), "after",
			 json_text(report->commands[PROFILE_AFTER]), "unit",
			 pair->is_per_second ? "second" : "run", "units_before",
			 json_number(pair->units[PROFILE_BEFORE]), "units_after",
			 json_number(pair->units[PROFILE_AFTER]), "run_error",
			 json_number(pair->run_error), "on_cpu", change_json(&pair->on_cpu),
			 "waiting", change_json(&pair->waiting), "functions", functions, "notes",
			 notes, "gate", diff_gate_json(report->plan, report->samples->gate));
}

void diff_samples_json(FILE *out, const struct diff_report *report)
{
	json_write_report(out, diff_samples_json_tree(report));
}

void diff_samples_csv(FILE *out, const struct diff_report *report)
{
	const struct samples_pair *pair = report->samples;

	fputs("function,file,line,waiting,before_ns,after_ns,change,low,high,p,changed\r\n", out);
	for (size_t i = 0; i < pair->count; i++) {
		const struct samples_cost *cost = samples_function_either(&pair->functions[i]);
		const struct samples_change *change = &pair->functions[i].change;
		AUTO(text) char *name = samples_function_name(cost->frame);
		csv_write_text(out, name);
		fputc(',', out);
		csv_write_text(out, cost->frame ? cost->frame->file : NULL);
		fprintf(out, ",%u,%s", cost->frame ? cost->frame->line : 0,
			cost->is_waiting ? "true" : "false");
		csv_write_next_number(out, change->unit_ns[PROFILE_BEFORE]);
		csv_write_next_number(out, change->unit_ns[PROFILE_AFTER]);
		csv_write_next_number(out, change->change);
		csv_write_next_number(out, change->low);
		csv_write_next_number(out, change->high);
		csv_write_next_number(out, change->p);
		fputs(change->is_sure ? ",true\r\n" : ",false\r\n", out);
	}
}

static void write_markdown_function(FILE *out, const struct samples_function *function)
{
	const struct samples_cost *cost = samples_function_either(function);
	AUTO(text) char *plain = samples_function_name(cost->frame);
	AUTO(text) char *name = diff_markdown_name(plain);
	AUTO(text) char *before = display_duration(function->change.unit_ns[PROFILE_BEFORE]);
	AUTO(text) char *after = display_duration(function->change.unit_ns[PROFILE_AFTER]);
	AUTO(text) char *change = diff_samples_change(&function->change);

	fprintf(out, "| `%s`%s | %s | %s | %s |\n", name, cost->is_waiting ? " (waiting)" : "",
		before, after, change);
}

void diff_samples_markdown(FILE *out, const struct diff_report *report)
{
	const struct samples_pair *pair = report->samples;
	AUTO(text) char *verdict = diff_samples_verdict(pair);
	AUTO(text) char *gate = diff_samples_gate(pair, report->plan->gate);

	fprintf(out, "**%s**%s%s\n\n", verdict, gate ? ". " : "", gate ? gate : "");
	if (pair->changed)
		fputs("| function, own time | before | after | change |\n|---|---:|---:|---|\n",
		      out);
	for (size_t i = 0, rows = 0; i < pair->count && rows < ROWS_OF_MARKDOWN; i++) {
		if (!pair->functions[i].change.is_sure)
			continue;
		write_markdown_function(out, &pair->functions[i]);
		rows++;
	}
	for (size_t i = 0; i < pair->notes.count; i++) {
		AUTO(text) char *note = display_clean(pair->notes.items[i]);
		fprintf(out, "%s- %s\n", i ? "" : "\n", note);
	}
}

/* A dearer function is a warning at its line; the verdict is a notice, or the gate's error. */
void diff_samples_github(FILE *out, const struct diff_report *report)
{
	const struct samples_pair *pair = report->samples;
	AUTO(text) char *verdict = diff_samples_verdict(pair);
	AUTO(text) char *gate = diff_samples_gate(pair, report->plan->gate);
	AUTO(text) char *both = text_format("%s%s%s", verdict, gate ? ". " : "", gate ? gate : "");

	diff_annotation_write(out, pair->gate == GATE_FAILED ? "error" : "notice", NULL, 0, both);
	for (size_t i = 0; i < pair->count; i++) {
		const struct samples_change *change = &pair->functions[i].change;
		const struct samples_cost *cost = samples_function_either(&pair->functions[i]);
		if (!change->is_sure || !isfinite(change->change) || !cost->frame)
			continue;
		AUTO(text) char *name = samples_function_name(cost->frame);
		AUTO(text) char *by = diff_samples_change(change);
		AUTO(text)
		char *sentence = text_format("%s takes %s time of its own%s", name, by,
					     cost->is_waiting ? ", waiting" : "");
		diff_annotation_write(out, change->change > 0 ? "warning" : "notice",
				      cost->frame->file, cost->frame->line, sentence);
	}
}
