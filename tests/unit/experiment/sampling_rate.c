/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling_rate - programs whose tasks hand over often are sampled more densely. */
#include "check.h"

#include "experiment/sampling_rate.h"

#include <stdbool.h>
#include <stdlib.h>

#define USUAL 500000
#define SHORTEST 150000

/* Many windows like this one. */
static void follow(struct sampling_rate *sampling_rate, struct sampling_rate_window window)
{
	for (int i = 0; i < 50; i++)
		sampling_rate_update(sampling_rate, &window);
}

static uint64_t period_of(uint64_t busy_ns, uint64_t hand_overs)
{
	struct sampling_rate sampling_rate = {0};

	follow(&sampling_rate,
	       (struct sampling_rate_window){.busy_ns = busy_ns, .hand_overs = hand_overs});
	return sampling_rate_period_ns(&sampling_rate, 0, USUAL, SHORTEST);
}

TEST("no hand-overs: the usual period")
{
	CHECK_EQUAL(period_of(100000000, 0), USUAL);
	CHECK_EQUAL(period_of(100000000, 1), USUAL);
}

TEST("the first windows are sampled densely, as nothing is known yet")
{
	struct sampling_rate sampling_rate = {0};

	for (int i = 0; i < SAMPLING_RATE_FIRST; i++) {
		CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0, USUAL, SHORTEST),
			    (uint64_t)SAMPLING_RATE_TIMED_NS);
		CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0, 200000, SHORTEST), 200000);
		sampling_rate_update(&sampling_rate,
				     &(struct sampling_rate_window){.busy_ns = 100000000});
	}
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0, USUAL, SHORTEST), USUAL);
}

TEST("the first window of each kind is sampled more densely: a lock may be contended at it")
{
	struct sampling_rate sampling_rate = {0};

	follow(&sampling_rate, (struct sampling_rate_window){.busy_ns = 100000000});
	follow(&sampling_rate, (struct sampling_rate_window){.speedup = 0.2, .busy_ns = 100000000});
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0, USUAL, 50000), USUAL);
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0.25, USUAL, 50000), USUAL);
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0.3, USUAL, 50000),
		    (uint64_t)SAMPLING_RATE_UNKNOWN_NS);
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 1, USUAL, 150000), 150000);
}

TEST("waits that a timer ends count as hand-overs, down to a limit")
{
	struct sampling_rate rare = {0}, frequent = {0}, both = {0};

	follow(&rare, (struct sampling_rate_window){.busy_ns = 100000000, .timed_waits = 40});
	follow(&frequent, (struct sampling_rate_window){.busy_ns = 100000000, .timed_waits = 400});
	follow(&both, (struct sampling_rate_window){.busy_ns = 100000000,
						    .hand_overs = 62,
						    .timed_waits = 400});
	CHECK_EQUAL(sampling_rate_period_ns(&rare, 0, USUAL, SHORTEST), 312500);
	CHECK_EQUAL(sampling_rate_period_ns(&frequent, 0, USUAL, SHORTEST),
		    (uint64_t)SAMPLING_RATE_TIMED_NS);
	CHECK_EQUAL(sampling_rate_period_ns(&both, 0, USUAL, SHORTEST), 201612);
}

TEST("where tasks go on after short naps, half of a nap at most")
{
	struct sampling_rate rare = {0}, often = {0};

	follow(&rare, (struct sampling_rate_window){.busy_ns = 100000000,
						    .short_naps = 6,
						    .short_naps_ns = 930000});
	follow(&often, (struct sampling_rate_window){.busy_ns = 100000000,
						     .short_naps = 10,
						     .short_naps_ns = 3100000});
	CHECK_EQUAL(sampling_rate_period_ns(&rare, 0, USUAL, SHORTEST), USUAL);
	CHECK_NEAR(sampling_rate_period_ns(&often, 0, USUAL, SHORTEST), 155000, 1);
}

/* Naps in the same CPU time without a speedup, and with one. */
static uint64_t poll_of(uint64_t without, uint64_t with, uint64_t period_ns)
{
	struct sampling_rate sampling_rate = {0};
	struct sampling_rate_window plain = {.busy_ns = 1000000000,
					     .short_naps = without,
					     .short_naps_ns = without * 155000};
	struct sampling_rate_window sped_up = {.speedup = 0.5,
					       .busy_ns = 1000000000,
					       .short_naps = with,
					       .short_naps_ns = with * 155000};

	sampling_rate_update(&sampling_rate, &plain);
	sampling_rate_update(&sampling_rate, &sped_up);
	char *warning = sampling_rate_poll_warning(&sampling_rate, period_ns);
	uint64_t poll_ns = sampling_rate_poll_ns(&sampling_rate, period_ns);
	CHECK_EQUAL(warning != NULL, poll_ns > 0);
	free(warning);
	return poll_ns;
}

