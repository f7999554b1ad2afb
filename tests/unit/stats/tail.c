/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of stats/tail.h on simulated windows: spans of which 2 % do an extra piece of work, with
 * credits that are sampled as ticks sample them. Prints coverage and bias.
 */
#include "stats/tail.h"
#include "base/memory.h"
#include "check.h"
#include "stats/random.h"

#include <math.h>
#include <stdbool.h>

#define PERIOD_NS 500000.0
#define MOST_BUCKETS 64

/*
 * A share of the slow spans has its extra time in the target, in intervals; the others elsewhere.
 */
struct machine {
	size_t windows; /* of each speedup */
	unsigned spans; /* in a window */
	double slow_share;
	double base_ns, extra_ns;
	double stretch_ns;
	double target_share;
	double drift; /* standard deviation of a window's speed */
};

static const struct machine usual = {
	.windows = 12,
	.spans = 1000,
	.slow_share = 0.02,
	.base_ns = 300e3,
	.extra_ns = 12e6,
	.stretch_ns = 12e6,
	.target_share = 1,
	.drift = 0.02,
};

struct made {
	struct tail_bucket buckets[MOST_BUCKETS];
	size_t count;
};

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_uniform(random))) * cos(2 * M_PI * random_uniform(random));
}

static unsigned bucket_of(double length_ns)
{
	int exponent;
	double fraction = frexp(length_ns, &exponent);
	return (unsigned)((exponent - 14) * 32 + (int)((fraction - 0.5) * 64)) + 1;
}

static void add(struct made *made, double length_ns, double credit_ns)
{
	unsigned bucket = bucket_of(length_ns);
	size_t i = 0;

	while (i < made->count && made->buckets[i].bucket != bucket)
		i++;
	if (i == made->count) {
		CHECK(i < MOST_BUCKETS);
		made->count++;
		made->buckets[i].bucket = bucket;
	}
	made->buckets[i].spans++;
	made->buckets[i].length_ns += length_ns;
	made->buckets[i].credit_ns += credit_ns;
	made->buckets[i].credit_squares += credit_ns * credit_ns;
	made->buckets[i].credit_cubes += credit_ns * credit_ns * credit_ns;
}

static void finish(struct made *made)
{
	for (size_t i = 0; i < made->count; i++) {
		struct tail_bucket *bucket = &made->buckets[i];
		bucket->weight = bucket->spans;
		if (!bucket->bucket)
			continue;
		bucket->length_ns /= bucket->spans;
		bucket->credit_ns /= bucket->spans;
		bucket->credit_squares /= bucket->spans;
		bucket->credit_cubes /= bucket->spans;
	}
}

/*
 * Ticks come every period, with a random phase; each tick in the target credits speedup x period.
 */
static double sampled_ns(const struct machine *machine, double extra_ns, struct random *random)
{
	double credited = 0, phase = random_uniform(random) * PERIOD_NS;
	double cycle = machine->stretch_ns * 2, at = random_uniform(random) * cycle;
	bool is_whole = machine->stretch_ns >= machine->extra_ns;
	double time = is_whole ? extra_ns : 2 * extra_ns;

	for (double tick = phase; tick < time; tick += PERIOD_NS)
		credited +=
			is_whole || fmod(at + tick, cycle) < machine->stretch_ns ? PERIOD_NS : 0;
	return credited;
}

/* In intervals, as much time again passes elsewhere: an extra takes extra_ns x 2. */
static void make(struct made *made, const struct machine *machine, double speedup,
		 struct random *random)
{
	double speed = 1 + machine->drift * normal(random);
	bool is_whole = machine->stretch_ns >= machine->extra_ns;
	struct tail_bucket *fast = &made->buckets[made->count++]; /* bucket 0 */

	for (unsigned i = 0; i < machine->spans; i++) {
		if (random_uniform(random) >= machine->slow_share) {
			fast->spans++;
			continue;
		}
		double extra = machine->extra_ns * speed;
		double length = machine->base_ns + (is_whole ? extra : 2 * extra);
		bool is_target = random_uniform(random) < machine->target_share;
		double late = (random_uniform(random) - random_uniform(random)) * PERIOD_NS;
		add(made, length + late,
		    is_target ? speedup * sampled_ns(machine, extra, random) : 0);
	}
	finish(made);
}

/* Windows at speedup 0 and at another one. */
static struct tail estimate(const struct machine *machine, double speedup, struct random *random)
{
	size_t count = 2 * machine->windows;
	struct made *made = memory_new(count, sizeof(*made));
	struct tail_window *windows = memory_new(count, sizeof(*windows));

	for (size_t i = 0; i < count; i++) {
		windows[i].speedup = i % 2 ? speedup : 0;
		make(&made[i], machine, windows[i].speedup, random);
		windows[i].buckets = made[i].buckets;
		windows[i].count = made[i].count;
	}
	struct tail tail = tail_estimate(windows, count, PERIOD_NS);
	free(windows);
	free(made);
	return tail;
}

struct score {
	double bias, held, width;
};

static struct score score_of(const char *name, const struct machine *machine, double speedup,
			     double truth, int times)
{
	struct random random = random_seeded(20261122);
	struct score score = {0};

	for (int i = 0; i < times; i++) {
		struct tail tail = estimate(machine, speedup, &random);
		CHECK_EQUAL(tail.status, TAIL_ANSWERED);
		CHECK_EQUAL(tail.count, 1);
		score.bias += (tail.points[0].gain - truth) / times;
		score.held +=
			(double)(tail.points[0].low <= truth && truth <= tail.points[0].high) /
			times;
		score.width += (tail.points[0].high - tail.points[0].low) / times;
		free(tail.points);
	}
	printf("# %s at %.0f %%: truth %.1f %%, bias %+.2f points, width %.1f points, "
	       "held %.0f %%\n",
	       name, 100 * speedup, 100 * truth, 100 * score.bias, 100 * score.width,
	       100 * score.held);
	return score;
}

