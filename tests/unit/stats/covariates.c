/* SPDX-License-Identifier: BSD-2-Clause */
/* covariates - on simulated machines whose cores change their speed, beside other programs. */
#include "stats/covariates.h"

#include "check.h"
#include "stats/random.h"

#include <math.h>

#define MOST 400
#define RUNS 300

struct machine {
	double slowness;  /* standard deviation of a step of the cores' speed, as a logarithm */
	double displaced; /* mean share that other programs take in half of the windows */
	double noise;
	double gain;      /* at speedup 1 */
	double work;      /* by which the work of a visit differs at speedup 1, for good */
	double leap;      /* likewise, at speedup 1 alone */
	double in_target; /* part of the time in which the target runs */
	double waits;     /* standard deviation of what a visit waits, as a logarithm; 0: never */
	size_t windows;
};

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_uniform(random))) * cos(2 * M_PI * random_uniform(random));
}

static size_t simulate(const struct machine *machine, struct random *random,
		       struct effect_window *windows)
{
	double level = 0;

	for (size_t i = 0; i < machine->windows; i++) {
		double speedup = i % 2 ? 0.25 * (1 + (double)random_below(random, 4)) : 0;
		level = 0.9 * level + machine->slowness * normal(random);
		/* Of the effective time: the larger, the more of the window is paused. */
		double displaced = random_below(random, 2) ?
					   0 :
					   -machine->displaced * log(1 - random_uniform(random)) /
						   (1 - machine->gain * speedup);
		displaced = fmin(displaced, 0.8);
		windows[i] = (struct effect_window){
			.time_ns = 1000000000 + i * 100000000,
			.speedup = speedup,
			.period_ns = 1e6 * (1 - machine->gain * speedup) *
				     exp(level + machine->noise * normal(random)) /
				     (1 - 0.8 * displaced),
			.work_ns = 2e6 * exp(level + machine->work * speedup +
					     (speedup > 0.9 ? machine->leap : 0) +
					     0.5 * machine->noise * normal(random)),
			.displaced = displaced,
			.in_target = machine->in_target > 0 ? machine->in_target : 1,
		};
		if (!(machine->waits > 0))
			continue;
		windows[i].cpu_ns = windows[i].work_ns;
		windows[i].work_ns += 1e6 * exp(machine->waits * normal(random));
	}
	return machine->windows;
}

static struct covariates fit(const struct effect_window *windows, size_t count)
{
	struct covariate_pairs pairs = {0};

	covariate_pairs_add(&pairs, windows, count);
	struct covariates covariates = covariates_fit(&pairs);
	array_free(&pairs.items);
	return covariates;
}

/* Over many runs: how many points hold the truth, and the mean half interval, of each estimate. */
struct outcome {
	double held, half, plain_half, work, displaced;
};

static struct outcome outcome_of(const struct machine *machine)
{
	static struct effect_window windows[MOST];
	struct random random = random_seeded(7);
	struct outcome outcome = {0};
	double points_seen = 0;

	for (int run = 0; run < RUNS; run++) {
		struct effect_point points[8], plain[8];
		size_t count = simulate(machine, &random, windows);
		struct covariates covariates = fit(windows, count);
		size_t found = covariates_estimate(&covariates, windows, count, points, 8);
		effect_estimate(windows, count, plain, 8);
		outcome.work += covariates.work / RUNS;
		outcome.displaced += covariates.displaced / RUNS;
		for (size_t i = 1; i < found; i++) {
			double truth = machine->gain * points[i].speedup;
			outcome.held += truth >= points[i].low && truth <= points[i].high;
			outcome.half += (points[i].high - points[i].low) / 2;
			outcome.plain_half += (plain[i].high - plain[i].low) / 2;
			points_seen++;
		}
	}
	outcome.held /= points_seen;
	outcome.half /= points_seen;
	outcome.plain_half /= points_seen;
	return outcome;
}

TEST("where cores change their speed, the work of a visit tells, and intervals are narrower")
{
	struct outcome outcome = outcome_of(
		&(struct machine){.slowness = 0.04, .noise = 0.01, .gain = 0.3, .windows = 200});

	printf("# work %.2f, half %.4f of %.4f, held %.3f\n", outcome.work, outcome.half,
	       outcome.plain_half, outcome.held);
	CHECK_NEAR(outcome.work, 1, 0.15);
	CHECK(outcome.half < 0.75 * outcome.plain_half);
	CHECK(outcome.held > 0.93);
}

