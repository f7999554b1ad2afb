/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * span_lengths - the engine's counts of spans as rows: means by length, and weights.
 *
 * A span that began before the experiment is not measured, and long spans more often did. So a
 * measured span has the weight 1 / p, p being the part of the window in which a span of its length
 * that ends is measured.
 */
#include "experiment/progress/span_lengths.h"

#include <math.h>
#include <string.h>

#define SEEN_LEAST 0.1

static double seen_share(const struct collector_lengths *lengths, double wall_ns)
{
	double missed_ns = fmax(0, wall_ns - (double)lengths->settled_ns);
	return fmax(SEEN_LEAST, 1 - missed_ns / (double)lengths->window_ns);
}

static struct recording_length row_of(const struct collector_lengths *lengths, unsigned bucket)
{
	const struct wire_span_length *counted = &lengths->measured->buckets[bucket];
	double spans = (double)counted->spans;
	double unit = (double)(1 << SPAN_LENGTH_CREDIT_BITS);

	return (struct recording_length){
		.bucket = bucket + 1,
		.spans = counted->spans,
		.weight = spans / seen_share(lengths, (double)counted->wall_ns / spans),
		.length_ns = (double)counted->pure_ns / spans,
		.credit_ns = fmax(0, (double)counted->credit_ns / spans),
		.credit_squares = (double)counted->credit_squares * unit * unit / spans,
		.credit_cubes = (double)counted->credit_cubes * unit * unit * unit / spans,
	};
}

/* Only LEVER_BEGIN and LEVER_END of one name are a span on a thread's stack. */
static bool is_span(const struct collector *collector, const unsigned *ends)
{
	const struct wire_point *begin = collector_point(collector, ends[0]);
	const struct wire_point *end = collector_point(collector, ends[1]);

	return begin->kind == POINTS_BEGIN && end->kind == POINTS_END &&
	       !strcmp(begin->name, end->name);
}

void span_lengths_collect(const struct collector *collector, unsigned pair, const unsigned *ends,
			  int64_t point_id, struct recording_experiment *experiment)
{
	struct collector_lengths lengths = collector_pair_lengths(collector, pair);
	double measured = 0;

	if (!is_span(collector, ends) || !lengths.measured || !lengths.ended || !lengths.window_ns)
		return;
	for (unsigned bucket = 0; bucket < SPAN_LENGTHS_MOST; bucket++) {
		if (!lengths.measured->buckets[bucket].spans)
			continue;
		struct recording_length row = row_of(&lengths, bucket);
		row.point_id = point_id;
		measured += row.weight;
		*array_add(&experiment->lengths) = row;
	}
	double others = (double)lengths.ended - measured;
	if (others > 0.5)
		*array_add(&experiment->lengths) =
			(struct recording_length){.point_id = point_id,
						  .spans = (uint64_t)(others + 0.5),
						  .weight = others};
}