TEST("a piece of work of the slow spans alone moves the percentile by its share of them")
{
	double share = usual.extra_ns / (usual.extra_ns + usual.base_ns);
	for (double speedup = 0.25; speedup <= 0.75; speedup += 0.25) {
		struct score score = score_of("whole", &usual, speedup, speedup * share, 200);
		CHECK(fabs(score.bias) < 0.006);
		CHECK(score.held >= 0.92);
		CHECK(score.width < 0.1);
	}
}

TEST("sampling noise of credits does not raise the percentile")
{
	struct machine machine = usual;
	machine.stretch_ns = 40e3;
	machine.windows = 24;
	double share = machine.extra_ns / (2 * machine.extra_ns + machine.base_ns);
	struct score score = score_of("intervals", &machine, 0.5, 0.5 * share, 100);
	CHECK(fabs(score.bias) < 0.01);
	CHECK(score.held >= 0.9);
}

TEST("true differences of credit between spans of one length are kept")
{
	struct machine machine = usual;
	machine.slow_share = 0.04;
	machine.target_share = 0.25;
	machine.windows = 24;
	/* 3 % of all stay as long as they are: so does the percentile. */
	struct score score = score_of("a quarter", &machine, 0.5, 0, 100);
	CHECK(fabs(score.bias) < 0.015);
}

TEST("without an effect the percentile stays")
{
	struct machine machine = usual;
	machine.target_share = 0;
	struct score score = score_of("none", &machine, 0.5, 0, 200);
	CHECK(fabs(score.bias) < 0.003);
	CHECK(score.held >= 0.92);
}

TEST("there is no answer from few spans, few windows or short spans")
{
	struct random random = random_seeded(7);
	struct machine few = usual, short_spans = usual, one_window = usual;
	few.spans = 80;
	short_spans.extra_ns = 2e6;
	short_spans.stretch_ns = 2e6;
	one_window.windows = 3;
	CHECK_EQUAL(estimate(&few, 0.5, &random).status, TAIL_FEW_SPANS);
	CHECK_EQUAL(estimate(&short_spans, 0.5, &random).status, TAIL_SHORT);
	CHECK_EQUAL(estimate(&one_window, 0.5, &random).status, TAIL_FEW_SPANS);
	CHECK_EQUAL(tail_estimate(NULL, 0, PERIOD_NS).status, TAIL_NOT_MEASURED);
}

TEST("there is no answer where fewer spans are slow than are above the percentile")
{
	struct random random = random_seeded(8);
	struct machine rare = usual;
	rare.slow_share = 0.005;
	CHECK_EQUAL(estimate(&rare, 0.5, &random).status, TAIL_SHORT);
}

TEST("there is no answer where most spans began before their window")
{
	struct tail_bucket buckets[] = {
		{.spans = 900, .weight = 900},
		{.bucket = 400, .spans = 10, .weight = 40, .length_ns = 40e6},
	};
	struct tail_window windows[8];
	for (int i = 0; i < 8; i++)
		windows[i] = (struct tail_window){.speedup = i % 2 ? 0.5 : 0,
						  .buckets = buckets,
						  .count = 2};
	CHECK_EQUAL(tail_estimate(windows, 8, PERIOD_NS).status, TAIL_LONG);
}

/* Windows at speedup 0 and at another, with so many spans each. */
static struct tail tail_of_few(unsigned controls, double control_spans, unsigned fast,
			       double fast_spans)
{
	struct tail_bucket buckets[] = {
		{.bucket = 400, .spans = control_spans, .weight = control_spans, .length_ns = 40e6},
		{.bucket = 400, .spans = fast_spans, .weight = fast_spans, .length_ns = 40e6},
	};
	struct tail_window windows[32];
	for (unsigned i = 0; i < controls + fast; i++)
		windows[i] = (struct tail_window){.speedup = i < controls ? 0 : 0.5,
						  .buckets = &buckets[i >= controls],
						  .count = 1};
	return tail_estimate(windows, controls + fast, PERIOD_NS);
}

TEST("with too few spans, the factor by which they must grow is estimated")
{
	struct tail few_controls = tail_of_few(10, 20, 10, 500);
	CHECK_EQUAL(few_controls.status, TAIL_FEW_SPANS);
	CHECK_NEAR(few_controls.needed_factor, 5, 1e-9);
	struct tail few_fast = tail_of_few(10, 500, 8, 50);
	CHECK_EQUAL(few_fast.status, TAIL_FEW_AT_SPEEDUP);
	CHECK_NEAR(few_fast.needed_factor, 2.5, 1e-9);
	struct tail two_windows = tail_of_few(10, 500, 2, 1000);
	CHECK_EQUAL(two_windows.status, TAIL_FEW_AT_SPEEDUP);
	CHECK_NEAR(two_windows.needed_factor, 2, 1e-9);
	struct tail enough = tail_of_few(10, 500, 10, 500);
	CHECK_EQUAL(enough.status, TAIL_ANSWERED);
	CHECK_NEAR(enough.needed_factor, 0, 1e-9);
	free(enough.points);
}
