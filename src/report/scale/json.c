/* SPDX-License-Identifier: BSD-2-Clause */
/* json - parallelism and predictions as JSON, as docs/scale.schema.json defines them. */
#include "report/formats.h"

#include "report/json.h"
#include "report/scale/hosts.h"
#include "report/scale/warnings.h"

#include <math.h>

static json_t *nanoseconds(double value)
{
	return json_integer((json_int_t)llround(value));
}

static json_t *level_of(const struct parallel_level *level)
{
	return json_pack("{si so so so so so so so so so}", "threads", (int)level->threads,
			 "wall_ns", nanoseconds(level->wall_ns), "running_ns",
			 nanoseconds(level->running_ns), "displaced_ns",
			 nanoseconds(level->displaced_ns), "stolen_ns",
			 nanoseconds(level->stolen_ns), "lock_ns",
			 nanoseconds(level->waiting_ns[PARALLEL_LOCK]), "io_ns",
			 nanoseconds(level->waiting_ns[PARALLEL_IO]), "timer_ns",
			 nanoseconds(level->waiting_ns[PARALLEL_TIMER]), "condition_ns",
			 nanoseconds(level->waiting_ns[PARALLEL_CONDITION]), "other_ns",
			 nanoseconds(level->waiting_ns[PARALLEL_OTHER]));
}

static json_t *levels_of(const struct scale *scale)
{
	json_t *levels = json_array();

	for (size_t i = 0; i < scale->levels.count; i++)
		json_array_append_new(levels, level_of(&scale->levels.items[i]));
	return levels;
}

static json_t *predictions_of(const struct scale *scale)
{
	json_t *predictions = json_array();

	for (size_t i = 0; i < scale->predictions.count; i++) {
		const struct scale_prediction *prediction = &scale->predictions.items[i];
		json_array_append_new(
			predictions,
			json_pack("{si so so so ss sb si so}", "cores", (int)prediction->cores,
				  "wall_ns", nanoseconds(prediction->wall_ns), "low_ns",
				  nanoseconds(prediction->low_ns), "high_ns",
				  nanoseconds(prediction->high_ns), "model",
				  scale_model_name(prediction->model), "best",
				  prediction->model == scale_best_model(scale, prediction->cores),
				  "runs", (int)prediction->runs, "error",
				  prediction->is_tried ? json_number(prediction->error) :
							 json_null()));
	}
	return predictions;
}

/* Each model's errors with other programs. */
static json_t *accuracies_of(void)
{
	json_t *records = json_array();

	for (unsigned model = 0; model < SCALE_MODELS; model++) {
		struct scale_model_accuracy record = scale_accuracy_of(model);
		json_array_append_new(records,
				      json_pack("{ss so si}", "model", scale_model_name(model),
						"mean_error", json_number(record.error), "programs",
						(int)record.programs));
	}
	return records;
}

static json_t *replay_of(const struct scale *scale)
{
	const struct scale_check *check = &scale->check;

	if (!check->is_there)
		return json_null();
	return json_pack("{so so so so}", "logged_ns", nanoseconds(check->logged_ns), "replayed_ns",
			 check->replayed_ns > 0 ? nanoseconds(check->replayed_ns) : json_null(),
			 "miss", check->replayed_ns > 0 ? json_number(check->error) : json_null(),
			 "refusal", json_text(check->refusal));
}

static json_t *limits_of(const struct scale *scale)
{
	json_t *all = json_array();
	unsigned cores = 0;

	for (size_t i = 0; i < scale->predictions.count && !scale->hosts.count; i++) {
		if (scale->predictions.items[i].cores == cores)
			continue;
		cores = scale->predictions.items[i].cores;
		struct parallel_losses losses = scale_losses(scale, cores);
		json_t *one = json_pack("{si so}", "cores", (int)cores, "used",
					json_number(losses.used_ns / losses.core_ns));
		json_t *parts = json_object();
		for (unsigned limit = 0; limit < PARALLEL_LIMITS; limit++)
			json_object_set_new(parts, scale_limit_name(limit),
					    json_number(losses.by_limit_ns[limit] /
							losses.core_ns));
		json_object_set_new(one, "waiting", parts);
		json_array_append_new(all, one);
	}
	return all;
}

static json_t *measured_of(const struct scale *scale)
{
	json_t *all = json_array();

	for (size_t i = 0; i < scale->measured.count; i++) {
		const struct scale_measured *measured = &scale->measured.items[i];
		json_array_append_new(all,
				      json_pack("{si si so so so so so si sb}", "cores",
						(int)measured->cores, "runs", (int)measured->runs,
						"wall_ns", nanoseconds(measured->wall_ns),
						"least_ns", nanoseconds(measured->least_ns),
						"most_ns", nanoseconds(measured->most_ns),
						"undisturbed_ns", nanoseconds(measured->own_ns),
						"cpu_ns", nanoseconds(measured->cpu_ns), "threads",
						(int)measured->threads, "earlier",
						measured->is_earlier));
	}
	return all;
}

static json_t *segment(double begin_ns, double wall_ns, double active, double running)
{
	return json_pack("{so so so so}", "begin_ns", nanoseconds(begin_ns), "wall_ns",
			 nanoseconds(wall_ns), "active", json_number(active), "running",
			 json_number(running));
}

