/* SPDX-License-Identifier: BSD-2-Clause */
/* steadiness - change points in the controls' periods. */
#include "analyze/causal/steadiness.h"

#include "base/cleanup.h"
#include "profile/window_values.h"
#include "stats/change_points.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>

#define BLOCK 5 /* controls, of which the median counts: disturbed ones are no change */
#define BLOCKS_LEAST 4
#define BLOCKS_MOST 1000       /* blocks of a longer run hold more: time grows with their square */
#define SEGMENT_BLOCKS 2       /* shorter ones are no phase */
#define CHANGE_LEAST 0.2231435 /* log 1.25 */
#define CLOCK_LEAST 0.6        /* of the change of log(period), in log(work) */
#define SHARE_MOST 0.08        /* a clock changes no target's share by more */
#define LINE_SHARE_MOST 0.16   /* interrupts may fall on another line of the same loop */
#define CHANCE 2               /* standard errors */
#define DISPLACED_MOST 0.25    /* of a window: its period tells of other programs */
#define VARIANCE_LEAST 1e-5

CLEANUP_DEFINE(reals, double *, free, NULL)
CLEANUP_DEFINE(numbers, size_t *, free, NULL)

struct control {
	const struct recording_experiment *experiment;
	double period, work; /* logarithms */
};

struct controls {
	ARRAY(struct control) items;
	size_t block; /* so many make a block */
};

static const struct recording_point *busiest_point(const struct recording *recording)
{
	const struct recording_point *busiest = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < recording->totals.count; i++) {
		const struct recording_total *total = &recording->totals.items[i];
		const struct recording_point *point = recording_point(recording, total->point_id);
		if (!point || point->kind != POINT_THROUGHPUT || total->visits <= most)
			continue;
		busiest = point;
		most = total->visits;
	}
	return busiest;
}

static struct controls controls_of(const struct recording *recording,
				   const struct recording_point *point)
{
	struct controls controls = {0};
	size_t count = recording->experiments.count;
	int64_t run = count ? recording->experiments.items[count - 1].run_id : 0;

	for (size_t i = 0; i < count; i++) {
		const struct recording_experiment *experiment = &recording->experiments.items[i];
		const struct recording_visit *visit = recording_visit(experiment, point->id);
		double displaced = window_displaced_share(experiment);
		if (experiment->run_id != run || experiment->speedup > 0 || !visit ||
		    experiment->verdict != VERDICT_COUNTED || displaced > DISPLACED_MOST)
			continue;
		double period = log(window_visit_period(visit, point->kind)) - displaced;
		double work = log(window_exact_work(experiment, visit));
		if (isfinite(period) && isfinite(work))
			*array_add(&controls.items) = (struct control){experiment, period, work};
	}
	return controls;
}

/* The median of the controls' periods, or work, from `begin` to before `end`. */
static double median_of(const struct controls *controls, size_t begin, size_t end, bool is_work)
{
	AUTO(reals) double *values = memory_new(end - begin + 1, sizeof(*values));

	for (size_t i = begin; i < end; i++)
		values[i - begin] =
			is_work ? controls->items.items[i].work : controls->items.items[i].period;
	return summary_median(values, end - begin);
}

struct segment {
	size_t begin, end; /* controls */
	double period;
};

/* Samples in a target's controls. */
struct share {
	double target_ns, sampled_ns, samples;
};

CLEANUP_DEFINE(shares, struct share *, free, NULL)

/* Of each target of the recording, in its order. */
static struct share *shares_of(const struct recording *recording, const struct controls *controls,
			       const struct segment *segment)
{
	struct share *shares = memory_new(recording->targets.count, sizeof(*shares));

	for (size_t i = segment->begin; i < segment->end; i++) {
		const struct recording_experiment *experiment = controls->items.items[i].experiment;
		const struct recording_target *target =
			recording_target(recording, experiment->target_id);
		double period_ns = experiment->period_ns ? (double)experiment->period_ns : 1e6;
		if (!target)
			continue;
		struct share *share = &shares[target - recording->targets.items];
		share->target_ns += (double)experiment->target_ns;
		share->sampled_ns += (double)experiment->sampled_ns;
		share->samples += (double)experiment->sampled_ns / period_ns;
	}
	return shares;
}

/* NAN without samples. */
static double share_value(const struct share *share)
{
	return share->target_ns / share->sampled_ns;
}

/* Of a count, as the samples are few. */
static double share_variance(const struct share *share)
{
	return share_value(share) * (1 - share_value(share)) / share->samples;
}

