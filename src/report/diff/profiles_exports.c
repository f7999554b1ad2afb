/* SPDX-License-Identifier: BSD-2-Clause */
/* profiles_exports - two profiles as JSON, CSV, Markdown and annotations. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/csv.h"
#include "report/diff/json.h"
#include "report/display.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

#define ROWS_OF_MARKDOWN 12

static json_t *gain_json(const struct gain_estimate *gain)
{
	if (!gain->is_known)
		return json_null();
	return json_pack("{so so so}", "gain", json_number(gain->gain), "low",
			 json_number(gain->low), "high", json_number(gain->high));
}

static json_t *cost_json(const struct function_cost *cost)
{
	if (!cost)
		return json_null();
	return json_pack("{so so so so}", "name", json_text(cost->name), "file",
			 json_text(cost->file), "line",
			 cost->line ? json_integer(cost->line) : json_null(), "per_visit_ns",
			 json_number(cost->per_visit_ns));
}

static json_t *functions_json(const struct profile_pair *pair)
{
	json_t *functions = json_array();

	for (size_t i = 0; i < pair->count; i++) {
		const struct changed_function *function = &pair->functions[i];
		json_array_append_new(functions,
				      json_pack("{so so so so so so sb so so}", "before",
						cost_json(function->sides[PROFILE_BEFORE]), "after",
						cost_json(function->sides[PROFILE_AFTER]),
						"speedup", json_number(function->speedup), "low",
						json_number(function->low), "high",
						json_number(function->high), "p",
						json_number(function->p), "changed",
						function->is_changed, "saved_share",
						json_number(function->saved_share), "predicted",
						gain_json(&function->predicted)));
	}
	return functions;
}

json_t *diff_gate_json(const struct run_pairs_plan *plan, enum gate_verdict verdict)
{
	static const char *const names[] = {NULL, "passed", "failed", "unsure"};

	if (!names[verdict])
		return json_null();
	return json_pack("{so ss}", "fail_if_slower", json_number(plan->gate), "verdict",
			 names[verdict]);
}

void diff_profiles_json(FILE *out, const struct diff_report *report)
{
	const struct profile_pair *pair = report->profiles;
	AUTO(text) char *sentence = diff_profiles_verdict(pair);
	json_t *notes = json_array();

	for (size_t i = 0; i < pair->notes.count; i++)
		json_array_append_new(notes, json_text(pair->notes.items[i]));
	json_t *json =
		json_pack("{si ss ss so so so so so so so so sb so}", "lever", 1, "kind", "diff",
			  "verdict", diff_profiles_verdict_name(pair), "sentence",
			  json_text(sentence), "before",
			  json_text(report->commands[PROFILE_BEFORE]), "after",
			  json_text(report->commands[PROFILE_AFTER]), "progress",
			  json_text(pair->points[PROFILE_BEFORE]->name), "predicted",
			  gain_json(&pair->predicted), "measured", gain_json(&pair->measured),
			  "functions", functions_json(pair), "notes", notes, "void", pair->is_void,
			  "gate", diff_gate_json(report->plan, report->profiles->gate));
	json_write_report(out, json);
}

void diff_profiles_csv(FILE *out, const struct diff_report *report)
{
	const struct profile_pair *pair = report->profiles;

	fputs("function,file,line,before_ns,after_ns,speedup,low,high,p,changed,predicted,"
	      "predicted_low,predicted_high\r\n",
	      out);
	for (size_t i = 0; i < pair->count; i++) {
		const struct changed_function *function = &pair->functions[i];
		const struct function_cost *before = function->sides[PROFILE_BEFORE];
		const struct function_cost *after = function->sides[PROFILE_AFTER];
		const struct function_cost *either = after ? after : before;
		const struct gain_estimate *gain = &function->predicted;
		csv_write_text(out, either->name);
		fputc(',', out);
		csv_write_text(out, either->file);
		fprintf(out, ",%u", either->line);
		csv_write_next_number(out, before ? before->per_visit_ns : NAN);
		csv_write_next_number(out, after ? after->per_visit_ns : NAN);
		csv_write_next_number(out, function->speedup);
		csv_write_next_number(out, function->low);
		csv_write_next_number(out, function->high);
		csv_write_next_number(out, function->p);
		fputs(function->is_changed ? ",true" : ",false", out);
		csv_write_next_number(out, gain->is_known ? gain->gain : NAN);
		csv_write_next_number(out, gain->is_known ? gain->low : NAN);
		csv_write_next_number(out, gain->is_known ? gain->high : NAN);
		fputs("\r\n", out);
	}
}

char *diff_markdown_name(const char *name)
{
	char *clean = display_clean(name);

	for (char *at = clean; *at; at++)
		if (*at == '`' || *at == '|')
			*at = '\'';
	return clean;
}

static void write_markdown_function(FILE *out, const struct changed_function *function)
{
	const struct function_cost *before = function->sides[PROFILE_BEFORE];
	AUTO(text) char *name = diff_markdown_name(before->name);
	AUTO(text) char *from = display_duration(before->per_visit_ns);
	AUTO(text) char *to = display_duration(function->sides[PROFILE_AFTER]->per_visit_ns);
	AUTO(text) char *change = diff_change_text(function);
	AUTO(text) char *predicted = diff_gain_text(&function->predicted);

	fprintf(out, "| `%s` | %s | %s | %s | %s |\n", name, from, to, change, predicted);
}

void diff_profiles_markdown(FILE *out, const struct diff_report *report)
{
	const struct profile_pair *pair = report->profiles;
	AUTO(text) char *verdict = diff_profiles_verdict(pair);
	AUTO(text) char *gate = diff_profiles_gate(pair, report->plan->gate);

	fprintf(out, "**%s**%s%s\n\n", verdict, gate ? ". " : "", gate ? gate : "");
	if (pair->changed)
		fputs("| function | before | after | change | predicted for that |\n"
		      "|---|---:|---:|---|---|\n",
		      out);
	for (size_t i = 0, rows = 0; i < pair->count && rows < ROWS_OF_MARKDOWN; i++) {
		if (!pair->functions[i].is_changed)
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
void diff_profiles_github(FILE *out, const struct diff_report *report)
{
	const struct profile_pair *pair = report->profiles;
	AUTO(text) char *verdict = diff_profiles_verdict(pair);
	AUTO(text) char *gate = diff_profiles_gate(pair, report->plan->gate);
	AUTO(text) char *both = text_format("%s%s%s", verdict, gate ? ". " : "", gate ? gate : "");

	diff_annotation_write(out, pair->gate == GATE_FAILED ? "error" : "notice", NULL, 0, both);
	for (size_t i = 0; i < pair->count; i++) {
		const struct changed_function *function = &pair->functions[i];
		const struct function_cost *after = function->sides[PROFILE_AFTER];
		if (!function->is_changed || !after)
			continue;
		AUTO(text) char *change = diff_change_text(function);
		AUTO(text) char *sentence = text_format("%s costs %s", after->name, change);
		diff_annotation_write(out, function->speedup < 0 ? "warning" : "notice",
				      after->file, after->line, sentence);
	}
}
