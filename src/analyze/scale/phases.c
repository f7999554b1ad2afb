/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * phases - how many threads were active over the run, and where that changed.
 *
 * The run is split where the means of the two parts explain most, again and again, as long as a
 * split explains more than its price (binary segmentation with a penalty).
 */
#include "analyze/scale/parts.h"

#include <math.h>

#define PHASES_MOST 12
/* A split must remove this share of the squared deviations of the whole run. */
#define CUT_GAIN_LEAST 0.06
/* Means that differ by less than this many threads are one phase. */
#define STEP_LEAST 0.33

static void add_slice(struct scale *scale, const struct recording_level *row, unsigned *last)
{
	struct scale_slice *slice;

	if (row->slice != *last) {
		*last = row->slice;
		slice = array_add(&scale->slices);
		slice->begin_ns = (double)row->begin_ns;
	}
	slice = &scale->slices.items[scale->slices.count - 1];
	double before = slice->wall_ns, span = (double)row->wall_ns;
	slice->wall_ns += span;
	slice->active = (slice->active * before + row->threads * span) / slice->wall_ns;
	slice->running = (slice->running * before + (double)row->running_ns) / slice->wall_ns;
}

/* Time, and sums of active threads over it, of slices `first` to `end` - 1. */
struct part_sums {
	double wall, sum, squares;
};

static struct part_sums part_sums_of(const struct scale *scale, size_t first, size_t end)
{
	struct part_sums part_sums = {0};

	for (size_t i = first; i < end; i++) {
		const struct scale_slice *slice = &scale->slices.items[i];
		part_sums.wall += slice->wall_ns;
		part_sums.sum += slice->wall_ns * slice->active;
		part_sums.squares += slice->wall_ns * slice->active * slice->active;
	}
	return part_sums;
}

static double squared_deviation(struct part_sums part_sums)
{
	return part_sums.wall > 0 ?
		       fmax(0, part_sums.squares - part_sums.sum * part_sums.sum / part_sums.wall) :
		       0;
}

static void add_phase(struct scale *scale, size_t first, size_t end)
{
	struct scale_phase *phase = array_add(&scale->phases);

	phase->begin_ns = scale->slices.items[first].begin_ns;
	for (size_t i = first; i < end; i++) {
		const struct scale_slice *slice = &scale->slices.items[i];
		phase->wall_ns += slice->wall_ns;
		phase->active += slice->active * slice->wall_ns;
		phase->running += slice->running * slice->wall_ns;
	}
	phase->active /= phase->wall_ns;
	phase->running /= phase->wall_ns;
}

/* The best slice to split at; 0 if no split is worth its price. */
static size_t find_cut(const struct scale *scale, size_t first, size_t end, double worth)
{
	struct part_sums all = part_sums_of(scale, first, end), before = {0};
	double best = worth;
	size_t cut = 0;

	for (size_t i = first; i + 1 < end; i++) {
		struct part_sums one = part_sums_of(scale, i, i + 1);
		before.wall += one.wall;
		before.sum += one.sum;
		before.squares += one.squares;
		struct part_sums after = {all.wall - before.wall, all.sum - before.sum,
					  all.squares - before.squares};
		double gain = squared_deviation(all) - squared_deviation(before) -
			      squared_deviation(after);
		double step = fabs(before.sum / before.wall - after.sum / after.wall);
		if (gain > best && step > STEP_LEAST) {
			best = gain;
			cut = i + 1;
		}
	}
	return cut;
}

static void split(struct scale *scale, size_t first, size_t end, double worth, unsigned left)
{
	size_t cut = left > 1 ? find_cut(scale, first, end, worth) : 0;

	if (!cut) {
		add_phase(scale, first, end);
		return;
	}
	split(scale, first, cut, worth, left / 2);
	split(scale, cut, end, worth, left - left / 2);
}

void scale_find_phases(struct scale *scale)
{
	int64_t run = scale->runs.items[0].run->id;
	unsigned last = 0;

	for (size_t i = 0; i < scale->recording->levels.count; i++) {
		const struct recording_level *row = &scale->recording->levels.items[i];
		if (row->run_id == run && row->slice && row->wall_ns)
			add_slice(scale, row, &last);
	}
	if (!scale->slices.count)
		return;
	double whole = squared_deviation(part_sums_of(scale, 0, scale->slices.count));
	split(scale, 0, scale->slices.count, whole * CUT_GAIN_LEAST, PHASES_MOST);
}
