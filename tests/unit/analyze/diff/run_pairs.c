/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of analyze/diff/run_pairs.h on simulated run times. */
#include "analyze/diff/run_pairs.h"
#include "check.h"
#include "stats/random.h"

#include <math.h>

/* Run times with a drift, noise, and an effect of being the second of a pair. */
struct machine {
	struct random random;
	double drift, noise, second, change;
	size_t runs;
};

static double run_time(struct machine *machine, enum run_side side)
{
	double time = 1 + machine->drift * (double)machine->runs;

	time *= 1 + machine->noise * (random_uniform(&machine->random) - 0.5);
	if (machine->runs++ % 2)
		time *= 1 + machine->second;
	return side == RUN_AFTER ? time * (1 + machine->change) : time;
}

static struct run_pairs_result compare(struct machine machine, struct run_pairs_plan plan)
{
	struct run_pairs *run_pairs = run_pairs_new(&plan);

	while (!run_pairs_is_done(run_pairs)) {
		double time = run_time(&machine, run_pairs_next(run_pairs));
		run_pairs_add(run_pairs, time, time);
	}
	struct run_pairs_result result = run_pairs_result(run_pairs);
	run_pairs_free(run_pairs);
	return result;
}

static struct machine machine_of(uint64_t seed, double change)
{
	return (struct machine){.random = random_seeded(seed), .noise = 0.02, .change = change};
}

TEST("a linear drift and the effect of order cancel exactly")
{
	struct machine machine = {.random = random_seeded(1), .drift = 0.001, .second = 0.05};
	struct run_pairs_plan plan = {.pairs = 40, .gate = RUN_PAIRS_NO_GATE, .needs_all = true};
	struct run_pairs_result result = compare(machine, plan);

	CHECK_NEAR(result.ratio, 1, 1e-5);
	CHECK_EQUAL(result.pairs, 40);
	CHECK_NEAR(result.position, 1.05, 0.002);
}

/* Of `count` comparisons on a machine whose speed wanders, as one that is shared does. */
static unsigned count_called(unsigned count, double change)
{
	unsigned called = 0;

	for (unsigned i = 0; i < count; i++) {
		struct run_pairs_plan plan = {.pairs = 28, .gate = RUN_PAIRS_NO_GATE, .seed = i};
		struct run_pairs *run_pairs = run_pairs_new(&plan);
		struct random random = random_seeded(1000 + i);
		double drift = 0;
		while (!run_pairs_is_done(run_pairs)) {
			drift = 0.7 * drift + 0.02 * (random_uniform(&random) - 0.5);
			double time = 1 + drift + 0.01 * random_uniform(&random);
			if (run_pairs_next(run_pairs) == RUN_AFTER)
				time *= 1 + change;
			run_pairs_add(run_pairs, time, time);
		}
		struct run_pairs_result result = run_pairs_result(run_pairs);
		called += result.low > 1 || result.high < 1;
		run_pairs_free(run_pairs);
	}
	return called;
}

TEST("of a hundred unchanged programs two or three are called changed, and a change is found")
{
	unsigned called = count_called(600, 0);

	CHECK(called >= 6 && called <= 21);
	CHECK(count_called(100, 0.02) >= 90);
}

TEST("a clear change ends the runs early")
{
	struct run_pairs_plan plan = {.pairs = 1000, .gate = RUN_PAIRS_NO_GATE, .seed = 5};
	struct run_pairs_result result = compare(machine_of(2, 0.1), plan);

	CHECK_EQUAL(result.verdict, RUN_SLOWER);
	CHECK(result.is_early && result.pairs < 100);
	CHECK(result.low > 1 && result.low < 1.1 && result.high > 1.1);
	CHECK(result.p < 0.05);
}

TEST("a change below the smallest that matters ends the runs without a call")
{
	struct run_pairs_plan plan = {.pairs = 5000,
				      .gate = RUN_PAIRS_NO_GATE,
				      .smallest = 0.005,
				      .seed = 5};
	struct run_pairs_result result = compare(machine_of(3, 0), plan);

	CHECK_EQUAL(result.verdict, RUN_NO_CHANGE);
	CHECK(result.is_early && result.low > 0.995 && result.high < 1.005);
}

TEST("the gate fails, passes, or says that the data do not tell")
{
	struct run_pairs_plan plan = {.pairs = 400, .gate = 0.03, .seed = 6};

	CHECK_EQUAL(compare(machine_of(4, 0.06), plan).gate, GATE_FAILED);
	CHECK_EQUAL(compare(machine_of(4, 0.01), plan).gate, GATE_PASSED);
	CHECK_EQUAL(compare(machine_of(4, -0.1), plan).gate, GATE_PASSED);
	plan.pairs = 4;
	CHECK_EQUAL(compare(machine_of(4, 0.06), plan).gate, GATE_UNSURE);
	plan.gate = RUN_PAIRS_NO_GATE;
	CHECK_EQUAL(compare(machine_of(4, 0.06), plan).gate, GATE_NONE);
}

TEST("time limits the runs, and twos are used where few are planned")
{
	struct run_pairs_plan plan = {.pairs = 100000, .seconds = 50, .gate = RUN_PAIRS_NO_GATE};
	struct run_pairs_result result = compare(machine_of(5, 0), plan);

	CHECK(result.pairs >= 23 && result.pairs <= 25);
	plan.pairs = 9;
	CHECK_EQUAL(compare(machine_of(5, 0.5), plan).pairs, 7);
}

TEST("where there is time for few pairs the runs come in twos")
{
	struct run_pairs_plan plan = {.pairs = 100000, .seconds = 24, .gate = RUN_PAIRS_NO_GATE};
	struct run_pairs *run_pairs = run_pairs_new(&plan);

	run_pairs_expect(run_pairs, 2.4);
	while (!run_pairs_is_done(run_pairs))
		run_pairs_add(run_pairs, run_pairs_next(run_pairs) == RUN_AFTER ? 1.1 : 1.3, 1.2);
	CHECK_EQUAL(run_pairs_result(run_pairs).verdict, RUN_FASTER);
	run_pairs_free(run_pairs);
}

TEST("stopping before a unit has ended gives a result without data")
{
	struct run_pairs_plan plan = {.pairs = 100, .gate = RUN_PAIRS_NO_GATE};
	struct run_pairs *run_pairs = run_pairs_new(&plan);

	run_pairs_add(run_pairs, 1, 1);
	run_pairs_stop(run_pairs);
	struct run_pairs_result result = run_pairs_result(run_pairs);
	CHECK(run_pairs_is_done(run_pairs));
	CHECK_EQUAL(result.pairs, 0);
	CHECK_EQUAL(result.verdict, RUN_UNSURE);
	run_pairs_free(run_pairs);
}

TEST("the runs of a layout are one unit")
{
	struct run_pairs_plan plan = {.pairs = 64,
				      .layouts = 8,
				      .gate = RUN_PAIRS_NO_GATE,
				      .needs_all = true};
	struct run_pairs *run_pairs = run_pairs_new(&plan);

	for (size_t i = 0; i < 128; i++) {
		CHECK_EQUAL(run_pairs_unit(run_pairs), i / 16);
		run_pairs_add(run_pairs, 1, 1);
	}
	CHECK(run_pairs_is_done(run_pairs));
	run_pairs_free(run_pairs);
}
