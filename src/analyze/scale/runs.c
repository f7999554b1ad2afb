/* SPDX-License-Identifier: BSD-2-Clause */
/* runs - the counts of one run, without what others took, and those of several as their mean. */
#include "analyze/scale/parts.h"

#include <math.h>

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
	run->displaced_ns += (double)row->displaced_ns;
}

static bool is_of(const struct recording_level *row, int64_t run_id, unsigned slice)
{
	return row->run_id == run_id && row->slice == slice;
}

/* Spreads the stolen time of a slice over its levels, in proportion to their running time. */
static void add_steal(struct scale_run *run, const struct recording *recording,
		      const struct recording_steal *steal)
{
	const struct recording_level *rows = recording->levels.items;
	double running = 0;

	for (size_t i = 0; i < recording->levels.count; i++)
		if (is_of(&rows[i], steal->run_id, steal->slice))
			running += (double)rows[i].running_ns;
	for (size_t i = 0; i < recording->levels.count && running > 0; i++) {
		double part = (double)rows[i].running_ns / running;
		for (size_t j = 0; j < run->count; j++)
			if (is_of(&rows[i], steal->run_id, steal->slice) &&
			    run->levels[j].threads == rows[i].threads)
				run->levels[j].stolen_ns += part * (double)steal->stolen_ns;
	}
	run->stolen_ns += (double)steal->stolen_ns;
}

/*
 * Spreads the time of counting over the levels, in proportion to their running time. A recorded run
 * keeps it.
 */
static void add_counting(struct scale_run *run, const struct recording *recording)
{
	double running = 0, counting = 0;

	if (run->conditions && run->conditions->is_recorded)
		return;
	for (size_t i = 0; i < recording->overheads.count; i++)
		if (recording->overheads.items[i].run_id == run->parallel->run_id)
			counting = (double)recording->overheads.items[i].kernel_ns;
	for (size_t i = 0; i < run->count; i++)
		running += run->levels[i].running_ns;
	for (size_t i = 0; i < run->count && running > 0; i++)
		run->levels[i].counting_ns =
			counting * fmin(1, run->levels[i].running_ns / running);
}

const struct recording_run *scale_run_row(const struct recording *recording, int64_t id)
{
	for (size_t i = 0; i < recording->earlier.count; i++)
		if (recording->earlier.items[i].id == id)
			return &recording->earlier.items[i];
	return recording_run(recording, id);
}

struct scale_run scale_run_of(const struct recording *recording,
			      const struct recording_parallel *parallel)
{
	struct scale_run run = {.run = scale_run_row(recording, parallel->run_id),
				.parallel = parallel};

	for (size_t i = 0; i < recording->run_conditions.count; i++)
		if (recording->run_conditions.items[i].run_id == parallel->run_id)
			run.conditions = &recording->run_conditions.items[i];

	for (size_t i = 0; i < recording->levels.count; i++) {
		const struct recording_level *row = &recording->levels.items[i];
		if (row->run_id == parallel->run_id && !row->slice)
			add_level(&run, row);
	}
	for (size_t i = 0; i < recording->steals.count; i++)
		if (recording->steals.items[i].run_id == parallel->run_id)
			add_steal(&run, recording, &recording->steals.items[i]);
	add_counting(&run, recording);
	for (size_t i = 0; i < run.count; i++) {
		run.own_ns += parallel_own_ns(&run.levels[i], parallel->cores);
		run.cpu_ns += parallel_cpu_ns(&run.levels[i]);
	}
	return run;
}

double scale_pool_levels(struct level_list *levels, const struct scale_run *all, size_t count)
{
	double runs = (double)count, wall_ns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct scale_run *run = &all[i];
		for (size_t j = 0; j < run->count; j++) {
			struct parallel_level *level =
				scale_find_or_add_level(levels, run->levels[j].threads);
			level->wall_ns += run->levels[j].wall_ns / runs;
			level->running_ns += run->levels[j].running_ns / runs;
			level->displaced_ns += run->levels[j].displaced_ns / runs;
			level->stolen_ns += run->levels[j].stolen_ns / runs;
			level->counting_ns += run->levels[j].counting_ns / runs;
			for (size_t k = 0; k < PARALLEL_WAITS; k++)
				level->waiting_ns[k] += run->levels[j].waiting_ns[k] / runs;
		}
		wall_ns += run->wall_ns / runs;
	}
	return wall_ns;
}
