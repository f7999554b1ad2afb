/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json - a causal profile as JSON, as docs/causal.schema.json defines it.
 *
 * Bytes that are not UTF-8 become U+FFFD. Unknown values are null.
 */
#include "report/formats.h"

#include "analyze/causal/callers.h"
#include "analyze/causal/certainty.h"
#include "analyze/causal/visits_by_process.h"
#include "base/cleanup.h"
#include "report/causal/first_screen.h"
#include "report/causal/no_answer.h"
#include "report/causal/sets.h"
#include "report/causal/tail_latency.h"
#include "report/causal/unanswered.h"
#include "report/causal/verdict_json.h"
#include "report/causal/warnings.h"
#include "report/display.h"
#include "report/json.h"
#include "report/run_totals.h"

#include <jansson.h>
#include <string.h>

#define FITTED_POINTS 10

static json_t *processes_of(const struct visits_by_process *visits_by_process)
{
	json_t *processes = json_array();
	for (size_t i = 0; i < visits_by_process->count; i++) {
		const struct process_visits *process_visits = &visits_by_process->items[i];
		json_array_append_new(processes,
				      json_pack("{sI so so}", "pid",
						(json_int_t)process_visits->pid, "name",
						json_text(process_visits->command), "visits",
						json_count(process_visits->visits)));
	}
	return processes;
}

static json_t *progress_of(const struct recording *recording, const struct run_totals *totals)
{
	json_t *progress = json_array();
	for (size_t i = 0; i < recording->points.count; i++) {
		const struct recording_point *point = &recording->points.items[i];
		json_t *one =
			json_pack("{so ss so so}", "name", json_text(point->name), "kind",
				  point_kind_name(point->kind), "visits",
				  json_count(run_totals_visits(recording, point->id)), "per_second",
				  json_number(run_totals_rate(recording, totals, point)));
		double latency_ns = run_totals_latency_ns(recording, point->id);
		if (point->kind == POINT_LATENCY)
			json_object_set_new(one, "latency_ns",
					    latency_ns > 0 ? json_real(latency_ns) : json_null());
		struct visits_by_process visits_by_process =
			visits_by_process_of(recording, point->id);
		if (visits_by_process.count)
			json_object_set_new(one, "processes", processes_of(&visits_by_process));
		visits_by_process_release(&visits_by_process);
		json_array_append_new(progress, one);
	}
	return progress;
}

/* null if the interval is too wide for an answer. */
static json_t *verdict_of_effect(const struct causal_target *target,
				 const struct causal_effect *effect)
{
	struct target_verdict verdict = verdict_of(target, effect);

	return verdict_is_too_wide(&verdict) ? json_null() : verdict_json(&verdict);
}

/* The fitted curve within the bounds, at 10, 20 … 100 %; without what is far from measured. */
static json_t *fitted_json(const struct causal_effect *effect)
{
	json_t *points = json_array();

	for (int i = 1; i <= FITTED_POINTS; i++) {
		struct effect_point at;
		if (certainty_effect_at(effect, (double)i / FITTED_POINTS, &at))
			continue;
		json_array_append_new(points,
				      json_pack("{so so so so}", "speedup", json_number(at.speedup),
						"program_speedup", json_number(at.gain), "low",
						json_number(at.low), "high", json_number(at.high)));
	}
	return points;
}

static json_t *effect_of(const struct report *report, const struct causal_target *target,
			 const struct causal_effect *effect)
{
	json_t *points = json_array();
	bool has_slope = effect->slope.windows > 0;
	for (size_t i = 0; i < effect->count; i++) {
		if (effect->points[i].speedup > 0)
			json_array_append_new(points, effect_point_json(&effect->points[i]));
	}
	json_t *json =
		json_pack("{so ss so so so so so so sb so}", "progress",
			  json_text(effect->point->name), "kind",
			  point_kind_name(effect->point->kind), "points", points, "slope",
			  has_slope ? json_number(effect->slope.slope) : json_null(), "slope_low",
			  has_slope ? json_number(effect->slope.low) : json_null(), "slope_high",
			  has_slope ? json_number(effect->slope.high) : json_null(), "phase_factor",
			  json_number(effect->phase_factor), "outside_share",
			  json_number(effect->external_pacing.share), "contention",
			  effect->is_contention, "answer", verdict_of_effect(target, effect));
	json_object_set_new(json, "fitted", fitted_json(effect));
	json_object_set_new(json, "exceeds_charge", json_boolean(effect->exceeds_charge));
	json_object_set_new(json, "ceiling", json_number(effect->ceiling));
	json_object_set_new(json, "probability", json_number(effect->probability));
	if (effect->point->kind == POINT_LATENCY)
		json_object_set_new(json, "p99", tail_latency_json(target, effect));
	json_t *interaction = sets_interaction_json(report, target, effect);
	if (interaction)
		json_object_set_new(json, "interaction", interaction);
	return json;
}

