/* SPDX-License-Identifier: BSD-2-Clause */
/* progress_visits - counters of the collector as rows: those of a window, and totals of the run. */
#include "experiment/progress/progress_visits.h"

#include "experiment/progress/points_state.h"
#include "experiment/progress/span_lengths.h"

#include <math.h>

enum point_kind progress_visits_kind(const struct progress_points *points, int64_t id)
{
	for (unsigned i = 0; i < points->known; i++)
		if (points->counters[i].id == id)
			return points->counters[i].kind;
	return POINT_LATENCY; /* what is no counter is a pair */
}

bool progress_visits_are_requests(const struct progress_points *points, int64_t id)
{
	for (unsigned i = 0; i < points->known; i++)
		if (points->counters[i].id == id)
			return points->counters[i].is_request;
	return false;
}

static struct recording_visit *add_visit(struct recording_experiment *experiment, int64_t point_id,
					 const struct collector_visits *seen)
{
	struct recording_visit *visit = array_add(&experiment->visits);

	*visit = (struct recording_visit){.point_id = point_id,
					  .visits = (double)seen->visits,
					  .duration_ns = seen->duration_ns,
					  .delay_ns = seen->delay_ns};
	return visit;
}

static double collect_counter(const struct progress_points *points, unsigned index,
			      struct recording_experiment *experiment)
{
	const struct collector *collector = points->lookup.collector;
	const struct counter *counter = &points->counters[index];
	struct collector_visits seen = collector_window_visits(collector, index);

	if (!counter->id || !seen.visits)
		return 0;
	struct recording_visit *visit = add_visit(experiment, counter->id, &seen);
	if (counter->kind == POINT_SAMPLED) /* the counter holds sampled ns */
		visit->visits /= (double)collector_facts(collector)->period_ns;
	return visit->visits;
}

static double collect_pair(const struct progress_points *points, unsigned index,
			   struct recording_experiment *experiment)
{
	const struct collector *collector = points->lookup.collector;
	const struct pair *pair = &points->pairs.items[index];

	if (!pair->id)
		return 0;
	struct collector_visits seen = collector_window_visits(collector, pair->begin);
	span_lengths_collect(collector, index, (const unsigned[]){pair->begin, pair->end}, pair->id,
			     experiment);
	/* At a speedup of 100 % noise may take it below 0; at others such a value is wrong. */
	double in_flight = collector_pair_average(collector, index);
	if (!seen.visits || (in_flight <= 0 && experiment->speedup < 0.9))
		return 0;
	add_visit(experiment, pair->id, &seen)->in_flight = fmax(0, in_flight);
	return (double)seen.visits;
}

double progress_visits_collect(const struct progress_points *points,
			       struct recording_experiment *experiment)
{
	double greatest = 0;

	for (unsigned i = 0; i < points->known; i++)
		greatest = fmax(greatest, collect_counter(points, i, experiment));
	for (unsigned i = 0; i < points->pairs.count && i < WIRE_PAIRS_MOST; i++)
		greatest = fmax(greatest, collect_pair(points, i, experiment));
	return greatest;
}

/* Of the window open or closed last; in what the point counts. */
static struct collector_visits visits_at(const struct progress_points *points, unsigned index,
					 double *visits)
{
	const struct collector *collector = points->lookup.collector;
	struct collector_visits seen = collector_window_visits(collector, index);

	*visits = (double)seen.visits;
	if (points->counters[index].kind == POINT_SAMPLED) /* the counter holds sampled ns */
		*visits /= (double)collector_facts(collector)->period_ns;
	return seen;
}

double progress_visits_so_far(const struct progress_points *points, uint64_t *duration_ns)
{
	double most = 0;

	*duration_ns = 0;
	for (unsigned i = 0; i < points->known; i++) {
		double visits;
		struct collector_visits seen = visits_at(points, i, &visits);
		if (!points->counters[i].id || visits <= most)
			continue;
		most = visits;
		*duration_ns = seen.duration_ns;
	}
	for (unsigned i = 0; i < points->pairs.count && i < WIRE_PAIRS_MOST; i++) {
		const struct pair *pair = &points->pairs.items[i];
		double visits = 0;
		struct collector_visits seen = {0};
		if (pair->id)
			seen = visits_at(points, pair->begin, &visits);
		if (visits <= most)
			continue;
		most = visits;
		*duration_ns = seen.duration_ns;
	}
	return most;
}

