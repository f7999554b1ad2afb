/* SPDX-License-Identifier: BSD-2-Clause */
/* scale - collects and pools the runs of the last session, and asks the models. */
#include "analyze/scale/scale.h"

#include "analyze/scale/parts.h"
#include "base/cleanup.h"

#include <math.h>
#include <string.h>

CLEANUP_DEFINE(timeline, struct timeline *, timeline_free, NULL)

/* ---- runs ---- */

/* Was it run again with hidden cores, because it made other threads when it saw fewer? */
static bool was_repeated(const struct recording *recording,
			 const struct recording_parallel *adapted)
{
	if (adapted->hides_cores || adapted->cores >= adapted->machine_cores)
		return false;
	for (size_t i = 0; i < recording->parallels.count; i++) {
		const struct recording_parallel *other = &recording->parallels.items[i];
		if (other->session_id == adapted->session_id && other->run_id > adapted->run_id &&
		    other->cores == adapted->cores && other->hides_cores &&
		    !recording_first_run(recording, other->run_id))
			return true;
	}
	return false;
}

static void classify_run(struct scale *scale, struct scale_run run)
{
	if (was_repeated(scale->recording, run.parallel))
		*array_add(&scale->adapted) = run;
	else if (run.conditions && run.conditions->is_recorded)
		*array_add(&scale->recorded) = run;
	else if (run.parallel->cores == scale->cores)
		*array_add(&scale->runs) = run;
	else
		*array_add(&scale->others) = run;
}

/* Runs that were cut short do not tell the program's time. */
static void collect_runs(struct scale *scale, const struct recording_parallel *last)
{
	const struct recording *recording = scale->recording;
	const struct recording_parallel *first = last;

	for (size_t i = 0; i < recording->parallels.count; i++)
		if (recording->parallels.items[i].run_id == last->session_id)
			first = &recording->parallels.items[i];
	scale->cores = first->cores;
	scale->machine_cores = first->machine_cores;
	for (size_t i = 0; i < recording->parallels.count; i++) {
		const struct recording_parallel *parallel = &recording->parallels.items[i];
		const struct recording_run *run = recording_run(recording, parallel->run_id);
		if (parallel->session_id == last->session_id && run && run->finished &&
		    !recording_first_run(recording, run->id))
			classify_run(scale, scale_run_of(recording, parallel));
	}
}

/* ---- the whole ---- */

static void pool_levels(struct scale *scale)
{
	double runs = (double)scale->runs.count;

	scale_pool_levels(&scale->levels, scale->runs.items, scale->runs.count);
	for (size_t i = 0; i < scale->runs.count; i++)
		scale->own_ns += scale->runs.items[i].own_ns / runs;
}

static void sum_up(struct scale *scale)
{
	double serial = 0, running = 0;

	for (size_t i = 0; i < scale->levels.count; i++) {
		const struct parallel_level *level = &scale->levels.items[i];
		scale->wall_ns += level->wall_ns;
		running += level->running_ns;
		scale->cpu_ns += parallel_cpu_ns(level);
		scale->displaced_ns += level->displaced_ns;
		scale->stolen_ns += level->stolen_ns;
		scale->counting_ns += level->counting_ns;
		scale->level_reached = level->threads;
		serial += level->threads == 1 ? level->wall_ns : 0;
	}
	if (scale->wall_ns <= 0)
		return;
	scale->mean_active = parallel_mean(scale->levels.items, scale->levels.count);
	scale->mean_running = running / scale->wall_ns;
	scale->serial_share = serial / scale->wall_ns;
}

static void add_measured(struct scale *scale, const struct scale_run *run)
{
	struct scale_measured *at = NULL;

	for (size_t i = 0; i < scale->measured.count; i++)
		if (scale->measured.items[i].cores == run->parallel->cores)
			at = &scale->measured.items[i];
	if (!at) {
		at = array_add(&scale->measured);
		at->cores = run->parallel->cores;
		at->least_ns = INFINITY;
	}
	double before = at->runs++, all = at->runs;
	at->wall_ns = (at->wall_ns * before + run->wall_ns) / all;
	at->own_ns = (at->own_ns * before + run->own_ns) / all;
	at->cpu_ns = (at->cpu_ns * before + run->cpu_ns) / all;
	at->least_ns = fmin(at->least_ns, run->wall_ns);
	at->most_ns = fmax(at->most_ns, run->wall_ns);
	at->threads = run->parallel->threads;
}

static bool is_measured(const struct scale *scale, unsigned cores)
{
	for (size_t i = 0; i < scale->measured.count; i++)
		if (scale->measured.items[i].cores == cores)
			return true;
	return false;
}

/*
 * Adds measurements of earlier sessions of the same program, on cores that this session did not
 * try.
 */