TEST("tasks poll if a speedup changes how often they nap, and are sampled too rarely for that")
{
	CHECK_EQUAL(poll_of(400, 800, 280000), 155000);
	CHECK_EQUAL(poll_of(800, 400, 280000), 155000);
	CHECK_EQUAL(poll_of(800, 800, 280000), 0); /* a pace */
	CHECK_EQUAL(poll_of(800, 700, 280000), 0);
	CHECK_EQUAL(poll_of(20, 30, 280000), 0); /* chance, and rare */
	CHECK_EQUAL(poll_of(400, 800, 80000), 0);
}

TEST("a share of the time between hand-overs, within the limits")
{
	CHECK_EQUAL(period_of(100000000, 50), 250000);
	CHECK_EQUAL(period_of(100000000, 100), SHORTEST);
	CHECK_EQUAL(period_of(100000000, 100000), SHORTEST);
	CHECK_EQUAL(period_of(0, 100), SHORTEST);
}

TEST("a shortest period above the usual one is none")
{
	struct sampling_rate sampling_rate = {0};

	follow(&sampling_rate,
	       (struct sampling_rate_window){.busy_ns = 100000000, .hand_overs = 100});
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0, USUAL, 2 * USUAL), USUAL);
}

TEST("a lock that is contended at one speedup only decides, whatever the other windows tell")
{
	struct sampling_rate sampling_rate = {0};

	follow(&sampling_rate,
	       (struct sampling_rate_window){.speedup = 1, .busy_ns = 100000000, .hand_overs = 50});
	follow(&sampling_rate, (struct sampling_rate_window){.busy_ns = 100000000});
	follow(&sampling_rate,
	       (struct sampling_rate_window){.speedup = 0.25, .busy_ns = 100000000});
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0, USUAL, SHORTEST), 250000);
}

TEST("what a speedup takes off the target is not between two hand-overs")
{
	struct sampling_rate sampling_rate = {0};

	follow(&sampling_rate, (struct sampling_rate_window){.speedup = 0.5,
							     .busy_ns = 100000000,
							     .target_ns = 80000000,
							     .hand_overs = 25});
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0, USUAL, SHORTEST), 300000);
}

TEST("a program that changes its ways is soon followed")
{
	struct sampling_rate sampling_rate = {0};
	struct sampling_rate_window quiet = {.busy_ns = 100000000};

	follow(&sampling_rate,
	       (struct sampling_rate_window){.busy_ns = 100000000, .hand_overs = 100});
	for (int i = 0; i < 20; i++)
		sampling_rate_update(&sampling_rate, &quiet);
	CHECK_EQUAL(sampling_rate_period_ns(&sampling_rate, 0, USUAL, SHORTEST), USUAL);
}

/* Half of it each time. */
static bool warns(uint64_t busy_ns, uint64_t hand_overs, uint64_t period_ns)
{
	struct sampling_rate sampling_rate = {0};
	struct sampling_rate_window window = {.busy_ns = busy_ns / 2, .hand_overs = hand_overs / 2};
	for (int i = 0; i < 2; i++)
		sampling_rate_update(&sampling_rate, &window);
	char *warning = sampling_rate_warning(&sampling_rate, period_ns);
	bool is_given = warning;

	free(warning);
	return is_given;
}

TEST("hand-overs that come about as often as samples are warned of, few are not")
{
	CHECK(warns(1000000000, 10000, 60000));
	CHECK(!warns(1000000000, 10000, 40000));
	CHECK(!warns(1000000, 10, 60000));
	CHECK(!warns(0, 0, 60000));
}

/* `next` and `second` of 1,000 spins that are expected. */
static double brief_spins(double next, double second, bool is_known)
{
	struct sampling_rate sampling_rate = {0};

	follow(&sampling_rate, (struct sampling_rate_window){.busy_ns = 1000000,
							     .spins = {.seen = {next, second},
								       .expected = {1000, 1000},
								       .all_ns = 200000,
								       .is_known = is_known}});
	return sampling_rate_brief_spin_share(&sampling_rate);
}

TEST("spins are brief if one says nothing of the next; other programs make them longer")
{
	CHECK_NEAR(brief_spins(1050, 990, true), 0.2, 1e-9);
	CHECK_NEAR(brief_spins(3000, 2500, true), 0, 1e-9);
	CHECK_NEAR(brief_spins(400, 1000, true), 0, 1e-9);
	CHECK_NEAR(brief_spins(1000, 300, true), 0, 1e-9);
	CHECK_NEAR(brief_spins(1050, 990, false), 0, 1e-9);
}

TEST("a server that only rests is sampled as seldom as ticks ask for, and as often as it was told")
{
	CHECK_EQUAL(sampling_rate_resting_ns(50000, 700000, 330000), 5000000);
	CHECK_EQUAL(sampling_rate_resting_ns(10000, 500000, 80000), 1000000);
	CHECK_EQUAL(sampling_rate_resting_ns(1000, 700000, 80000), 700000);
	CHECK_EQUAL(sampling_rate_resting_ns(900000, 700000, 80000), 10000000);
	CHECK_EQUAL(sampling_rate_resting_ns(50000, 2000000, 2000000), 2000000); /* --period 2ms */
}
