/* SPDX-License-Identifier: BSD-2-Clause */
/* history - gathers rates, and looks for changes of their level. */
#include "analyze/diff/history.h"

#include "analyze/causal/causal.h"
#include "analyze/diff/function_cost.h"
#include "analyze/diff/profile_pair.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "stats/change_points.h"
#include "stats/summary.h"

#include <math.h>
#include <string.h>

/* A median absolute difference of neighbours, as the standard deviation of normal values. */
#define DEVIATION_BY_DIFFERENCE (1.0 / 0.6744897501960817 / 1.4142135623730951)
#define DIFFERENCES_LEAST 5
#define ERROR_LEAST 0.005 /* two runs of unchanged code differ */

struct history *history_new(const char *point)
{
	struct history *history = memory_new(1, sizeof(*history));

	history->point = text_copy(point);
	return history;
}

void history_free(struct history *history)
{
	if (!history)
		return;
	for (size_t i = 0; i < history->entries.count; i++) {
		free(history->entries.items[i].label);
		free(history->entries.items[i].commit);
		free(history->entries.items[i].first_place);
	}
	array_free(&history->entries);
	free(history->point);
	free(history->program);
	free(history);
}

/* CPU time and whole runs are points of every program, under one name. */
static bool is_of_every_program(const struct recording_point *point)
{
	return point->kind == POINT_SAMPLED || point->kind == POINT_END_TO_END;
}

/* The point of that name; or the only one, under another name, of the same program. */
static const struct recording_point *find_point(const struct history *history,
						const struct recording *recording)
{
	AUTO(text) char *program = profile_pair_program(recording);
	bool is_same = text_equals(program, history->program);

	for (size_t i = 0; i < recording->points.count; i++) {
		const struct recording_point *point = &recording->points.items[i];
		if (text_equals(point->name, history->point) &&
		    (is_same || !is_of_every_program(point)))
			return point;
	}
	return is_same && recording->points.count == 1 ? &recording->points.items[0] : NULL;
}

static void set_first_place(struct history_entry *entry, const struct recording *recording,
			    const struct recording_point *point)
{
	struct causal *causal = causal_new(recording);
	const struct causal_target *first = causal->count ? &causal->targets[0] : NULL;

	for (size_t i = 0; first && i < first->count; i++) {
		const struct causal_effect *effect = &first->effects[i];
		if (effect->point != point || !effect->slope.windows || effect->slope.low <= 0)
			continue;
		entry->first_place = text_copy(first->target->function ? first->target->function :
									 first->target->name);
		entry->first_slope = effect->slope.slope;
	}
	causal_free(causal);
}

/* A profile may hold any text; only a commit is handed to shells and pages. */
static const char *commit_of(const struct recording_run *run)
{
	bool is_hex = run->commit && !run->commit[strspn(run->commit, "0123456789abcdef")];
	return is_hex ? run->commit : NULL;
}

void history_add(struct history *history, const char *label, const struct recording *recording)
{
	if (!history->program)
		history->program = profile_pair_program(recording);
	if (!history->point && recording->points.count)
		history->point = text_copy(recording->points.items[0].name);
	const struct recording_point *point = find_point(history, recording);
	double period_ns, error;
	if (!point || !recording->runs.count ||
	    !function_cost_period(recording, point, &period_ns, &error)) {
		history->skipped++;
		return;
	}
	struct history_entry *entry = array_add(&history->entries);
	*entry = (struct history_entry){
		.label = text_copy(label),
		.commit = text_copy(commit_of(&recording->runs.items[0])),
		.started_s = recording->runs.items[0].started_s,
		.period_ns = period_ns,
		.error = error,
	};
	set_first_place(entry, recording, point);
}

static int compare_entries(const void *left, const void *right)
{
	const struct history_entry *a = left, *b = right;
	if (a->started_s != b->started_s)
		return a->started_s < b->started_s ? -1 : 1;
	return strcmp(a->label, b->label);
}

/* Of neighbours that differ by noise alone, as most do. */
static double deviation_of(const double *values, size_t count)
{
	double *differences = memory_new(count, sizeof(*differences));

	for (size_t i = 0; i + 1 < count; i++)
		differences[i] = fabs(values[i + 1] - values[i]);
	double deviation = count > DIFFERENCES_LEAST ? summary_median(differences, count - 1) *
							       DEVIATION_BY_DIFFERENCE :
						       0;
	free(differences);
	return deviation;
}

static double mean_of(const double *values, size_t begin, size_t end)
{
	double sum = 0;
	for (size_t i = begin; i < end; i++)
		sum += values[i];
	return sum / (double)(end - begin);
}

static void mark_changes(struct history *history, const double *rates, const size_t *points)
{
	size_t count = history->entries.count;

	for (size_t i = 0; i < history->changes; i++) {
		size_t begin = i ? points[i - 1] : 0;
		size_t end = i + 1 < history->changes ? points[i + 1] : count;
		struct history_entry *entry = &history->entries.items[points[i]];
		entry->is_change = true;
		entry->change =
			expm1(mean_of(rates, points[i], end) - mean_of(rates, begin, points[i]));
	}
}

void history_finish(struct history *history)
{
	size_t count = history->entries.count;
	double *rates = memory_new(count + 1, sizeof(*rates));
	double *variances = memory_new(count + 1, sizeof(*variances));
	size_t *points = memory_new(count + 1, sizeof(*points));

	qsort(history->entries.items, count, sizeof(*history->entries.items), compare_entries);
	for (size_t i = 0; i < count; i++)
		rates[i] = -log(history->entries.items[i].period_ns);
	double deviation = deviation_of(rates, count);
	for (size_t i = 0; i < count; i++) {
		double error = hypot(history->entries.items[i].error, ERROR_LEAST);
		variances[i] = pow(fmax(error, deviation), 2);
	}
	history->changes = change_points_find(rates, variances, count, points);
	mark_changes(history, rates, points);
	free(rates);
	free(variances);
	free(points);
}
