/* SPDX-License-Identifier: BSD-2-Clause */
/* hand_over_error - programs whose tasks wake each other at every turn have wider intervals. */
#include "check.h"

#include "analyze/causal/hand_over_error.h"
#include "analyze/causal/hand_over_rare.h"

static double error_of(enum point_kind kind, uint64_t hand_over_ns, uint64_t period_ns)
{
	const struct recording_point point = {.id = 1, .kind = kind};
	const struct recording_experiment window = {.run_id = 1};
	const struct recording_experiment *items[] = {&window};
	const struct trials trials = {items, 1};
	struct recording recording = {0};

	*array_add(&recording.runs) = (struct recording_run){.id = 1,
							     .period_ns = period_ns,
							     .hand_over_ns = hand_over_ns};
	double error = hand_over_error_of(&recording, &trials, &point);
	array_free(&recording.runs);
	return error;
}

TEST("the error grows as the work between hand-overs gets short, up to a bound")
{
	CHECK_NEAR(error_of(POINT_THROUGHPUT, 250000, 153000), 0.16, 1e-6);
	CHECK_NEAR(error_of(POINT_THROUGHPUT, 40000, 153000), 0.25, 1e-6);
}

static double error_of_retries(uint64_t retried_ns)
{
	const struct recording_point point = {.id = 1, .kind = POINT_SAMPLED};
	const struct recording_experiment window = {.run_id = 1};
	const struct recording_experiment *items[] = {&window};
	const struct trials trials = {items, 1};
	struct recording recording = {0};

	*array_add(&recording.runs) =
		(struct recording_run){.id = 1, .sampled_ns = 1000, .retried_ns = retried_ns};
	double error = hand_over_error_of(&recording, &trials, &point);
	array_free(&recording.runs);
	return error;
}

TEST("the error grows with the time in loops that retry, from a twentieth of it up to a bound")
{
	CHECK_NEAR(error_of_retries(0), 0, 1e-9);
	CHECK_NEAR(error_of_retries(40), 0, 1e-9);
	CHECK_NEAR(error_of_retries(120), 0.12, 1e-6);
	CHECK_NEAR(error_of_retries(600), 0.25, 1e-6);
}

/* Each visit of a point takes `unit_ns` of CPU time. */
static double error_of_passages(const uint64_t visits[2], enum point_kind kind, double unit_ns,
				uint64_t hand_over_ns, uint64_t period_ns)
{
	const struct recording_point point = {.id = 1, .kind = kind};
	struct recording_experiment window = {.run_id = 1,
					      .duration_ns = 1000000,
					      .sampled_ns = 1000 * (uint64_t)unit_ns};
	const struct recording_experiment *items[] = {&window};
	const struct trials trials = {items, 1};
	struct recording recording = {0};

	*array_add(&recording.runs) = (struct recording_run){.id = 1,
							     .period_ns = period_ns,
							     .hand_over_ns = hand_over_ns};
	*array_add(&window.visits) =
		(struct recording_visit){.point_id = 1, .duration_ns = 1000000, .visits = 1000};
	for (unsigned i = 0; i < 2; i++)
		*array_add(&recording.process_visits) =
			(struct recording_process_visits){1, 1, 10 + i, NULL, visits[i]};
	double error = hand_over_error_of(&recording, &trials, &point);
	array_free(&recording.process_visits);
	array_free(&window.visits);
	array_free(&recording.runs);
	return error;
}

static double error_of_units_at(enum point_kind kind, double unit_ns, uint64_t hand_over_ns,
				uint64_t period_ns)
{
	static const uint64_t of_one_process[2] = {100000, 0};
	return error_of_passages(of_one_process, kind, unit_ns, hand_over_ns, period_ns);
}

static double error_of_units(double unit_ns, uint64_t hand_over_ns, uint64_t period_ns)
{
	return error_of_units_at(POINT_THROUGHPUT, unit_ns, hand_over_ns, period_ns);
}

TEST("what samples count is no unit of work")
{
	CHECK_EQUAL(error_of_units_at(POINT_SAMPLED, 90000, 543000, 88000), 0);
	CHECK_NEAR(error_of_units_at(POINT_SAMPLED, 90000, 160000, 88000), 0.25, 1e-6);
}

TEST("half of a gain is unsure where units are short, and tasks meet now and then")
{
	CHECK_NEAR(error_of_units(90000, 543000, 88000), 0.5, 1e-6);
	CHECK_EQUAL(error_of_units(90000, 1000000, 88000), 0);
	CHECK_EQUAL(error_of_units(90000, 0, 88000), 0);
	CHECK_EQUAL(error_of_units(200000, 543000, 88000), 0);
}

TEST("a quarter of a gain is unsure where units are short, an eighth at most where they are long")
{
	CHECK_NEAR(error_of_units(300000, 400000, 250000), 0.25, 1e-9);
	CHECK_NEAR(error_of_units(600000, 400000, 250000), 0.1, 1e-9);
	CHECK_NEAR(error_of_units(600000, 40000, 250000), 0.125, 1e-9);
	CHECK_EQUAL(error_of_units(600000, 510000, 250000), 0);
	CHECK_NEAR(error_of_units_at(POINT_SAMPLED, 300000, 400000, 250000), 0.1, 1e-9);
}

TEST("a point that two processes pass for each unit of work is passed twice in one")
{
	static const uint64_t server_and_client[2] = {81792, 81791}, workers[2] = {81792, 79104};

	CHECK_EQUAL(error_of_passages(server_and_client, POINT_THROUGHPUT, 150000, 543000, 88000),
		    0);
	CHECK_NEAR(error_of_passages(workers, POINT_THROUGHPUT, 150000, 543000, 88000), 0.5, 1e-6);
}

