/* SPDX-License-Identifier: BSD-2-Clause */
/* clock_fit - the line with the most room to all bounds, and how far others lie from it. */
#include "stats/clock_fit.h"

#include <math.h>

#define DRIFT_MOST 1e-3 /* twice what the kernel lets NTP correct */
#define STEPS 60        /* of searches by thirds */
#define PART_LEAST_NS 2e9
#define ROOM_SHARE 0.01 /* of the best line's, that others as good may lack */

/* Bounds from `time_ns` on, relative to `offset_ns` there: doubles hold these exactly enough. */
struct part {
	const struct clock_bound *bounds;
	size_t count;
	uint64_t time_ns;
	int64_t offset_ns;
};

struct line {
	double offset, rate, room; /* room: between the bounds, at the best place; below 0: none */
};

static double x_of(const struct part *part, const struct clock_bound *bound)
{
	return (double)(int64_t)(bound->time_ns - part->time_ns);
}

/* The least that a line of this rate may have at the part's begin. */
static double low_at(const struct part *part, double rate)
{
	double low = -INFINITY;

	for (size_t i = 0; i < part->count; i++) {
		const struct clock_bound *bound = &part->bounds[i];
		if (bound->low_ns != INT64_MIN)
			low = fmax(low, (double)(bound->low_ns - part->offset_ns) -
						rate * x_of(part, bound));
	}
	return low;
}

static double high_at(const struct part *part, double rate)
{
	double high = INFINITY;

	for (size_t i = 0; i < part->count; i++) {
		const struct clock_bound *bound = &part->bounds[i];
		if (bound->high_ns != INT64_MAX)
			high = fmin(high, (double)(bound->high_ns - part->offset_ns) -
						  rate * x_of(part, bound));
	}
	return high;
}

static double room_at(const struct part *part, double rate)
{
	return high_at(part, rate) - low_at(part, rate);
}

/* The rate farthest from `rate` towards `edge` that has at least this room, by halving. */
static double last_rate(const struct part *part, double rate, double edge, double room)
{
	if (room_at(part, edge) >= room)
		return edge;
	for (int step = 0; step < STEPS; step++) {
		double middle = (rate + edge) / 2;
		if (room_at(part, middle) >= room)
			rate = middle;
		else
			edge = middle;
	}
	return rate;
}

/* Room is a concave function of the rate. Of rates with about the most, the middle one. */
static struct line find_line(const struct part *part)
{
	double from = -DRIFT_MOST, to = DRIFT_MOST;

	for (int i = 0; i < STEPS; i++) {
		double one = from + (to - from) / 3, other = to - (to - from) / 3;
		if (room_at(part, one) < room_at(part, other))
			from = one;
		else
			to = other;
	}
	double best = (from + to) / 2, room = room_at(part, best);
	room -= fabs(room) * ROOM_SHARE;
	double rate = isinf(room) ? best :
				    (last_rate(part, best, -DRIFT_MOST, room) +
				     last_rate(part, best, DRIFT_MOST, room)) /
					    2;
	double low = low_at(part, rate), high = high_at(part, rate);
	if (isinf(low) || isinf(high)) /* bounded on one side only: as near as that says */
		return (struct line){.offset = isinf(low) ? isinf(high) ? 0 : high : low,
				     .rate = rate,
				     .room = high - low};
	return (struct line){.offset = (low + high) / 2, .rate = rate, .room = high - low};
}

/* How far lines within all bounds lie from the one found, at x. */
static double distance_at(const struct part *part, const struct line *line, double x)
{
	double most = 0;

	if (!(line->room >= 0))
		return -line->room;
	double edges[2] = {last_rate(part, line->rate, -DRIFT_MOST, 0),
			   last_rate(part, line->rate, DRIFT_MOST, 0)};
	double own = line->offset + line->rate * x, from = edges[0], to = edges[1];
	for (int step = 0; step < STEPS; step++) { /* the highest is concave in the rate */
		double one = from + (to - from) / 3, other = to - (to - from) / 3;
		if (high_at(part, one) + one * x < high_at(part, other) + other * x)
			from = one;
		else
			to = other;
	}
	most = fmax(most, high_at(part, from) + from * x - own);
	from = edges[0], to = edges[1];
	for (int step = 0; step < STEPS; step++) {
		double one = from + (to - from) / 3, other = to - (to - from) / 3;
		if (low_at(part, one) + one * x > low_at(part, other) + other * x)
			from = one;
		else
			to = other;
	}
	return fmax(most, own - low_at(part, from) - from * x);
}

