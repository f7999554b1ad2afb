/* SPDX-License-Identifier: BSD-2-Clause */
/* pairs_exports - two commands as JSON, CSV, Markdown and annotations. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "report/csv.h"
#include "report/diff/diff_report.h"
#include "report/display.h"
#include "report/json.h"

#include <math.h>
#include <string.h>

static json_t *side_json(const struct diff_report *report, unsigned side)
{
	const struct run_side_summary *summary = &report->pairs->sides[side];

	return json_pack("{so so so so so so sI}", "command", json_text(report->commands[side]),
			 "median_s", json_number(summary->median), "quartile_low_s",
			 json_number(summary->low), "quartile_high_s", json_number(summary->high),
			 "least_s", json_number(summary->least), "most_s",
			 json_number(summary->most), "runs", (json_int_t)summary->runs);
}

static json_t *gate_json(const struct diff_report *report)
{
	static const char *const names[] = {NULL, "passed", "failed", "unsure"};
	const char *name = names[report->pairs->gate];

	if (!name)
		return json_null();
	return json_pack("{so ss}", "fail_if_slower", json_number(report->plan->gate), "verdict",
			 name);
}

void diff_pairs_json(FILE *out, const struct diff_report *report)
{
	const struct run_pairs_result *result = report->pairs;
	json_t *json =
		json_pack("{si ss ss so so so so so so sI sI sb so so so}", "lever", 1, "kind",
			  "pairs", "verdict", diff_pairs_verdict_name(result), "progress",
			  json_text(report->point), "before", side_json(report, RUN_BEFORE),
			  "after", side_json(report, RUN_AFTER), "ratio",
			  json_number(result->ratio), "low", json_number(result->low), "high",
			  json_number(result->high), "pairs", (json_int_t)result->pairs,
			  "warm_up_pairs", (json_int_t)result->warm_up, "ended_early",
			  result->is_early, "p", json_number(result->p), "gate", gate_json(report),
			  "warning", json_text(report->note));

	json_write_report(out, json);
}

void diff_pairs_csv(FILE *out, const struct diff_report *report)
{
	const struct run_pairs_result *result = report->pairs;

	fputs("side,command,median_s,quartile_low_s,quartile_high_s,runs,ratio,low,high,p,"
	      "verdict\r\n",
	      out);
	for (unsigned side = RUN_BEFORE; side <= RUN_AFTER; side++) {
		const struct run_side_summary *summary = &result->sides[side];
		fprintf(out, "%c,", side ? 'B' : 'A');
		csv_write_text(out, report->commands[side]);
		fprintf(out, ",%.9g,%.9g,%.9g,%zu", summary->median, summary->low, summary->high,
			summary->runs);
		if (side == RUN_BEFORE || !isfinite(result->high))
			fputs(",,,,", out);
		else
			fprintf(out, ",%.6g,%.6g,%.6g,%.4g", result->ratio, result->low,
				result->high, result->p);
		fprintf(out, ",%s\r\n", side ? diff_pairs_verdict_name(result) : "");
	}
}

/* A command in a cell of a table: backquotes and bars would end it. */
static char *markdown_code(const char *command)
{
	char *clean = display_clean(command);

	for (char *at = clean; *at; at++)
		if (*at == '`' || *at == '|')
			*at = '\'';
	return clean;
}

void diff_pairs_markdown(FILE *out, const struct diff_report *report)
{
	const struct run_pairs_result *result = report->pairs;
	AUTO(text) char *verdict = diff_pairs_verdict(report);
	AUTO(text) char *gate = diff_pairs_gate(report);

	fprintf(out, "**%s**%s%s\n\n", verdict, gate ? ". " : "", gate ? gate : "");
	fputs("| | command | median | change | p | n |\n|---|---|---:|---:|---:|---:|\n", out);
	for (unsigned side = RUN_BEFORE; side <= RUN_AFTER; side++) {
		AUTO(text) char *median = display_duration(result->sides[side].median * 1e9);
		AUTO(text) char *command = markdown_code(report->commands[side]);
		AUTO(text) char *change = diff_pairs_change(result);
		if (side == RUN_BEFORE)
			fprintf(out, "| A | `%s` | %s | | | |\n", command, median);
		else
			fprintf(out, "| B | `%s` | %s | %s | %.4f | %zu |\n", command, median,
				change, result->p, result->pairs);
	}
	if (report->note)
		fprintf(out, "\n%s\n", report->note);
}

void diff_pairs_github(FILE *out, const struct diff_report *report)
{
	const struct run_pairs_result *result = report->pairs;
	AUTO(text) char *verdict = diff_pairs_verdict(report);
	AUTO(text) char *gate = diff_pairs_gate(report);
	AUTO(text) char *both = text_format("%s%s%s", verdict, gate ? ". " : "", gate ? gate : "");
	bool has_failed = result->gate == GATE_FAILED;
	bool is_slower = result->verdict == RUN_SLOWER;

	diff_annotation_write(out,
			      has_failed ? "error" :
			      is_slower  ? "warning" :
					   "notice",
			      NULL, 0, both);
}
