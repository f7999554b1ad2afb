/* SPDX-License-Identifier: BSD-2-Clause */
/* tail_latency - turns rows of lengths into windows of counts. */
#include "analyze/causal/tail_latency.h"

#include "profile/window_values.h"

static void add_buckets(struct tail_bucket *buckets, size_t *count,
			const struct recording_experiment *experiment, int64_t point_id)
{
	for (size_t i = 0; i < experiment->lengths.count; i++) {
		const struct recording_length *row = &experiment->lengths.items[i];
		if (row->point_id != point_id)
			continue;
		buckets[(*count)++] = (struct tail_bucket){
			.bucket = row->bucket,
			.spans = (double)row->spans,
			.weight = row->weight,
			.length_ns = row->length_ns,
			.credit_ns = row->credit_ns,
			.credit_squares = row->credit_squares,
			.credit_cubes = row->credit_cubes,
		};
	}
}

/*
 * Little's law gives the total time of a window's spans. If the spans with known lengths, and the
 * others at two periods each, do not come near that, the others were not short: they are on no
 * stack, since they end in another thread.
 */
#define PERIODS_UNMEASURED 2.0
#define TIME_MOST 1.5

struct time {
	double counted_ns, measured_ns;
};

static void add_time(struct time *time, const struct recording_experiment *experiment,
		     int64_t point_id, double period_ns)
{
	for (size_t i = 0; i < experiment->visits.count; i++) {
		const struct recording_visit *visit = &experiment->visits.items[i];
		double length_ns = window_visit_period(visit, POINT_LATENCY);
		if (visit->point_id == point_id && length_ns > 0)
			time->counted_ns += length_ns * visit->visits;
	}
	for (size_t i = 0; i < experiment->lengths.count; i++) {
		const struct recording_length *row = &experiment->lengths.items[i];
		double length_ns = row->bucket ? row->length_ns - row->credit_ns :
						 PERIODS_UNMEASURED * period_ns;
		if (row->point_id == point_id)
			time->measured_ns += row->weight * length_ns;
	}
}

static double longest_period(const struct recording *recording, int64_t run_id, double period_ns)
{
	const struct recording_run *run = recording_run(recording, run_id);
	return run && (double)run->period_ns > period_ns ? (double)run->period_ns : period_ns;
}

struct tail tail_latency_of(const struct recording *recording,
			    const struct recording_experiment *const *experiments, size_t count,
			    int64_t point_id)
{
	struct tail_window *windows = memory_new(count, sizeof(*windows));
	size_t rows = 0, used = 0;
	double period_ns = 0;
	struct time time = {0};

	for (size_t i = 0; i < count; i++)
		rows += experiments[i]->lengths.count;
	struct tail_bucket *buckets = memory_new(rows, sizeof(*buckets));
	for (size_t i = 0; i < count; i++) {
		size_t first = used;
		add_buckets(buckets, &used, experiments[i], point_id);
		windows[i] = (struct tail_window){.speedup = experiments[i]->speedup,
						  .buckets = &buckets[first],
						  .count = used - first};
		period_ns = longest_period(recording, experiments[i]->run_id, period_ns);
	}
	struct tail tail = tail_estimate(windows, count, period_ns);
	for (size_t i = 0; i < count; i++)
		add_time(&time, experiments[i], point_id, period_ns);
	if (tail.status != TAIL_NOT_MEASURED && time.counted_ns > TIME_MOST * time.measured_ns) {
		free(tail.points);
		tail = (struct tail){.status = TAIL_UNMEASURED_TIME, .spans = tail.spans};
	}
	effect_add_method_error(tail.points, tail.count);
	free(buckets);
	free(windows);
	return tail;
}

double tail_latency_lacking_ns(const struct recording *recording, const struct tail *tail)
{
	double run_ns = 0;

	for (size_t i = 0; i < recording->runs.count; i++)
		run_ns += (double)recording->runs.items[i].wall_ns;
	return tail->needed_factor > 1 ? (tail->needed_factor - 1) * run_ns : 0;
}
