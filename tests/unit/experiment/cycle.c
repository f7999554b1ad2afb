/* SPDX-License-Identifier: BSD-2-Clause */
/* cycle - whose rate tells that a program works in cycles: visits and CPU time stand here. */
#include "experiment/session/cycle.h"
#include "check.h"
#include "experiment/progress/progress_visits.h"
#include "experiment/session/state.h"
#include "experiment/session/waiting.h"

#define STEP_NS 5000000ull
#define STEPS 4000
#define HALF_CYCLE 40 /* steps */
#define WINDOW 16

enum { UNIT, CPU_TIME };

static double visits[SESSION_CYCLE_POINTS];
static uint64_t now_ns;

void collector_counters(struct collector *collector, struct collector_counters *counters)
{
	(void)collector;
	*counters = (struct collector_counters){.time_ns = now_ns};
}

double progress_visits_total(const struct progress_points *points, unsigned index)
{
	(void)points;
	return visits[index];
}

bool progress_visits_is_sampled(const struct progress_points *points, unsigned index)
{
	(void)points;
	return index == CPU_TIME;
}

uint64_t progress_points_requests(const struct progress_points *points)
{
	(void)points;
	return 0;
}

bool session_wait(struct session *session, uint64_t duration_ns)
{
	(void)session, (void)duration_ns;
	return true;
}

uint32_t sampled_code_last(const struct sampled_code *code)
{
	(void)code;
	return SYMBOLS_NONE;
}

/*
 * The cycle that is told of a program whose units come in one half of each, on so many cores.
 * `is_on`: windows begin and end with those of the units.
 */
static uint64_t told_cycle_ns(double cores, bool rests, bool is_on)
{
	static const struct session_options options;
	struct session session = {.options = &options, .schedule = schedule_new(1, NULL, 0)};
	struct recording_run run = {0};

	now_ns = 1;
	visits[UNIT] = visits[CPU_TIME] = 0;
	session_cycle_begin(&session);
	for (unsigned i = 0; i < STEPS; i++) {
		bool is_high = i / HALF_CYCLE % 2;
		now_ns += STEP_NS;
		visits[UNIT] += is_high ? 10 : 0;
		visits[CPU_TIME] += is_high || !rests ? cores * 10 : 0;
		session_cycle_step(&session, true);
		if (i % WINDOW)
			continue;
		struct recording_experiment control = {
			.duration_ns = WINDOW * STEP_NS,
			.sampled_ns = (uint64_t)(cores * (double)(WINDOW * STEP_NS)) + 5000,
			.waited_ns = 5000};
		session_cycle_end_window(&session, &control, 1);
		session_cycle_begin(&session);
	}
	session.cycle.since_ns = is_on;
	session.cycle.point = UNIT;
	session_cycle_complete(&session, &run);
	session_cycle_release(&session.cycle);
	schedule_free(session.schedule);
	return run.cycle_ns;
}

TEST("units that come in a part of a batch make no cycle where one thread runs at a time")
{
	CHECK_EQUAL(told_cycle_ns(1, false, false), 0);
}

TEST("they do where others run beside it, or where the thread waits for a part of the time")
{
	CHECK(told_cycle_ns(1.5, false, false) > 0);
	CHECK(told_cycle_ns(0.5, false, false) > 0);
}

TEST("CPU time has cycles of its own where the program rests")
{
	CHECK(told_cycle_ns(1, true, false) > 0);
}

TEST("windows that began and ended with the unit's cycles are told with their length")
{
	CHECK(told_cycle_ns(1, false, true) > 0);
}