static json_t *callers_json(const struct callers *callers)
{
	json_t *array = json_array();
	for (size_t i = 0; i < callers->count; i++) {
		const struct caller *caller = &callers->items[i];
		const struct recording_frame *user = caller->user;
		json_array_append_new(array,
				      json_pack("{so so so so so}", "system_call",
						json_text(caller->system_call), "function",
						json_text(user ? user->function : NULL), "file",
						json_text(user ? user->file : NULL), "line",
						user && user->line ? json_integer(user->line) :
								     json_null(),
						"share", json_number(caller->share)));
	}
	return array;
}

static json_t *target_of(const struct report *report, const struct causal_target *target)
{
	const struct recording *recording = report->recording;
	const struct recording_target *what = target->target;
	json_t *effects = json_array();
	for (size_t i = 0; i < target->count; i++)
		json_array_append_new(effects, effect_of(report, target, &target->effects[i]));
	json_t *json =
		json_pack("{ss so so so so so so so sI so}", "kind", target_kind_name(what->kind),
			  "name", json_text(what->name), "function", json_text(what->function),
			  "file", json_text(what->file), "line",
			  what->line ? json_integer(what->line) : json_null(), "object",
			  json_text(what->object), "build_id", json_text(what->build_id), "share",
			  json_number(target->share), "experiments",
			  (json_int_t)target->experiments, "effects", effects);
	if (target->outer)
		json_object_set_new(json, "inside", json_text(target->outer->target->name));
	if (target->named_outer)
		json_object_set_new(json, "called_by", json_text(target->named_outer));
	struct callers callers = callers_of(recording, what);
	if (callers.count)
		json_object_set_new(json, "callers", callers_json(&callers));
	callers_release(&callers);
	sets_add_members(json, recording, what);
	return json;
}

static json_t *targets_of(const struct report *report)
{
	json_t *targets = json_array();
	for (size_t i = 0; i < report->causal->count; i++)
		json_array_append_new(targets, target_of(report, &report->causal->targets[i]));
	return targets;
}

static json_t *run_of(const struct recording_run *run)
{
	json_t *json =
		json_pack("{so so so so so so so so so sb}", "command", json_command_of(run),
			  "engine", json_text(run->engine), "host", json_host_of(run), "version",
			  json_text(run->version), "granularity", json_text(run->granularity),
			  "exit_status", json_status_of(run), "wall_ns", json_count(run->wall_ns),
			  "delay_ns", json_count(run->delay_ns), "samples",
			  json_count(run->samples), "finished", run->finished);
	/* 64 bits do not fit a JSON integer everywhere. */
	AUTO(text) char *seed = text_format("%llu", (unsigned long long)run->seed);
	json_object_set_new(json, "seed", json_string(seed));
	json_object_set_new(json, "started_s", json_integer(run->started_s));
	return json;
}

static json_t *runs_of(const struct recording *recording)
{
	json_t *runs = json_array();
	for (size_t i = 0; i < recording->runs.count; i++)
		json_array_append_new(runs, run_of(&recording->runs.items[i]));
	return runs;
}

static json_t *discarded_of(const struct causal *causal)
{
	return json_pack("{sI sI sI sI}", "displaced", (json_int_t)causal->displaced,
			 "too_few_visits", (json_int_t)causal->too_few_visits, "cut_short",
			 (json_int_t)causal->cut_short, "mischarged",
			 (json_int_t)causal->mischarged);
}

void report_causal_json(FILE *out, const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct causal *causal = report->causal;
	struct run_totals totals = run_totals_of(recording);
	struct warnings warnings = causal_warnings(recording, causal);
	struct target_verdicts verdicts = verdicts_of(causal);
	/* Why there is no answer; null if there is one. */
	AUTO(text) char *no_answer = verdicts.count ? NULL : no_answer_reason(recording, causal);
	json_t *json = json_pack("{si ss so so so so so so so sI so so so so}", "lever", 1, "kind",
				 "causal", "program", json_program_of(&totals), "engine",
				 json_text(totals.last ? totals.last->engine : NULL), "host",
				 json_host_of(totals.last), "sampling", json_sampling_of(&totals),
				 "overhead", json_overhead_of(&totals), "progress",
				 progress_of(recording, &totals), "targets", targets_of(report),
				 "experiments", (json_int_t)causal->experiments, "discarded",
				 discarded_of(causal), "warnings", json_warnings(&warnings),
				 "no_answer", json_text(no_answer), "runs", runs_of(recording));
	json_object_set_new(json, "set_searches", sets_searches_json(recording));
	json_object_set_new(json, "unanswered", unanswered_json(report, &verdicts));
	json_object_set_new(json, "first_screen", first_screen_json(report, &verdicts));
	json_write_report(out, json);
	verdicts_release(&verdicts);
	warnings_release(&warnings);
}