/* Does a target's share in the two differ by more than a clock, or chance, explains? */
static bool has_other_shares(const struct recording *recording, const struct controls *controls,
			     const struct segment *a, const struct segment *b)
{
	AUTO(shares) struct share *before = shares_of(recording, controls, a);
	AUTO(shares) struct share *after = shares_of(recording, controls, b);

	for (size_t i = 0; i < recording->targets.count; i++) {
		bool is_line = recording->targets.items[i].kind == TARGET_LINE;
		double most = is_line ? LINE_SHARE_MOST : SHARE_MOST;
		double chance =
			CHANCE * sqrt(share_variance(&before[i]) + share_variance(&after[i]));
		if (fabs(share_value(&after[i]) - share_value(&before[i])) > most + chance)
			return true;
	}
	return false;
}

/* The segments between change points of the medians of blocks; their number. */
static size_t segments_of(const struct controls *controls, struct segment *segments)
{
	size_t block = controls->block, blocks = controls->items.count / block, found = 0;
	AUTO(reals) double *values = memory_new(blocks + 1, sizeof(*values));
	AUTO(reals) double *variances = memory_new(blocks + 1, sizeof(*variances));
	AUTO(reals) double *steps = memory_new(blocks + 1, sizeof(*steps));
	AUTO(numbers) size_t *points = memory_new(blocks + 1, sizeof(*points));

	for (size_t i = 0; i < blocks; i++) {
		values[i] = median_of(controls, i * block, (i + 1) * block, false);
		if (i)
			steps[i - 1] = fabs(values[i] - values[i - 1]);
	}
	/* The median difference of neighbours: 0.6745 deviations of a difference. */
	double deviation = summary_median(steps, blocks - 1) / 0.6744897501960817;
	for (size_t i = 0; i < blocks; i++)
		variances[i] = fmax(deviation * deviation / 2, VARIANCE_LEAST);
	size_t changes = change_points_find(values, variances, blocks, points);
	for (size_t i = 0; i <= changes; i++) {
		size_t begin = i ? points[i - 1] : 0, end = i < changes ? points[i] : blocks;
		if (end - begin < SEGMENT_BLOCKS)
			continue;
		segments[found++] =
			(struct segment){begin * block, end * block,
					 median_of(controls, begin * block, end * block, false)};
	}
	return found;
}

static struct steadiness judge(const struct recording *recording,
			       const struct recording_point *point, const struct controls *controls,
			       const struct segment *a, const struct segment *b)
{
	double change = b->period - a->period;
	double work = median_of(controls, b->begin, b->end, true) -
		      median_of(controls, a->begin, a->end, true);
	bool shares_differ = has_other_shares(recording, controls, a, b);
	bool is_clock = work / change > CLOCK_LEAST && !shares_differ;

	return (struct steadiness){
		.change = is_clock ? CHANGES_CLOCK : CHANGES_WORK,
		.shares_differ = shares_differ,
		.point = point,
		.before_ns = exp(a->period),
		.after_ns = exp(b->period),
		.work_ratio = exp(work),
		.at_ns = (double)(controls->items.items[b->begin].experiment->start_ns -
				  controls->items.items[0].experiment->start_ns),
		.changed_ns = controls->items.items[b->begin].experiment->start_ns,
	};
}

/* The two neighbours that differ most. */
static struct steadiness largest_change(const struct recording *recording,
					const struct recording_point *point,
					const struct controls *controls)
{
	size_t blocks = controls->items.count / controls->block, most = 0;
	struct segment *segments = memory_new(blocks + 1, sizeof(*segments));
	size_t count = segments_of(controls, segments);
	struct steadiness steadiness = {.change = STEADY};

	for (size_t i = 1; i < count; i++)
		if (!most || fabs(segments[i].period - segments[i - 1].period) >
				     fabs(segments[most].period - segments[most - 1].period))
			most = i;
	if (most && fabs(segments[most].period - segments[most - 1].period) > CHANGE_LEAST)
		steadiness =
			judge(recording, point, controls, &segments[most - 1], &segments[most]);
	free(segments);
	return steadiness;
}

struct steadiness steadiness_of(const struct recording *recording)
{
	const struct recording_point *point = busiest_point(recording);
	struct steadiness steadiness = {.change = STEADY};

	if (!point)
		return steadiness;
	struct controls controls = controls_of(recording, point);
	controls.block = controls.items.count / BLOCKS_MOST;
	controls.block = controls.block < BLOCK ? BLOCK : controls.block;
	if (controls.items.count / controls.block >= BLOCKS_LEAST)
		steadiness = largest_change(recording, point, &controls);
	array_free(&controls.items);
	return steadiness;
}