TEST("beside other programs displaced time tells")
{
	struct outcome outcome = outcome_of(
		&(struct machine){.displaced = 0.02, .noise = 0.005, .gain = 0.3, .windows = 200});

	printf("# displaced %.2f, half %.4f of %.4f, held %.3f\n", outcome.displaced, outcome.half,
	       outcome.plain_half, outcome.held);
	CHECK_NEAR(outcome.displaced, 0.8, 0.15);
	CHECK(outcome.half < 0.9 * outcome.plain_half);
	CHECK(outcome.held > 0.93);
}

TEST("beside programs that take a third of the time, gains are those of an undisturbed program")
{
	static struct effect_window windows[MOST];
	const struct machine machine = {.displaced = 0.3,
					.noise = 0.005,
					.gain = 0.7,
					.windows = 200};
	struct random random = random_seeded(11);
	struct effect_point points[8];
	size_t count = simulate(&machine, &random, windows);
	struct covariates covariates = fit(windows, count);
	size_t found = covariates_estimate(&covariates, windows, count, points, 8);

	CHECK_EQUAL(found, 5);
	CHECK_NEAR(covariates.displaced, 0.8, 0.03);
	for (size_t i = 1; i < found; i++)
		CHECK_NEAR(points[i].gain, machine.gain * points[i].speedup, 0.03);
}

TEST("work that differs at a speedup for good is not taken for a slow core")
{
	static const double changes[] = {-0.2, -0.05, -0.02, -0.01, 0.03, 0.1};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct outcome outcome = outcome_of(&(struct machine){.slowness = 0.04,
								      .noise = 0.01,
								      .gain = 0.3,
								      .work = changes[i],
								      .windows = 100});
		printf("# work %+.2f: half %.4f of %.4f, held %.3f\n", changes[i], outcome.half,
		       outcome.plain_half, outcome.held);
		CHECK(outcome.held > 0.93);
	}
}

TEST("nor is work that differs at the largest speedup alone")
{
	static const double leaps[] = {-0.15, -0.05, 0.03, 0.1, 0.3};

	for (size_t i = 0; i < sizeof(leaps) / sizeof(leaps[0]); i++) {
		struct outcome outcome = outcome_of(&(struct machine){.slowness = 0.04,
								      .noise = 0.01,
								      .gain = 0.3,
								      .leap = leaps[i],
								      .windows = 100});
		printf("# leap %+.2f: half %.4f of %.4f, held %.3f\n", leaps[i], outcome.half,
		       outcome.plain_half, outcome.held);
		CHECK(outcome.held > 0.93);
	}
}

TEST("code in which little time passes cannot change the work of a visit by much")
{
	struct machine machine = {
		.slowness = 0.08, .noise = 0.01, .gain = 0.05, .in_target = 1, .windows = 40};
	struct outcome all = outcome_of(&machine);
	machine.in_target = 0.05;
	struct outcome little = outcome_of(&machine);

	printf("# half %.4f where it runs all the time, %.4f for a twentieth, held %.3f\n",
	       all.half, little.half, little.held);
	CHECK(little.half < 0.9 * all.half);
	CHECK(little.held > 0.93);
}

TEST("waits that tell nothing of the cores' speed are no work")
{
	struct machine machine = {
		.slowness = 0.04, .noise = 0.01, .gain = 0.3, .waits = 0.3, .windows = 200};
	struct outcome outcome = outcome_of(&machine);

	printf("# work %.2f, half %.4f of %.4f, held %.3f\n", outcome.work, outcome.half,
	       outcome.plain_half, outcome.held);
	CHECK_NEAR(outcome.work, 1, 0.15);
	CHECK(outcome.half < 0.75 * outcome.plain_half);
	CHECK(outcome.held > 0.93);
}

TEST("the scatter of controls is told with and without what both explain")
{
	static struct effect_window windows[MOST];
	const struct machine machine = {.slowness = 0.04, .noise = 0.01, .windows = MOST};
	struct random random = random_seeded(7);
	struct covariates covariates = fit(windows, simulate(&machine, &random, windows));

	CHECK(covariates.scatter > 0.03);
	CHECK_NEAR(covariates.left, 0.01, 0.004);
}

TEST("a few controls tell nothing, and periods stay as they are")
{
	struct effect_window windows[12];
	struct effect_point points[8], plain[8];
	struct random random = random_seeded(3);
	const struct machine machine = {.noise = 0.01, .gain = 0.3, .windows = 12};
	size_t count = simulate(&machine, &random, windows);
	struct covariates covariates = fit(windows, count);

	CHECK(covariates.work == 0 && covariates.displaced == 0);
	CHECK_EQUAL(covariates_estimate(&covariates, windows, count, points, 8),
		    effect_estimate(windows, count, plain, 8));
	CHECK_NEAR(points[1].gain, plain[1].gain, 1e-12);
	CHECK_NEAR(points[1].error, plain[1].error, 1e-12);
}
