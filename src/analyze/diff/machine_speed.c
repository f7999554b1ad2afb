/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_speed - one regression within both recordings, with a prior. */
#include "analyze/diff/machine_speed.h"

#include <math.h>

/* Without drift to learn from, the interval of b holds 0: 95 % of N(1, 1 / 1.96). */
#define PRIOR_RATE 1.0
#define PRIOR_ERROR 0.51
#define FREE_LEAST 3 /* degrees of freedom of the regression */

struct moments {
	double period, work; /* mean logarithms */
	double works, products, periods;
};

static struct moments moments_of(const struct cost_part *parts, size_t count)
{
	struct moments moments = {0};

	for (size_t i = 0; i < count; i++) {
		moments.period += log(parts[i].period_ns) / (double)count;
		moments.work += log(parts[i].work_ns) / (double)count;
	}
	for (size_t i = 0; i < count; i++) {
		double period = log(parts[i].period_ns) - moments.period;
		double work = log(parts[i].work_ns) - moments.work;
		moments.works += work * work;
		moments.products += work * period;
		moments.periods += period * period;
	}
	return moments;
}

/* The sum of squares of what the rate leaves over. */
static double squares_left(const struct moments *moments, double rate)
{
	return fmax(0,
		    moments->periods - 2 * rate * moments->products + rate * rate * moments->works);
}

struct machine_speed machine_speed_of_parts(struct cost_part parts[2][COST_PARTS],
					    const size_t counts[2])
{
	struct machine_speed speed = {.follow_rate = PRIOR_RATE, .follow_error = PRIOR_ERROR};
	struct moments sides[2] = {moments_of(parts[0], counts[0]),
				   moments_of(parts[1], counts[1])};
	double works = sides[0].works + sides[1].works;
	double freedom = (double)(counts[0] + counts[1]) - 3;

	if (freedom >= FREE_LEAST && works > 0) {
		double rate = (sides[0].products + sides[1].products) / works;
		double left = squares_left(&sides[0], rate) + squares_left(&sides[1], rate);
		double precision = works / fmax(left / freedom, 1e-12);
		double prior = 1 / (PRIOR_ERROR * PRIOR_ERROR);
		speed.follow_rate = (precision * rate + prior * PRIOR_RATE) / (precision + prior);
		speed.follow_error = 1 / sqrt(precision + prior);
	}
	for (unsigned side = 0; side < 2; side++)
		speed.deviations[side] = sqrt(squares_left(&sides[side], speed.follow_rate) /
					      (double)(counts[side] - 1));
	return speed;
}

bool machine_speed_estimate(const struct recording *const recordings[2],
			    const struct recording_point *const points[2],
			    struct machine_speed *speed)
{
	struct cost_part parts[2][COST_PARTS];
	size_t counts[2];

	for (unsigned side = 0; side < 2; side++)
		if (!(counts[side] =
			      function_cost_parts(recordings[side], points[side], parts[side])))
			return false;
	*speed = machine_speed_of_parts(parts, counts);
	return true;
}