static json_t *slices_of(const struct scale *scale)
{
	json_t *course = json_array();

	for (size_t i = 0; i < scale->slices.count; i++) {
		const struct scale_slice *slice = &scale->slices.items[i];
		json_array_append_new(course, segment(slice->begin_ns, slice->wall_ns,
						      slice->active, slice->running));
	}
	return course;
}

static json_t *phases_of(const struct scale *scale)
{
	json_t *phases = json_array();

	for (size_t i = 0; i < scale->phases.count; i++) {
		const struct scale_phase *phase = &scale->phases.items[i];
		json_array_append_new(phases, segment(phase->begin_ns, phase->wall_ns,
						      phase->active, phase->running));
	}
	return phases;
}

static json_t *spans_of_scale(const struct scale *scale)
{
	json_t *spans = json_array();

	for (size_t i = 0; i < scale->spans.count; i++) {
		const struct scale_span *span = &scale->spans.items[i];
		json_t *one =
			json_pack("{so so so so so so}", "name", json_text(span->name), "times",
				  json_count(span->times), "wall_ns", nanoseconds(span->wall_ns),
				  "active", json_number(span->active), "running",
				  json_number(span->running), "serial_share",
				  json_number(span->serial_share));
		json_t *levels = json_array();
		for (size_t j = 0; j < span->levels.count; j++)
			json_array_append_new(
				levels,
				json_pack("{si so}", "threads", (int)span->levels.items[j].threads,
					  "wall_ns", nanoseconds(span->levels.items[j].wall_ns)));
		json_object_set_new(one, "parallelism", levels);
		json_array_append_new(spans, one);
	}
	return spans;
}

static json_t *what_if_of(const struct scale *scale)
{
	const struct recording_what_if *asked = scale->what_if.asked;
	json_t *predictions = json_array();

	if (!asked) {
		json_decref(predictions);
		return json_null();
	}
	for (size_t i = 0; i < scale->what_if.predictions.count; i++) {
		const struct scale_predicted_gain *predicted_gain =
			&scale->what_if.predictions.items[i];
		json_array_append_new(predictions,
				      json_pack("{si so so so}", "cores",
						(int)predicted_gain->cores, "program_speedup",
						json_number(predicted_gain->gain), "low",
						json_number(predicted_gain->low), "high",
						json_number(predicted_gain->high)));
	}
	return json_pack("{so so so so so so si so so}", "target", json_text(asked->name),
			 "speedup", json_number(asked->speedup), "program_speedup",
			 json_number(asked->gain_ppm / 1e6), "low",
			 json_number(asked->low_ppm / 1e6), "high",
			 json_number(asked->high_ppm / 1e6), "refusal",
			 json_text(scale->what_if.refusal), "samples",
			 (int)scale->what_if.target_samples, "simulated",
			 json_number(scale->what_if.gain_here), "answers", predictions);
}

static json_t *threads_of(const struct scale *scale)
{
	uint64_t switches = 0, yields = 0, wakes = 0;
	unsigned threads = 0, processes = 0, most = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		const struct recording_parallel *parallel = scale->runs.items[i].parallel;
		switches += parallel->switches;
		wakes += parallel->wakes;
		yields += parallel->yields;
		threads = parallel->threads;
		processes = parallel->processes;
		most = parallel->most_threads > most ? parallel->most_threads : most;
	}
	return json_pack("{si si si so so so}", "made", (int)threads, "processes", (int)processes,
			 "most", (int)most, "switches", json_count(switches), "wakes",
			 json_count(wakes), "yields", json_count(yields));
}

void report_scale_json(FILE *out, const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct scale *scale = report->scale;
	struct run_totals totals = run_totals_of(recording);
	struct warnings warnings = scale_warnings(scale);
	json_t *json =
		json_pack("{si ss so so so so si si si so so so so so so}", "lever", 1, "kind",
			  "scale", "program", json_program_of(&totals), "engine",
			  json_text(totals.last ? totals.last->engine : NULL), "host",
			  json_host_of(totals.last), "overhead", json_overhead_of(&totals), "cores",
			  (int)scale->cores, "machine_cores", (int)scale->machine_cores, "runs",
			  (int)scale->runs.count, "threads", threads_of(scale), "mean_active",
			  json_number(scale->mean_active), "mean_running",
			  json_number(scale->mean_running), "serial_share",
			  json_number(scale->serial_share), "growth",
			  scale->has_growth ? json_number(scale->growth) : json_null(),
			  "parallelism", levels_of(scale));

	json_object_set_new(json, "taken",
			    json_pack("{so so so}", "displaced_ns",
				      nanoseconds(scale->displaced_ns), "stolen_ns",
				      nanoseconds(scale->stolen_ns), "counting_ns",
				      nanoseconds(scale->counting_ns)));
	json_object_set_new(json, "predictions", predictions_of(scale));
	json_object_set_new(json, "limits", limits_of(scale));
	json_object_set_new(json, "measured", measured_of(scale));
	json_object_set_new(json, "course", slices_of(scale));
	json_object_set_new(json, "phases", phases_of(scale));
	json_object_set_new(json, "replay", replay_of(scale));
	json_object_set_new(json, "models", accuracies_of());
	json_object_set_new(json, "spans", spans_of_scale(scale));
	json_object_set_new(json, "question", what_if_of(scale));
	json_object_set_new(json, "hosts", scale_hosts_json(scale));
	json_object_set_new(json, "warnings", json_warnings(&warnings));
	json_write_report(out, json);
	warnings_release(&warnings);
}
