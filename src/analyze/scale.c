/* SPDX-License-Identifier: BSD-2-Clause */
/* scale - collects the runs of the last session, pools them, and asks the models. */
#include "analyze/scale.h"

#include "analyze/scale_parts.h"
#include "base/own.h"
#include "stats/distribution.h"

#include <math.h>
#include <string.h>

static const char *const model_names[SCALE_MODELS] = {
	[SCALE_PAPER] = "paper",
	[SCALE_FORMULA] = "formula",
	[SCALE_GROWTH] = "growth",
};
static const char *const limit_names[PARALLEL_LIMITS] = {
	[PARALLEL_LIMIT_SERIAL] = "serial",
	[PARALLEL_LIMIT_LOCKS] = "locks",
	[PARALLEL_LIMIT_IO] = "io",
	[PARALLEL_LIMIT_TIMER] = "timer",
	[PARALLEL_LIMIT_OUTSIDE] = "outside",
	[PARALLEL_LIMIT_IMBALANCE] = "imbalance",
	[PARALLEL_LIMIT_THREADS] = "too-few-threads",
};

const char *scale_model_name(enum scale_model model)
{
	return model_names[model];
}

const char *scale_limit_name(enum parallel_limit limit)
{
	return limit_names[limit];
}

double scale_model_error(enum scale_model model, double wakes_per_second)
{
	bool waits_often = wakes_per_second > SCALE_WAKES_OFTEN;

	switch (model) {
	case SCALE_GROWTH:
		return waits_often ? 0.08 : 0.04;
	default:
		return waits_often ? 0.12 : 0.05;
	}
}

/* ---- runs ---- */

static void add_level(struct scale_run *run, const struct recording_level *row)
{
	run->levels = memory_resize(run->levels, run->count + 1, sizeof(*run->levels));
	run->levels[run->count++] = (struct parallel_level){
		.threads = row->threads,
		.wall_ns = (double)row->wall_ns,
		.running_ns = (double)row->running_ns,
		.displaced_ns = (double)row->displaced_ns,
		.waiting_ns = {[PARALLEL_LOCK] = (double)row->lock_ns,
			       [PARALLEL_IO] = (double)row->io_ns,
			       [PARALLEL_TIMER] = (double)row->timer_ns,
			       [PARALLEL_CONDITION] = (double)row->condition_ns,
			       [PARALLEL_OTHER] = (double)row->other_ns},
	};
	run->wall_ns += (double)row->wall_ns;
	run->cpu_ns += (double)row->running_ns;
}

static struct scale_run run_of(const struct recording *recording,
			       const struct recording_parallel *parallel)
{
	struct scale_run run = {.run = recording_run(recording, parallel->run_id),
				.parallel = parallel};

	for (size_t i = 0; i < recording->levels.count; i++) {
		const struct recording_level *row = &recording->levels.items[i];
		if (row->run_id == parallel->run_id && !row->slice)
			add_level(&run, row);
	}
	for (size_t i = 0; i < run.count; i++)
		run.own_ns += parallel_own_ns(&run.levels[i], parallel->cores);
	return run;
}

/* Runs that were cut short tell nothing of how long the program takes. */
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
		if (parallel->session_id != last->session_id || !run || !run->finished)
			continue;
		if (parallel->cores == scale->cores)
			*array_add(&scale->runs) = run_of(recording, parallel);
		else
			*array_add(&scale->others) = run_of(recording, parallel);
	}
}

/* ---- the whole ---- */

static struct parallel_level *level_at(struct scale *scale, unsigned threads)
{
	size_t at = 0;

	while (at < scale->levels.count && scale->levels.items[at].threads < threads)
		at++;
	if (at < scale->levels.count && scale->levels.items[at].threads == threads)
		return &scale->levels.items[at];
	*array_add(&scale->levels) = (struct parallel_level){0};
	memmove(&scale->levels.items[at + 1], &scale->levels.items[at],
		(scale->levels.count - 1 - at) * sizeof(scale->levels.items[0]));
	scale->levels.items[at] = (struct parallel_level){.threads = threads};
	return &scale->levels.items[at];
}

static void pool_levels(struct scale *scale)
{
	double runs = (double)scale->runs.count;

	for (size_t i = 0; i < scale->runs.count; i++) {
		const struct scale_run *run = &scale->runs.items[i];
		for (size_t j = 0; j < run->count; j++) {
			struct parallel_level *level = level_at(scale, run->levels[j].threads);
			level->wall_ns += run->levels[j].wall_ns / runs;
			level->running_ns += run->levels[j].running_ns / runs;
			level->displaced_ns += run->levels[j].displaced_ns / runs;
			for (size_t k = 0; k < PARALLEL_WAITS; k++)
				level->waiting_ns[k] += run->levels[j].waiting_ns[k] / runs;
		}
		scale->own_ns += run->own_ns / runs;
	}
}

