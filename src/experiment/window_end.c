/* SPDX-License-Identifier: BSD-2-Clause */
/* window_end - waits for the next visit where visits are rare. */
#include "experiment/window_end.h"

#define VISITS_LEAST 5
#define VISITS_LEAST_LONG 2 /* of windows longer than LONG_NS */
#define LONG_NS 150000000ull

#define RARE 16   /* visits in a window: with more, what passes after the last one is little */
#define LONGEST 4 /* times the planned length that a window may go on */
#define LONGEST_NS 1000000000ull /* and this long: between windows the session looks around */
#define STEPS 16                 /* in the time of a unit */
#define STEP_LEAST_NS 1000000ull
#define STEP_MOST_NS 20000000ull
#define STEP_UNKNOWN_NS 4000000ull

/*
 * The time from the first visit to the last holds whole units, so two tell their length. Many short
 * windows beat a few long ones: controls are nearer (docs/decisions.md, "Slow units").
 */
double window_end_visits_least(uint64_t elapsed_ns)
{
	return elapsed_ns > LONG_NS ? VISITS_LEAST_LONG : VISITS_LEAST;
}

static uint64_t unit_ns(const struct window_progress *progress)
{
	return progress->visits > 0 ? (uint64_t)((double)progress->duration_ns / progress->visits) :
				      0;
}

static uint64_t step_ns(const struct window_progress *now)
{
	uint64_t step = unit_ns(now) / STEPS;

	if (!(now->visits > 0))
		return STEP_UNKNOWN_NS;
	return step < STEP_LEAST_NS ? STEP_LEAST_NS : step > STEP_MOST_NS ? STEP_MOST_NS : step;
}

uint64_t window_end_wait_ns(const struct window_progress *planned,
			    const struct window_progress *before, const struct window_progress *now)
{
	bool is_enough = now->visits >= window_end_visits_least(now->elapsed_ns);
	uint64_t waited_ns = now->elapsed_ns - planned->elapsed_ns;

	if (planned->visits >= RARE || waited_ns >= LONGEST * planned->elapsed_ns ||
	    waited_ns >= LONGEST_NS)
		return 0;
	if (is_enough && now->visits > before->visits)
		return 0;
	return step_ns(now);
}