/* The knot where two parts meet lies in the middle of both ends. */
static void add_knot(struct clock_fit *fit, const struct part *part, uint64_t time_ns, double at)
{
	int64_t offset_ns = part->offset_ns + (int64_t)llround(at);
	struct clock_knot *last = fit->knots.count ? &fit->knots.items[fit->knots.count - 1] : NULL;

	if (!last || last->time_ns != time_ns) {
		*array_add(&fit->knots) = (struct clock_knot){time_ns, offset_ns};
		return;
	}
	uint64_t half_ns = (uint64_t)llabs(offset_ns - last->offset_ns) / 2;
	fit->uncertainty_ns += half_ns;
	last->offset_ns += (offset_ns - last->offset_ns) / 2;
}

static int64_t first_offset(const struct clock_bound *bounds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bounds[i].low_ns != INT64_MIN && bounds[i].high_ns != INT64_MAX)
			return bounds[i].low_ns + (bounds[i].high_ns - bounds[i].low_ns) / 2;
	return bounds->low_ns != INT64_MIN  ? bounds->low_ns :
	       bounds->high_ns != INT64_MAX ? bounds->high_ns :
					      0;
}

static void fit_part(struct clock_fit *fit, const struct clock_bound *bounds, size_t count)
{
	uint64_t end_ns = bounds[count - 1].time_ns;
	struct part part = {.bounds = bounds,
			    .count = count,
			    .time_ns = bounds->time_ns,
			    .offset_ns = first_offset(bounds, count)};
	struct line line = find_line(&part);
	double length = (double)(end_ns - part.time_ns);

	if (line.room < 0 && count > 3 && length > PART_LEAST_NS) {
		size_t half = count / 2; /* the bound there is one of both */
		fit_part(fit, bounds, half + 1);
		fit_part(fit, bounds + half, count - half);
		return;
	}
	double distance = fmax(distance_at(&part, &line, 0), distance_at(&part, &line, length));
	if (isfinite(distance) && distance > (double)fit->uncertainty_ns)
		fit->uncertainty_ns = (uint64_t)ceil(distance);
	add_knot(fit, &part, part.time_ns, line.offset);
	if (length > 0)
		add_knot(fit, &part, end_ns, line.offset + line.rate * length);
}

void clock_fit(const struct clock_bound *bounds, size_t count, struct clock_fit *fit)
{
	*fit = (struct clock_fit){0};
	fit_part(fit, bounds, count);
	const struct clock_knot *first = fit->knots.items, *last = first + fit->knots.count - 1;
	if (last->time_ns > first->time_ns)
		fit->drift = (double)(last->offset_ns - first->offset_ns) /
			     (double)(last->time_ns - first->time_ns);
}

void clock_fit_clear(struct clock_fit *fit)
{
	array_free(&fit->knots);
}

uint64_t clock_fit_time(const struct clock_fit *fit, uint64_t time_ns)
{
	const struct clock_knot *knots = fit->knots.items;
	size_t low = 0, high = fit->knots.count;

	if (high < 2)
		return time_ns + (uint64_t)(high ? knots->offset_ns : 0);
	while (high - low > 1) { /* the last knot that is not later */
		size_t middle = (low + high) / 2;
		if (knots[middle].time_ns <= time_ns)
			low = middle;
		else
			high = middle;
	}
	low -= low + 1 == fit->knots.count;
	const struct clock_knot *one = &knots[low], *other = one + 1;
	double rate = (double)(other->offset_ns - one->offset_ns) /
		      (double)(other->time_ns - one->time_ns);
	double since = (double)(int64_t)(time_ns - one->time_ns);
	return time_ns + (uint64_t)(one->offset_ns + (int64_t)llround(rate * since));
}