static void sum_up(struct scale *scale)
{
	double serial = 0;

	for (size_t i = 0; i < scale->levels.count; i++) {
		const struct parallel_level *level = &scale->levels.items[i];
		scale->wall_ns += level->wall_ns;
		scale->cpu_ns += level->running_ns;
		scale->displaced_ns += level->displaced_ns;
		scale->level_reached = level->threads;
		serial += level->threads == 1 ? level->wall_ns : 0;
	}
	if (scale->wall_ns <= 0)
		return;
	scale->mean_active = parallel_mean(scale->levels.items, scale->levels.count);
	scale->mean_running = scale->cpu_ns / scale->wall_ns;
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

/* ---- answers ---- */

/* NAN: this model has none of this run. */
static double answer_of_run(const struct scale *scale, const struct scale_run *run, unsigned cores,
			    enum scale_model model)
{
	unsigned from = run->parallel->cores;

	switch (model) {
	case SCALE_PAPER:
		return parallel_predict_raw(run->levels, run->count, from, cores);
	case SCALE_FORMULA:
		return parallel_predict(run->levels, run->count, from, cores);
	case SCALE_GROWTH:
		return scale->has_growth ? parallel_predict_grown(run->levels, run->count, from,
								  cores, scale->growth) :
					   NAN;
	case SCALE_MODELS:
		break;
	}
	return NAN;
}

static double wakes_per_second(const struct scale *scale)
{
	double wakes = 0, cpu = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		wakes += (double)scale->runs.items[i].parallel->wakes;
		cpu += scale->runs.items[i].cpu_ns;
	}
	return cpu > 0 ? wakes / cpu * 1e9 : 0;
}

/*
 * The interval of what one further run would take: the runs' scatter, with Student's t for their
 * number, and the model's own error, which counts as known. Freedom after Welch and Satterthwaite.
 */
static void add_interval(struct scale_answer *answer, double variance, double model_error)
{
	double n = answer->runs, scatter = variance * (1 + 1 / n);
	double whole = scatter + model_error * model_error;
	double freedom = scatter > 0 ? whole * whole / (scatter * scatter) * (n - 1) : INFINITY;
	double half = answer->runs > 1 ? student_quantile(0.975, freedom) * sqrt(whole) :
					 1.96 * model_error;

	answer->low_ns = fmax(0, answer->wall_ns - half);
	answer->high_ns = answer->wall_ns + half;
}

static void add_answer(struct scale *scale, unsigned cores, enum scale_model model)
{
	struct scale_answer answer = {.cores = cores, .model = model};
	double sum = 0, squares = 0;

	for (size_t i = 0; i < scale->runs.count; i++) {
		double one = answer_of_run(scale, &scale->runs.items[i], cores, model);
		if (!isfinite(one))
			continue;
		answer.runs++;
		sum += one;
		squares += one * one;
	}
	if (!answer.runs)
		return;
	double n = answer.runs, doublings = fabs(log2((double)cores / scale->cores));
	answer.wall_ns = sum / n;
	double variance = n > 1 ? fmax(0, squares - sum * sum / n) / (n - 1) : 0;
	double least = cores == scale->cores ? 0.02 : 0.03; /* no clock of a machine is steadier */
	double error = fmax(least, scale_model_error(model, wakes_per_second(scale)) * doublings);
	add_interval(&answer, variance, error * answer.wall_ns);
	*array_add(&scale->answers) = answer;
}

static void answer_all(struct scale *scale, const char *asked)
{
	AUTO(text) char *copy = text_copy(asked ? asked : "");
	char *rest = copy;

	for (char *word; (word = strsep(&rest, ","));) {
		unsigned cores = (unsigned)strtoul(word, NULL, 10);
		for (unsigned model = 0; cores && model < SCALE_MODELS; model++)
			if (!scale_answer(scale, cores, model))
				add_answer(scale, cores, model);
	}
}

const struct scale_answer *scale_answer(const struct scale *scale, unsigned cores,
					enum scale_model model)
{
	for (size_t i = 0; i < scale->answers.count; i++)
		if (scale->answers.items[i].cores == cores &&
		    scale->answers.items[i].model == model)
			return &scale->answers.items[i];
	return NULL;
}

enum scale_model scale_best_model(const struct scale *scale, unsigned cores)
{
	return scale_answer(scale, cores, SCALE_GROWTH) ? SCALE_GROWTH : SCALE_FORMULA;
}

struct parallel_losses scale_losses(const struct scale *scale, unsigned cores)
{
	return parallel_losses(scale->levels.items, scale->levels.count, scale->cores, cores);
}

/* CPU time on other cores, compared with the profiled runs'. */
static void find_growth(struct scale *scale)
{
	double cpu = 0, count = 0;
	unsigned cores = 0;

	for (size_t i = 0; i < scale->others.count; i++) {
		const struct scale_run *other = &scale->others.items[i];
		cores = cores ? cores : other->parallel->cores;
		if (other->parallel->cores != cores)
			continue;
		cpu += other->cpu_ns;
		count++;
	}
	if (count <= 0)
		return;
	scale->has_growth = true;
	scale->growth = parallel_growth(scale->levels.items, scale->levels.count, scale->cores,
					cpu / count, cores);
}

struct scale *scale_new(const struct recording *recording)
{
	struct scale *scale = memory_new(1, sizeof(*scale));
	const struct recording_parallel *last = NULL;

	scale->recording = recording;
	for (size_t i = 0; i < recording->parallels.count; i++)
		last = &recording->parallels.items[i];
	if (!last)
		return scale;
	collect_runs(scale, last);
	pool_levels(scale);
	sum_up(scale);
	find_growth(scale);
	for (size_t i = 0; i < scale->runs.count; i++)
		add_measured(scale, &scale->runs.items[i]);
	for (size_t i = 0; i < scale->others.count; i++)
		add_measured(scale, &scale->others.items[i]);
	sort_measured(scale);
	if (scale->runs.count) {
		answer_all(scale, last->asked);
		scale_find_course(scale);
		scale_add_warnings(scale);
	}
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
	array_free(&scale->levels);
	array_free(&scale->answers);
	array_free(&scale->measured);
	array_free(&scale->slices);
	array_free(&scale->phases);
	for (size_t i = 0; i < scale->warnings.count; i++)
		free(scale->warnings.items[i]);
	array_free(&scale->warnings);
	free(scale);
}
