/* SPDX-License-Identifier: BSD-2-Clause */
/* models - the names of the models, and their errors as measured on other programs. */
#include "analyze/scale/scale.h"

static const char *const model_names[SCALE_MODELS] = {
	[SCALE_PAPER] = "paper",
	[SCALE_FORMULA] = "formula",
	[SCALE_GROWTH] = "growth",
	[SCALE_REPLAY] = "replay",
};
static const char *const limit_names[PARALLEL_LIMITS] = {
	[PARALLEL_LIMIT_SERIAL] = "serial",
	[PARALLEL_LIMIT_LOCKS] = "locks",
	[PARALLEL_LIMIT_IO] = "io",
	[PARALLEL_LIMIT_TIMER] = "timer",
	[PARALLEL_LIMIT_EXTERNAL] = "outside",
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
	case SCALE_REPLAY:
		return waits_often ? 0.08 : 0.04;
	default:
		return waits_often ? 0.12 : 0.05;
	}
}

struct scale_model_accuracy scale_accuracy_of(enum scale_model model)
{
	static const struct scale_model_accuracy records[SCALE_MODELS] = {
		[SCALE_PAPER] = {0.104, 11},
		[SCALE_FORMULA] = {0.103, 11},
		[SCALE_GROWTH] = {0.038, 11},
		[SCALE_REPLAY] = {0.063, 11},
	};
	return records[model];
}
