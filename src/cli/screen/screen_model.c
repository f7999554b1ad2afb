/* SPDX-License-Identifier: BSD-2-Clause */
/* screen_model - reads the profile as any report does. */
#include "cli/screen/screen_model.h"

#include "base/cleanup.h"
#include "profile/profile.h"
#include "report/display.h"

#include <stdlib.h>
#include <string.h>

static void forget(struct screen_model *model)
{
	array_free(&model->rows);
	if (!model->recording)
		return;
	verdicts_release(&model->verdicts);
	causal_free(model->causal);
	recording_free(model->recording);
	model->recording = NULL;
}

static bool has_causal_run(const struct recording *recording)
{
	for (size_t i = 0; i < recording->runs.count; i++)
		if (recording->runs.items[i].kind == RUN_CAUSAL)
			return true;
	return false;
}

void screen_model_load(struct screen_model *model)
{
	struct recording *recording;
	struct error error = {0};

	if (profile_read(model->path, &recording, &error))
		return;
	if (!has_causal_run(recording)) {
		recording_free(recording);
		return;
	}
	forget(model);
	recording_keep(recording, RUN_CAUSAL);
	model->recording = recording;
	model->causal = causal_new(recording);
	model->verdicts = verdicts_of(model->causal);
	screen_model_arrange(model);
}

static bool passes(const struct screen_model *model, const struct recording_target *target)
{
	return !*model->filter || (target->name && strcasestr(target->name, model->filter)) ||
	       (target->function && strcasestr(target->function, model->filter));
}

static int by_rank(const struct target_verdict *a, const struct target_verdict *b)
{
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static int by_share(const struct target_verdict *a, const struct target_verdict *b)
{
	double left = a->target->share, right = b->target->share;

	return (right > left) - (right < left);
}

static int by_experiments(const struct target_verdict *a, const struct target_verdict *b)
{
	unsigned left = a->target->experiments, right = b->target->experiments;

	return (right > left) - (right < left);
}

static int by_name(const struct target_verdict *a, const struct target_verdict *b)
{
	return strcmp(a->target->target->name, b->target->target->name);
}

static int compare(const void *a, const void *b, void *context)
{
	static int (*const orders[SCREEN_ORDERS])(const struct target_verdict *,
						  const struct target_verdict *) = {
		[SCREEN_BY_RANK] = by_rank,
		[SCREEN_BY_SHARE] = by_share,
		[SCREEN_BY_EXPERIMENTS] = by_experiments,
		[SCREEN_BY_NAME] = by_name,
	};
	const struct target_verdict *const *left = a, *const *right = b;
	int result = orders[*(const enum screen_order *)context](*left, *right);

	/* Items lie in the targets' order. */
	return result ? result : (*left > *right) - (*left < *right);
}

void screen_model_arrange(struct screen_model *model)
{
	model->rows.count = 0;
	for (size_t i = 0; model->recording && i < model->verdicts.count; i++)
		if (passes(model, model->verdicts.items[i].target->target))
			*array_add(&model->rows) = &model->verdicts.items[i];
	if (model->rows.count)
		qsort_r(model->rows.items, model->rows.count, sizeof(*model->rows.items), compare,
			&model->order);
	model->at = 0;
	for (size_t i = 0; model->chosen && i < model->rows.count; i++) {
		if (strcmp(model->rows.items[i]->target->target->name, model->chosen))
			continue;
		model->at = i;
		return;
	}
}

void screen_model_move(struct screen_model *model, long rows)
{
	long last = (long)model->rows.count - 1, at = (long)model->at + rows;

	model->at = (size_t)(at < 0 || last < 0 ? 0 : at > last ? last : at);
	free(model->chosen);
	model->chosen = model->rows.count && model->at ?
				text_copy(model->rows.items[model->at]->target->target->name) :
				NULL;
}

const struct target_verdict *screen_model_chosen(const struct screen_model *model)
{
	return model->rows.count ? model->rows.items[model->at] : NULL;
}

void screen_model_release(struct screen_model *model)
{
	forget(model);
	free(model->chosen);
}