TEST("there is none where hand-overs are rare beside the sampling period, or unknown")
{
	CHECK_EQUAL(error_of(POINT_THROUGHPUT, 320000, 153000), 0);
	CHECK_EQUAL(error_of(POINT_THROUGHPUT, 0, 153000), 0);
	CHECK_EQUAL(error_of(POINT_LATENCY, 240000, 153000), 0);
}

TEST("as a gain may be half of what is told, it may be twice as much")
{
	CHECK_NEAR(hand_over_reach(0, 0.2), 0, 1e-9);
	CHECK_NEAR(hand_over_reach(0.1, 0.2), 0.05, 1e-9);
	CHECK_NEAR(hand_over_reach(0.25, 0.2), 0.2, 1e-9);
	CHECK_NEAR(hand_over_reach(0.5, 0.2), 0.2, 1e-9);
	CHECK_NEAR(hand_over_reach(0.25, -0.2), 0, 1e-9);
}

/* Two cores spin for `spinning` of their time, and else run the target for `own` of it. */
static double error_of_spins(double spinning, double own)
{
	const struct recording_point point = {.id = 1, .kind = POINT_THROUGHPUT};
	const struct recording_experiment window = {.run_id = 1,
						    .duration_ns = 1000000,
						    .sampled_ns = 2000000,
						    .target_ns = (uint64_t)(2000000 *
									    (1 - spinning) * own)};
	const struct recording_experiment *items[] = {&window};
	const struct trials trials = {items, 1};
	struct recording recording = {0};

	*array_add(&recording.runs) =
		(struct recording_run){.id = 1, .period_ns = 80000, .brief_spin_share = spinning};
	double error = hand_over_error_of(&recording, &trials, &point);
	array_free(&recording.runs);
	return error;
}

TEST("where tasks poll more often than they are sampled, no gain is sure")
{
	const struct recording_point point = {.id = 1, .kind = POINT_THROUGHPUT};
	const struct recording_experiment window = {.run_id = 1};
	const struct recording_experiment *items[] = {&window};
	const struct trials trials = {items, 1};
	struct recording recording = {0};

	*array_add(&recording.runs) = (struct recording_run){.id = 1, .poll_ns = 155000};
	CHECK(1.96 * hand_over_error_of(&recording, &trials, &point) > 1);
	recording.runs.items[0].poll_ns = 0;
	CHECK_NEAR(hand_over_error_of(&recording, &trials, &point), 0, 1e-9);
	array_free(&recording.runs);
}

TEST("a unit of two periods or more holds no brief spins")
{
	const struct recording_run run = {.period_ns = 80000, .brief_spin_share = 0.2};

	CHECK(hand_over_spins_briefly(&run, 14000));
	CHECK(!hand_over_spins_briefly(&run, 160000));
	CHECK(!hand_over_spins_briefly(&(struct recording_run){.period_ns = 80000}, 14000));
}

TEST("where threads spin briefly for a tenth of the time, only what nearly all do gains surely")
{
	CHECK(1.96 * error_of_spins(0.2, 0.6) > 1);
	CHECK(1.96 * error_of_spins(0.2, 0.4) > 1);
	CHECK_NEAR(error_of_spins(0.02, 0.4), 0.12, 1e-9);
	CHECK_NEAR(error_of_spins(0.2, 1), 0, 1e-6);
	CHECK(error_of_spins(0.2, 0.97) < 0.1);
}

/* A target with 0.8 of the work, at units of 10.6 us. */
static double error_of_rare(enum point_kind kind, uint64_t hand_over_ns, double speedup)
{
	const struct recording_point point = {.id = 1, .kind = kind};
	struct recording_experiment window = {.run_id = 1,
					      .duration_ns = 1000000,
					      .sampled_ns = 10600000,
					      .target_ns = 8480000};
	const struct recording_experiment *items[] = {&window};
	const struct trials trials = {items, 1};
	struct recording recording = {0};

	*array_add(&recording.runs) =
		(struct recording_run){.id = 1, .period_ns = 70000, .hand_over_ns = hand_over_ns};
	*array_add(&window.visits) =
		(struct recording_visit){.point_id = 1, .duration_ns = 1000000, .visits = 1000};
	struct hand_over_rare rare = hand_over_rare_of(&recording, &trials, &point);
	array_free(&window.visits);
	array_free(&recording.runs);
	return hand_over_rare_error(&rare, speedup);
}

TEST("rare hand-overs count by the work that a speedup leaves between them")
{
	CHECK_NEAR(error_of_rare(POINT_THROUGHPUT, 159000, 0), 0, 1e-9);
	CHECK_NEAR(error_of_rare(POINT_THROUGHPUT, 159000, 0.25), 0, 1e-9);
	CHECK_NEAR(error_of_rare(POINT_THROUGHPUT, 159000, 0.75), 0.25, 1e-9);
	CHECK_NEAR(error_of_rare(POINT_THROUGHPUT, 159000, 1), 0.25, 1e-9);
	/* Rarer ones stay rare; dense ones have their error in any case. */
	CHECK_NEAR(error_of_rare(POINT_THROUGHPUT, 900000, 1), 0, 1e-9);
	CHECK_NEAR(error_of_rare(POINT_THROUGHPUT, 139000, 1), 0, 1e-9);
	CHECK_NEAR(error_of_rare(POINT_SAMPLED, 159000, 1), 0, 1e-9);
	CHECK_NEAR(error_of_rare(POINT_LATENCY, 159000, 1), 0, 1e-9);
}
