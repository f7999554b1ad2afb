/* SPDX-License-Identifier: BSD-2-Clause */
/* load_end - a load that ended long before the run is told, and no other pause. */
#include "check.h"

#include "analyze/causal/load_end.h"

#define WINDOWS 6
#define S 1000000000ull

static struct recording_experiment windows[WINDOWS];
static struct recording_visit visits[WINDOWS];

/* A run of 8 s with six windows of 1 s; only the windows of the mask saw requests. */
static struct load_end end_of(const char *name, unsigned with_requests, uint64_t total)
{
	struct recording_run run = {.id = 1, .wall_ns = 8 * S};
	struct recording_point point = {.id = 7, .name = (char *)name};
	struct recording_total all = {.run_id = 1, .point_id = 7, .visits = total};
	struct recording recording = {.runs = {&run, 1, 1},
				      .points = {&point, 1, 1},
				      .experiments = {windows, WINDOWS, WINDOWS},
				      .totals = {&all, 1, 1}};

	for (int i = 0; i < WINDOWS; i++) {
		bool has_visit = with_requests >> i & 1;
		visits[i] = (struct recording_visit){.point_id = 7, .visits = has_visit};
		windows[i] = (struct recording_experiment){.run_id = 1,
							   .duration_ns = S,
							   .visits = {&visits[i], 1, 1}};
	}
	return load_end_of(&recording);
}

TEST("a load ends with the last window that has requests")
{
	struct load_end end = end_of("requests", 0x3, 500);

	CHECK_EQUAL(end.quiet_ns, 4 * S);
	CHECK_EQUAL(end.after_ns, 4 * S);
	CHECK_EQUAL(end_of("requests:80", 0x5, 500).quiet_ns, 3 * S);
	CHECK_EQUAL(end_of("requests", 0, 500).quiet_ns, 6 * S); /* it ended before the first */
}

TEST("a short pause, a load that is there or never was, and other points are no end")
{
	CHECK_EQUAL(end_of("requests", 0xf, 500).quiet_ns, 0);
	CHECK_EQUAL(end_of("requests", 0x21, 500).quiet_ns, 0);
	CHECK_EQUAL(end_of("requests", 0, 0).quiet_ns, 0);
	CHECK_EQUAL(end_of("request_done", 0x3, 500).quiet_ns, 0);
}
