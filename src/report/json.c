/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json - a causal profile as JSON, for programs. docs/causal.schema.json is its contract.
 *
 * Names may hold any bytes; what is not UTF-8 in them becomes U+FFFD. What is unknown is null.
 */
#include "report/report.h"

#include "base/own.h"
#include "report/answer.h"
#include "report/nothing.h"
#include "report/sums.h"
#include "report/warnings.h"
#include "report/words.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* More digits than any of our fractions has; few enough that machines agree on them. */
#define REAL_DIGITS 6

static json_t *text_or_null(const char *text)
{
	AUTO(text) char *valid = words_utf8(text);
	return valid ? json_string(valid) : json_null();
}

static json_t *real_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *integer(uint64_t value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

static json_t *status_of(const struct recording_run *run)
{
	int status = sums_exit_status(run);
	return status < 0 ? json_null() : json_integer(status);
}

static json_t *command_of(const struct recording_run *run)
{
	AUTO(text) char *valid = run ? words_utf8(run->command) : NULL;
	json_t *command = valid ? json_loads(valid, 0, NULL) : NULL;
	if (json_is_array(command))
		return command;
	json_decref(command);
	return json_array();
}

static json_t *program_of(const struct sums *sums)
{
	const struct recording_run *run = sums->last;
	return json_pack("{so so so so}", "command", command_of(run), "exit_status", status_of(run),
			 "wall_ns", integer(run ? run->wall_ns : 0), "delay_ns",
			 integer(run ? run->delay_ns : 0));
}

static json_t *host_of(const struct recording_run *run)
{
	return json_pack("{so so}", "name", text_or_null(run ? run->host : NULL), "kernel",
			 text_or_null(run ? run->kernel : NULL));
}

static json_t *sampling_of(const struct sums *sums)
{
	return json_pack("{so so so so so so so}", "period_ns",
			 integer(sums->last ? sums->last->period_ns : 0), "samples",
			 integer(sums->samples), "lost", integer(sums->lost), "unwound_badly",
			 integer(sums->unwound_badly), "interrupt_share",
			 real_or_null(sums->interrupt_share), "capped", integer(sums->capped),
			 "paused_ns", integer(sums->paused_ns));
}

static json_t *progress_of(const struct recording *recording, const struct sums *sums)
{
	json_t *progress = json_array();
	for (size_t i = 0; i < recording->points.count; i++) {
		const struct recording_point *point = &recording->points.items[i];
		json_t *one = json_pack("{so ss so so}", "name", text_or_null(point->name), "kind",
					point_kind_name(point->kind), "visits",
					integer(sums_visits(recording, point->id)), "per_second",
					real_or_null(sums_rate(recording, sums, point)));
		double latency_ns = sums_latency_ns(recording, point->id);
		if (point->kind == POINT_LATENCY)
			json_object_set_new(one, "latency_ns",
					    latency_ns > 0 ? json_real(latency_ns) : json_null());
		json_array_append_new(progress, one);
	}
	return progress;
}

static json_t *point_of(const struct effect_point *point)
{
	return json_pack("{so so so so sI}", "speedup", real_or_null(point->speedup),
			 "program_speedup", real_or_null(point->gain), "low",
			 real_or_null(point->low), "high", real_or_null(point->high), "experiments",
			 (json_int_t)point->windows);
}

/* What the text report tells of it in words; null where the interval is too wide to say anything. */
static json_t *answer_json(const struct causal_target *target, const struct causal_effect *effect)
{
	struct answer answer = answer_of(target, effect);
	if (answer_says_nothing(&answer))
		return json_null();
	return json_pack("{so so so so ss}", "speedup", real_or_null(answer.at.speedup),
			 "program_speedup", real_or_null(answer.at.gain), "low",
			 real_or_null(answer.at.low), "high", real_or_null(answer.at.high),
			 "verdict", answer_verdict_name(answer.verdict));
}

static json_t *effect_of(const struct causal_target *target, const struct causal_effect *effect)
{
	json_t *points = json_array();
	bool has_slope = effect->slope.windows > 0;
	for (size_t i = 0; i < effect->count; i++) {
		if (effect->points[i].speedup > 0)
			json_array_append_new(points, point_of(&effect->points[i]));
	}
	return json_pack("{so ss so so so so so sb so}", "progress",
			 text_or_null(effect->point->name), "kind",
			 point_kind_name(effect->point->kind), "points", points, "slope",
			 has_slope ? real_or_null(effect->slope.slope) : json_null(), "slope_low",
			 has_slope ? real_or_null(effect->slope.low) : json_null(), "slope_high",
			 has_slope ? real_or_null(effect->slope.high) : json_null(), "phase_factor",
			 real_or_null(effect->phase_factor), "contention", effect->is_contention,
			 "answer", answer_json(target, effect));
}

static json_t *target_of(const struct causal_target *target)
{
	const struct recording_target *what = target->target;
	json_t *effects = json_array();
	for (size_t i = 0; i < target->count; i++)
		json_array_append_new(effects, effect_of(target, &target->effects[i]));
	return json_pack("{ss so so so so so so so sI so}", "kind", target_kind_name(what->kind),
			 "name", text_or_null(what->name), "function", text_or_null(what->function),
			 "file", text_or_null(what->file), "line",
			 what->line ? json_integer(what->line) : json_null(), "object",
			 text_or_null(what->object), "build_id", text_or_null(what->build_id),
			 "share", real_or_null(target->share), "experiments",
			 (json_int_t)target->experiments, "effects", effects);
}

static json_t *targets_of(const struct causal *causal)
{
	json_t *targets = json_array();
	for (size_t i = 0; i < causal->count; i++)
		json_array_append_new(targets, target_of(&causal->targets[i]));
	return targets;
}

static json_t *run_of(const struct recording_run *run)
{
	json_t *json =
		json_pack("{so so so so so so so so so sb}", "command", command_of(run), "engine",
			  text_or_null(run->engine), "host", host_of(run), "version",
			  text_or_null(run->version), "granularity", text_or_null(run->granularity),
			  "exit_status", status_of(run), "wall_ns", integer(run->wall_ns),
			  "delay_ns", integer(run->delay_ns), "samples", integer(run->samples),
			  "finished", run->finished);
	/* Its 64 bits do not fit a JSON integer everywhere. */
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

static json_t *warnings_array(const struct recording *recording)
{
	json_t *array = json_array();
	struct warnings warnings = warnings_of(recording);
	for (size_t i = 0; i < warnings.count; i++)
		json_array_append_new(array, text_or_null(warnings.items[i]));
	warnings_release(&warnings);
	return array;
}

/* Why there is no answer at all; null if there is one. */
static json_t *no_answer_of(const struct recording *recording, const struct causal *causal)
{
	struct answers answers = answers_of(causal);
	AUTO(text) char *reason = answers.count ? NULL : nothing_reason(recording, causal);
	answers_release(&answers);
	return text_or_null(reason);
}

static json_t *discarded_of(const struct causal *causal)
{
	return json_pack("{sI sI sI}", "displaced", (json_int_t)causal->displaced, "too_few_visits",
			 (json_int_t)causal->too_few_visits, "cut_short",
			 (json_int_t)causal->cut_short);
}

void report_json(FILE *out, const struct recording *recording, const struct causal *causal)
{
	struct sums sums = sums_of(recording);
	json_t *report =
		json_pack("{si ss so so so so so so sI so so so so}", "lever", 1, "kind", "causal",
			  "program", program_of(&sums), "engine",
			  text_or_null(sums.last ? sums.last->engine : NULL), "host",
			  host_of(sums.last), "sampling", sampling_of(&sums), "progress",
			  progress_of(recording, &sums), "targets", targets_of(causal),
			  "experiments", (json_int_t)causal->experiments, "discarded",
			  discarded_of(causal), "warnings", warnings_array(recording), "no_answer",
			  no_answer_of(recording, causal), "runs", runs_of(recording));
	json_dumpf(report, out, JSON_INDENT(1) | JSON_REAL_PRECISION(REAL_DIGITS));
	fputc('\n', out);
	json_decref(report);
}