static void add_earlier(struct scale *scale)
{
	const struct recording *recording = scale->recording;
	const char *command = scale->runs.count ? scale->runs.items[0].run->command : NULL;
	size_t own = scale->measured.count;

	for (size_t i = 0; command && i < recording->parallels.count; i++) {
		const struct recording_parallel *parallel = &recording->parallels.items[i];
		bool is_own = false;
		for (size_t j = 0; j < own; j++)
			is_own = is_own || scale->measured.items[j].cores == parallel->cores;
		const struct recording_run *row = scale_run_row(recording, parallel->run_id);
		if (is_own || recording_run(recording, parallel->run_id) || !row ||
		    recording_first_run(recording, parallel->run_id) || !row->finished ||
		    !row->command || strcmp(row->command, command))
			continue;
		struct scale_run run = scale_run_of(recording, parallel);
		bool is_new = !is_measured(scale, parallel->cores);
		if (!run.conditions || !run.conditions->is_recorded) {
			add_measured(scale, &run);
			if (is_new)
				scale->measured.items[scale->measured.count - 1].is_earlier = true;
		}
		free(run.levels);
	}
}

static int by_cores(const void *a, const void *b)
{
	const struct scale_measured *one = a, *other = b;
	return (one->cores > other->cores) - (one->cores < other->cores);
}

static void sort_measured(struct scale *scale)
{
	if (scale->measured.count)
		qsort(scale->measured.items, scale->measured.count,
		      sizeof(scale->measured.items[0]), by_cores);
}

/* ---- predictions ---- */

/*
 * NAN: the model has no prediction from this run. `ratio` is that of the simulations, the same for
 * all runs.
 */
static double prediction_of_run(const struct scale *scale, const struct scale_run *run,
				unsigned cores, enum scale_model model, double ratio)
{
	unsigned from = run->parallel->cores;

	switch (model) {
	case SCALE_PAPER:
		return parallel_predict_raw(run->levels, run->count, from, cores);
	case SCALE_FORMULA:
		return parallel_predict(run->levels, run->count, from, cores);
	case SCALE_GROWTH:
		return scale->has_growth ? parallel_predict_grown(run->levels, run->count, from,
								  cores, scale->core_growth) :
					   NAN;
	case SCALE_REPLAY:
		return run->own_ns * ratio;
	case SCALE_MODELS:
		break;
	}
	return NAN;
}

/* The mean over all runs that have a prediction; NAN without any. */
static double mean_prediction(const struct scale *scale, unsigned cores, enum scale_model model,
			      unsigned *runs)
{
	double ratio = model == SCALE_REPLAY ? scale_replay_ratio(scale, cores) : NAN, sum = 0;

	*runs = 0;
	for (size_t i = 0; i < scale->runs.count; i++) {
		double one = prediction_of_run(scale, &scale->runs.items[i], cores, model, ratio);
		sum += isfinite(one) ? one : 0;
		*runs += isfinite(one);
	}
	return *runs ? sum / *runs : NAN;
}

/* The model's error on the other cores that were tried; NAN if there are none. */
static double prediction_error_of(const struct scale *scale, enum scale_model model)
{
	double mean = 0, count = (double)scale->others.count;
	unsigned runs;

	if (!scale->others.count)
		return NAN;
	for (size_t i = 0; i < scale->others.count; i++)
		mean += scale->others.items[i].own_ns / count;
	return mean_prediction(scale, scale->others.items[0].parallel->cores, model, &runs) / mean -
	       1;
}

static void add_prediction(struct scale *scale, unsigned cores, enum scale_model model)
{
	struct scale_prediction prediction = {.cores = cores, .model = model};

	/* The formulas know nothing of what hosts wait for from each other. */
	if (scale->hosts.count && model != SCALE_REPLAY)
		return;
	prediction.wall_ns = mean_prediction(scale, cores, model, &prediction.runs);
	if (!prediction.runs)
		return;
	for (size_t i = 0; i < scale->measured.count; i++) {
		if (scale->measured.items[i].cores != cores)
			continue;
		prediction.is_tried = true;
		prediction.error = prediction.wall_ns / scale->measured.items[i].own_ns - 1;
	}
	scale_add_interval(scale, &prediction);
	*array_add(&scale->predictions) = prediction;
}

static void predict_all(struct scale *scale, const char *asked)
{
	for (unsigned model = 0; model < SCALE_MODELS; model++)
		scale->prediction_errors[model] = prediction_error_of(scale, model);
	AUTO(text) char *copy = text_copy(asked ? asked : "");
	char *rest = copy;

	for (char *word; (word = strsep(&rest, ","));) {
		unsigned cores = (unsigned)strtoul(word, NULL, 10);
		for (unsigned model = 0; cores && model < SCALE_MODELS; model++)
			if (!scale_prediction(scale, cores, model))
				add_prediction(scale, cores, model);
	}
}

const struct scale_prediction *scale_prediction(const struct scale *scale, unsigned cores,
						enum scale_model model)
{
	for (size_t i = 0; i < scale->predictions.count; i++)
		if (scale->predictions.items[i].cores == cores &&
		    scale->predictions.items[i].model == model)
			return &scale->predictions.items[i];
	return NULL;
}

/*
 * The model that uses most information, unless another is SCALE_CLOSER_LEAST closer to runs on
 * other cores.
 */
