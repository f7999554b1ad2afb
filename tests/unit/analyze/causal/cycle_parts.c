/* SPDX-License-Identifier: BSD-2-Clause */
/* cycle_parts - windows that hold parts of cycles leave a gain unknown. */
#include "check.h"

#include "analyze/causal/cycle_parts.h"

#define CYCLE_NS 300000000

/* Of two runs with two windows each, at 100, 200 and 300, 400; of the second run so long. */
static double length_with(uint64_t first_since_ns, uint64_t second_since_ns, uint64_t duration_ns,
			  uint64_t delay_ns)
{
	const struct recording_experiment second = {.run_id = 2,
						    .start_ns = 300,
						    .duration_ns = duration_ns,
						    .delay_ns = delay_ns};
	struct recording_experiment windows[] = {{.run_id = 1, .start_ns = 100},
						 {.run_id = 1, .start_ns = 200},
						 second,
						 second};
	windows[3].start_ns = 400;
	const struct recording_experiment *items[] = {&windows[0], &windows[1], &windows[2],
						      &windows[3]};
	const struct trials trials = {items, 4};
	struct recording recording = {0};

	*array_add(&recording.runs) = (struct recording_run){.id = 1,
							     .cycle_ns = CYCLE_NS,
							     .whole_since_ns = first_since_ns};
	*array_add(&recording.runs) =
		(struct recording_run){.id = 2,
				       .cycle_ns = second_since_ns ? CYCLE_NS : 0,
				       .whole_since_ns = second_since_ns};
	double length = cycle_parts_length_ns(&recording, &trials);
	array_free(&recording.runs);
	return length;
}

static double length_of(uint64_t first_since_ns, uint64_t second_since_ns)
{
	return length_with(first_since_ns, second_since_ns, 0, 0);
}

TEST("windows hold whole cycles if all of them began after the cycle was known")
{
	CHECK_EQUAL(length_of(100, 300), 0);
	CHECK_EQUAL(length_of(50, 250), 0);
	CHECK_EQUAL(length_of(200, 300), CYCLE_NS);
	CHECK_EQUAL(length_of(100, 400), CYCLE_NS);
	CHECK_EQUAL(length_of(0, 300), CYCLE_NS);
}

TEST("what one run knows of cycles holds for the other runs")
{
	CHECK_EQUAL(length_of(100, 0), CYCLE_NS);
}

TEST("a window of two cycles and more, without its pauses, holds no parts")
{
	CHECK_EQUAL(length_with(100, 0, 2ull * CYCLE_NS, 0), 0);
	CHECK_EQUAL(length_with(100, 0, CYCLE_NS, 0), CYCLE_NS);
	CHECK_EQUAL(length_with(100, 0, 3ull * CYCLE_NS, 2ull * CYCLE_NS), CYCLE_NS);
}

TEST("an interval reaches from no gain to all that the time allows, and gets no smaller")
{
	struct effect_point point = {.speedup = 0.5, .gain = 0.02, .low = 0.01, .high = 0.03};
	struct effect_point wide = {.speedup = 0.5, .gain = 0.02, .low = -0.5, .high = 0.9};

	cycle_parts_widen(&point, 0.4);
	CHECK_EQUAL(point.low, 0);
	CHECK_EQUAL(point.high, 0.2);
	cycle_parts_widen(&wide, 0.4);
	CHECK_EQUAL(wide.low, -0.5);
	CHECK_EQUAL(wide.high, 0.9);
}

/* Of eight windows, in turn with a speedup and without, that begin at 10, 20 and so on. */
static size_t kept_of(uint64_t cycle_ns, uint64_t since_ns)
{
	struct recording_experiment windows[8];
	const struct recording_experiment *items[8];
	struct trials trials = {items, 8};
	struct recording recording = {0};

	for (unsigned i = 0; i < 8; i++) {
		windows[i] = (struct recording_experiment){.run_id = 1,
							   .start_ns = 10 * (i + 1),
							   .speedup = i % 2 ? 0.5 : 0};
		items[i] = &windows[i];
	}
	*array_add(&recording.runs) =
		(struct recording_run){.id = 1, .cycle_ns = cycle_ns, .whole_since_ns = since_ns};
	cycle_parts_drop(&recording, &trials);
	CHECK(trials.count == 8 || items[0]->start_ns >= since_ns);
	array_free(&recording.runs);
	return trials.count;
}

TEST("windows that hold parts are dropped where two with a speedup and two without do not")
{
	CHECK_EQUAL(kept_of(CYCLE_NS, 50), 4);
	CHECK_EQUAL(kept_of(CYCLE_NS, 60), 8);
	CHECK_EQUAL(kept_of(CYCLE_NS, 0), 8);
	CHECK_EQUAL(kept_of(0, 0), 8);
}

/* Of two runs of 1 s without a speedup: the target's time in one, with one thread or two in it. */
static double most_of(uint64_t sampled_ns, uint64_t alone_ns)
{
	struct recording recording = {0};

	for (int64_t run = 1; run <= 2; run++)
		*array_add(&recording.runs) =
			(struct recording_run){.id = run, .baseline_ns = 1000000000};
	*array_add(&recording.samples) =
		(struct recording_sample){.run_id = 1,
					  .target_id = 7,
					  .baseline_sampled_ns = sampled_ns,
					  .baseline_alone_ns = alone_ns};
	struct trials_index index = trials_index_of(&recording);
	double most = cycle_parts_most(&recording, &index, 7);
	trials_index_release(&index);
	array_free(&recording.samples);
	array_free(&recording.runs);
	return most;
}

TEST("a target gains at most its part of the wall time, and a fifth more")
{
	CHECK_NEAR(most_of(500000000, 400000000), 0.24, 1e-9);
	CHECK_NEAR(most_of(500000000, 0), 0.3, 1e-9);
	CHECK_EQUAL(most_of(3000000000, 0), 1);
	CHECK_EQUAL(most_of(0, 0), 0);
}
