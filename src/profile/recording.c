/* SPDX-License-Identifier: BSD-2-Clause */
/* recording - looking rows up, naming their kinds, and freeing the whole. */
#include "profile/recording.h"

#include <math.h>

static const char *const target_kind_names[] = {
	[TARGET_LINE] = "line",
	[TARGET_FUNCTION] = "function",
};
static const char *const point_kind_names[] = {
	[POINT_THROUGHPUT] = "throughput",
	[POINT_LATENCY] = "latency",
	[POINT_SAMPLED] = "sampled",
	[POINT_END_TO_END] = "end-to-end",
};
static const char *const verdict_names[] = {
	[VERDICT_COUNTED] = "counted",
	[VERDICT_DISPLACED] = "displaced",
	[VERDICT_TOO_FEW_VISITS] = "too few visits",
	[VERDICT_CUT_SHORT] = "cut short",
};

static const char *name_at(const char *const *names, size_t count, unsigned value)
{
	return value < count ? names[value] : NULL;
}

const char *target_kind_name(unsigned kind)
{
	return name_at(target_kind_names, sizeof(target_kind_names) / sizeof(char *), kind);
}

const char *point_kind_name(unsigned kind)
{
	return name_at(point_kind_names, sizeof(point_kind_names) / sizeof(char *), kind);
}

const char *verdict_name(unsigned verdict)
{
	return name_at(verdict_names, sizeof(verdict_names) / sizeof(char *), verdict);
}

/*
 * Finds the row by id in one of the arrays. Ids are given out from 1 on, so the row is nearly
 * always at id - 1.
 */
#define FIND_BY_ID(array, wanted)                                                   \
	do {                                                                        \
		size_t guess = (size_t)(wanted)-1;                                  \
		if (guess < (array)->count && (array)->items[guess].id == (wanted)) \
			return &(array)->items[guess];                              \
		for (size_t i = 0; i < (array)->count; i++) {                       \
			if ((array)->items[i].id == (wanted))                       \
				return &(array)->items[i];                          \
		}                                                                   \
		return NULL;                                                        \
	} while (0)

const struct recording_run *recording_run(const struct recording *recording, int64_t id)
{
	FIND_BY_ID(&recording->runs, id);
}

const struct recording_target *recording_target(const struct recording *recording, int64_t id)
{
	FIND_BY_ID(&recording->targets, id);
}

const struct recording_point *recording_point(const struct recording *recording, int64_t id)
{
	FIND_BY_ID(&recording->points, id);
}

static void run_release(struct recording_run *run)
{
	free(run->command);
	free(run->engine);
	free(run->host);
	free(run->kernel);
	free(run->version);
	free(run->granularity);
	free(run->note);
}

static void target_release(struct recording_target *target)
{
	free(target->name);
	free(target->function);
	free(target->file);
	free(target->object);
	free(target->build_id);
}

void recording_free(struct recording *recording)
{
	if (!recording)
		return;
	for (size_t i = 0; i < recording->runs.count; i++)
		run_release(&recording->runs.items[i]);
	for (size_t i = 0; i < recording->targets.count; i++)
		target_release(&recording->targets.items[i]);
	for (size_t i = 0; i < recording->points.count; i++)
		free(recording->points.items[i].name);
	for (size_t i = 0; i < recording->experiments.count; i++)
		array_free(&recording->experiments.items[i].visits);
	array_free(&recording->runs);
	array_free(&recording->targets);
	array_free(&recording->points);
	array_free(&recording->experiments);
	array_free(&recording->samples);
	array_free(&recording->totals);
	free(recording);
}

double recording_visit_period(const struct recording_visit *visit, enum point_kind kind)
{
	if (!(visit->visits > 0))
		return NAN;
	/* Below 0 by the noise of the pauses, if nearly all of the program was sped up by 100 %. */
	double period_ns = ((double)visit->duration_ns - (double)visit->delay_ns) / visit->visits;
	return kind == POINT_LATENCY ? visit->in_flight * period_ns : period_ns;
}