enum scale_model scale_best_model(const struct scale *scale, unsigned cores)
{
	static const enum scale_model order[] = {SCALE_REPLAY, SCALE_GROWTH, SCALE_FORMULA};
	const size_t count = sizeof(order) / sizeof(order[0]);
	double nearest = INFINITY;

	for (size_t i = 0; i < count; i++)
		nearest = fmin(nearest, fabs(scale->prediction_errors[order[i]]));
	for (size_t i = 0; i < count; i++) {
		double error = fabs(scale->prediction_errors[order[i]]);
		if (scale_prediction(scale, cores, order[i]) &&
		    !(error > nearest + SCALE_CLOSER_LEAST))
			return order[i];
	}
	return SCALE_FORMULA;
}

struct parallel_losses scale_losses(const struct scale *scale, unsigned cores)
{
	return parallel_losses(scale->levels.items, scale->levels.count, scale->cores, cores);
}

static double growth_of(const struct scale *scale, const double *taken_ns, double other_ns,
			unsigned other_cores)
{
	return parallel_growth(scale->levels.items, taken_ns, scale->levels.count, scale->cores,
			       other_ns, other_cores);
}

/* CPU time and core time on other cores, compared with the profiled runs. */
static void find_growth(struct scale *scale)
{
	double cpu = 0, core = 0, count = 0;
	unsigned cores = scale->others.count ? scale->others.items[0].parallel->cores : 0;

	for (size_t i = 0; i < scale->others.count; i++) {
		const struct scale_run *other = &scale->others.items[i];
		if (other->parallel->cores != cores)
			continue;
		cpu += other->cpu_ns;
		for (size_t j = 0; j < other->count; j++)
			core += parallel_core_ns(&other->levels[j], cores);
		count++;
	}
	if (count <= 0)
		return;
	double *taken = memory_new(scale->levels.count + 1, sizeof(*taken));
	for (size_t i = 0; i < scale->levels.count; i++)
		taken[i] = parallel_cpu_ns(&scale->levels.items[i]);
	scale->growth = growth_of(scale, taken, cpu / count, cores);
	for (size_t i = 0; i < scale->levels.count; i++)
		taken[i] = parallel_core_ns(&scale->levels.items[i], scale->cores);
	scale->core_growth = growth_of(scale, taken, core / count, cores);
	scale->has_growth = true;
	free(taken);
}

/* A log may be large, so it is read once. */
static void find_predictions(struct scale *scale, const char *asked)
{
	AUTO(timeline) struct timeline *timeline = scale_timeline(scale);

	if (timeline)
		scale_find_replay(scale, timeline);
	predict_all(scale, asked);
	scale_find_host_gains(scale);
	if (timeline) {
		scale_find_spans(scale, timeline);
		scale_find_what_if(scale, timeline);
	}
	scale_find_phases(scale);
	scale_add_warnings(scale);
}

struct scale *scale_new(const struct recording *recording)
{
	struct scale *scale = memory_new(1, sizeof(*scale));
	const struct recording_parallel *last = NULL;

	scale->recording = recording;
	for (size_t i = 0; i < recording->parallels.count; i++)
		if (!recording_first_run(recording, recording->parallels.items[i].run_id))
			last = &recording->parallels.items[i];
	if (!last)
		return scale;
	collect_runs(scale, last);
	scale_find_hosts(scale);
	pool_levels(scale);
	sum_up(scale);
	find_growth(scale);
	for (size_t i = 0; i < scale->runs.count; i++)
		add_measured(scale, &scale->runs.items[i]);
	for (size_t i = 0; i < scale->others.count; i++)
		add_measured(scale, &scale->others.items[i]);
	add_earlier(scale);
	sort_measured(scale);
	if (scale->runs.count)
		find_predictions(scale, last->asked);
	return scale;
}

static void free_runs(struct scale_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(runs[i].levels);
	free(runs);
}

void scale_free(struct scale *scale)
{
	if (!scale)
		return;
	free_runs(scale->runs.items, scale->runs.count);
	free_runs(scale->others.items, scale->others.count);
	free_runs(scale->recorded.items, scale->recorded.count);
	free_runs(scale->adapted.items, scale->adapted.count);
	log_replay_free(scale->log);
	free(scale->check.refusal);
	free(scale->what_if.refusal);
	array_free(&scale->what_if.predictions);
	for (size_t i = 0; i < scale->spans.count; i++) {
		free(scale->spans.items[i].name);
		array_free(&scale->spans.items[i].levels);
	}
	array_free(&scale->spans);
	for (size_t i = 0; i < scale->hosts.count; i++) {
		array_free(&scale->hosts.items[i].levels);
		array_free(&scale->hosts.items[i].gains);
	}
	array_free(&scale->hosts);
	array_free(&scale->steals);
	array_free(&scale->levels);
	array_free(&scale->predictions);
	array_free(&scale->measured);
	array_free(&scale->slices);
	array_free(&scale->phases);
	for (size_t i = 0; i < scale->warnings.count; i++)
		free(scale->warnings.items[i]);
	array_free(&scale->warnings);
	free(scale);
}
