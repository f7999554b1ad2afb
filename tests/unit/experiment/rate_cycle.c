/* SPDX-License-Identifier: BSD-2-Clause */
/* rate_cycle - cycles are found, and not in noise; windows from rise to rise hold whole cycles. */
#include "check.h"

#include "experiment/rate_cycle.h"
#include "stats/random.h"

#include <math.h>

#define STEP_NS 10e6
#define WINDOW_STEPS 9 /* of a control, before a break */
#define PROGRAMS 100

enum shape { CYCLE, UNEVEN, NOISE, STEADY };

struct program {
	enum shape shape;
	double length_ns, busy; /* of a cycle; its part with the high rate */
	double at_ns, next_ns;  /* within the cycle; its own length */
	struct random random;
};

static struct program program_of(enum shape shape, double length_ns, double busy, uint64_t seed)
{
	struct program program = {shape, length_ns, busy, 0, length_ns, random_seeded(seed)};

	program.at_ns = random_uniform(&program.random) * length_ns;
	return program;
}

/* Visits of the next step: 2 or 0.4 a millisecond, 1 without cycles. */
static double step_of(struct program *program)
{
	double noise = random_uniform(&program->random) + random_uniform(&program->random) - 1;
	bool is_busy = program->at_ns < program->busy * program->next_ns;
	bool has_cycle = program->shape == CYCLE || program->shape == UNEVEN;
	double rate = has_cycle ? (is_busy ? 2 : 0.4) : 1;

	program->at_ns += STEP_NS;
	if (program->at_ns >= program->next_ns) {
		program->at_ns -= program->next_ns;
		program->next_ns = program->length_ns;
		if (program->shape == UNEVEN)
			program->next_ns *= 0.6 + 0.8 * random_uniform(&program->random);
	}
	return rate * STEP_NS / 1e6 * (1 + (program->shape == STEADY ? 0.1 : 0.6) * noise);
}

/* `windows` controls, with about as much time between them. */
static void learn(struct rate_cycle *cycle, struct program *program, unsigned windows)
{
	for (unsigned i = 0; i < windows; i++) {
		unsigned others = 5 + (unsigned)(9 * random_uniform(&program->random));
		for (unsigned step = 0; step < WINDOW_STEPS; step++)
			rate_cycle_learn(cycle, STEP_NS, step_of(program));
		for (unsigned step = 0; step < others; step++)
			(void)step_of(program);
		rate_cycle_break(cycle);
	}
}

/* Of so many programs, those that have a cycle after so many controls, surely or likely. */
static unsigned told(bool (*is_told)(const struct rate_cycle *cycle), enum shape shape,
		     double length_ns, double busy, unsigned windows)
{
	unsigned number = 0;

	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct program program = program_of(shape, length_ns, busy, i + 1);
		struct rate_cycle cycle = {0};
		learn(&cycle, &program, windows);
		number += is_told(&cycle);
	}
	return number;
}

static unsigned found(enum shape shape, double length_ns, double busy, unsigned windows)
{
	return told(rate_cycle_is_found, shape, length_ns, busy, windows);
}

static unsigned likely(enum shape shape, double length_ns, double busy, unsigned windows)
{
	return told(rate_cycle_is_likely, shape, length_ns, busy, windows);
}

TEST("cycles are likely after four controls; of noise a part is, of a steady rate nothing")
{
	CHECK(likely(CYCLE, 300e6, 0.5, 4) >= 90);
	CHECK(likely(UNEVEN, 300e6, 0.3, 4) >= 80);
	CHECK(likely(NOISE, 300e6, 0.5, 4) <= 40);
	CHECK_EQUAL(likely(STEADY, 300e6, 0.5, 4), 0);
}

TEST("cycles of one to eight windows are found within 120 controls")
{
	CHECK(found(CYCLE, 150e6, 0.5, 40) >= 95);
	CHECK(found(CYCLE, 300e6, 0.5, 40) >= 95);
	CHECK(found(UNEVEN, 300e6, 0.3, 40) >= 95);
	CHECK(found(CYCLE, 550e6, 0.2, 120) >= 95);
	CHECK(found(UNEVEN, 700e6, 0.5, 120) >= 95);
}

TEST("noise and a steady rate are no cycle")
{
	CHECK_EQUAL(found(NOISE, 300e6, 0.5, 30), 0);
	CHECK_EQUAL(found(NOISE, 300e6, 0.5, 300), 0);
	CHECK_EQUAL(found(STEADY, 300e6, 0.5, 300), 0);
}

TEST("one change of a noisy rate is a phase, no cycle; cycles behind it are found")
{
	unsigned phases = 0, cycles = 0;

	for (unsigned i = 0; i < PROGRAMS; i++) {
		struct program noise = program_of(NOISE, 300e6, 0.5, i + 1);
		struct program batches = program_of(CYCLE, 300e6, 0.5, i + 1);
		struct rate_cycle with_phase = {0}, with_cycles = {0};
		for (unsigned window = 0; window < 80; window++) {
			for (unsigned step = 0; step < WINDOW_STEPS; step++)
				rate_cycle_learn(&with_phase, STEP_NS,
						 step_of(&noise) * (window < 5 + i / 2 ? 2 : 1));
			rate_cycle_break(&with_phase);
		}
		phases += rate_cycle_is_found(&with_phase);
		learn(&with_cycles, &noise, 30);
		learn(&with_cycles, &batches, 40);
		cycles += rate_cycle_is_found(&with_cycles);
	}
	CHECK_EQUAL(phases, 0);
	CHECK(cycles >= 95);
}

TEST("a program that stands still has no cycle")
{
	struct rate_cycle cycle = {0};

	for (unsigned i = 0; i < 1000; i++)
		rate_cycle_learn(&cycle, STEP_NS, 0);
	CHECK(!rate_cycle_is_found(&cycle));
	CHECK(isinf(rate_cycle_length_ns(&cycle)));
	CHECK(!rate_cycle_follow(&cycle, 1e9, 0));
}

TEST("the length of a cycle is known to a quarter")
{
	struct program program = program_of(CYCLE, 300e6, 0.5, 3);
	struct rate_cycle cycle = {0};

	learn(&cycle, &program, 100);
	CHECK(fabs(rate_cycle_length_ns(&cycle) / 300e6 - 1) < 0.25);
}

/* The mean and the relative deviation of the time of a visit in windows of 80 ms and more. */
static double period_of(struct rate_cycle *cycle, struct program *program, double *deviation)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < 200; i++) {
		double ns = 0, visits = 0;
		bool has_risen = false;
		while (ns < 80e6 || !has_risen) {
			double step = step_of(program);
			ns += STEP_NS;
			visits += step;
			has_risen = rate_cycle_follow(cycle, STEP_NS, step);
		}
		sum += ns / visits;
		squares += ns / visits * (ns / visits);
	}
	*deviation = sqrt(squares / 200 - sum / 200 * (sum / 200)) / (sum / 200);
	return sum / 200;
}

TEST("windows from rise to rise hold whole cycles: they tell the mean rate, and differ little")
{
	struct program program = program_of(CYCLE, 300e6, 0.5, 5);
	struct rate_cycle cycle = {0};
	double deviation;

	learn(&cycle, &program, 30);
	double period_ns = period_of(&cycle, &program, &deviation);
	CHECK(fabs(period_ns / (1e6 / 1.2) - 1) < 0.02);
	CHECK(deviation < 0.08);
}