static void add_mark(const struct progress_points *points, unsigned index, int64_t point_id,
		     const struct recording_mark *mark, struct recording_experiment *experiment)
{
	double visits;
	struct collector_visits seen = visits_at(points, index, &visits);

	if (!point_id || !seen.visits)
		return;
	struct recording_mark *added = array_add(&experiment->marks);
	*added = *mark;
	added->point_id = point_id;
	added->visits = visits;
	added->duration_ns = seen.duration_ns;
	added->delay_ns = seen.delay_ns;
}

void progress_visits_mark(const struct progress_points *points, const struct recording_mark *mark,
			  struct recording_experiment *experiment)
{
	for (unsigned i = 0; i < points->known; i++)
		add_mark(points, i, points->counters[i].id, mark, experiment);
	for (unsigned i = 0; i < points->pairs.count && i < WIRE_PAIRS_MOST; i++) {
		const struct pair *pair = &points->pairs.items[i];
		if (pair->id)
			add_mark(points, pair->begin, pair->id, mark, experiment);
	}
}

bool progress_visits_is_sampled(const struct progress_points *points, unsigned index)
{
	return index < points->known && points->counters[index].kind == POINT_SAMPLED;
}

double progress_visits_total(const struct progress_points *points, unsigned index)
{
	const struct collector *collector = points->lookup.collector;

	if (index >= points->known || !points->counters[index].id)
		return 0;
	double total = (double)collector_point(collector, index)->total;
	return progress_visits_is_sampled(points, index) ?
		       total / (double)collector_facts(collector)->period_ns :
		       total;
}

struct process_writer {
	struct profile *profile;
	struct recording_process_visits row;
	uint64_t unit; /* of what the kernel side counts: a visit, or ns of a sampled point */
	uint64_t sum;  /* of all processes, in such units */
	struct error *error;
	int code;
};

static void write_process(void *context, pid_t pid, const char *command, uint64_t visits)
{
	struct process_writer *writer = context;
	struct recording_process_visits row = writer->row;

	row.pid = (unsigned)pid;
	row.command = (char *)(uintptr_t)command;
	row.visits = visits / writer->unit;
	writer->sum += visits;
	if (!writer->code && row.visits)
		writer->code = profile_set_process_visits(writer->profile, &row, writer->error);
}

/*
 * In all, and by process where the engine knows. The program visits points while they are read, so
 * the sum over processes may exceed the total that was read before.
 */
static int write_total(const struct progress_points *points, struct profile *profile,
		       unsigned index, struct recording_total total, struct error *error)
{
	bool is_sampled = points->counters[index].kind == POINT_SAMPLED;
	struct process_writer writer = {
		.profile = profile,
		.row = {.run_id = total.run_id, .point_id = total.point_id},
		.unit = is_sampled ? collector_facts(points->lookup.collector)->period_ns : 1,
		.error = error,
	};

	uint64_t counted = collector_point(points->lookup.collector, index)->total;
	collector_each_visiting_process(points->lookup.collector, index, write_process, &writer);
	total.visits = (writer.sum > counted ? writer.sum : counted) / writer.unit;
	return writer.code ? writer.code : profile_set_total(profile, &total, error);
}

int progress_visits_write_totals(const struct progress_points *points, struct profile *profile,
				 int64_t run_id, struct error *error)
{
	int code = 0;

	for (unsigned i = 0; i < points->known && !code; i++) {
		struct recording_total total = {run_id, points->counters[i].id, 0};
		if (total.point_id)
			code = write_total(points, profile, i, total, error);
	}
	for (size_t i = 0; i < points->pairs.count && !code; i++) {
		const struct pair *pair = &points->pairs.items[i];
		struct recording_total total = {run_id, pair->id, 0};
		if (pair->id)
			code = write_total(points, profile, pair->begin, total, error);
	}
	return code;
}
