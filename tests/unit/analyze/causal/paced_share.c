/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paced_share - over simulated machines that drift and programs with phases, a program that sets
 * its own pace is hardly ever called externally paced, and one that is is found.
 */
#include "check.h"

#include "analyze/causal/external_pacing.h"
#include "analyze/causal/paced_share.h"
#include "stats/random.h"

#include <math.h>

#define PAUSED 0.25
#define WINDOWS_MOST 128
#define WINDOW_NS 80000000u
#define BLOCK 7 /* windows of the external target that follow each other */
#define BLOCKS_APART_NS 5000000000u
#define REPEATS 2000

struct machine {
	double noise;  /* of a window's logarithm */
	double drift;  /* of the baseline, from one window to the next */
	double jumps;  /* part of the windows in which a phase of another speed begins */
	double relief; /* standard deviation, over programs, of the speed that pauses add */
	bool is_heavy_tailed;
};

static double normal(struct random *generator)
{
	double radius = sqrt(-2 * log(1 - random_uniform(generator)));
	return radius * cos(2 * M_PI * random_uniform(generator));
}

static double noise_of(const struct machine *machine, struct random *generator)
{
	double value = normal(generator);
	if (!machine->is_heavy_tailed)
		return value;
	double a = normal(generator), b = normal(generator), c = normal(generator);
	return value / sqrt(a * a + b * b + c * c);
}

/* `blocks` blocks of windows of a program of which `share` is paced by the wall clock. */
static size_t windows_of(const struct machine *machine, double share, size_t blocks,
			 struct random *generator, struct paced_window *windows)
{
	double level = 0, relief = machine->relief * normal(generator);

	for (size_t i = 0; i < blocks * BLOCK; i++) {
		bool is_paused = i % BLOCK % 2;
		double kept = is_paused ? 1 - PAUSED : 1;
		level += machine->drift * normal(generator);
		if (random_uniform(generator) < machine->jumps)
			level = random_uniform(generator) - 0.5;
		double own = (1 - share) * exp(level) * (1 + relief * is_paused) * kept;
		windows[i] = (struct paced_window){
			.start_ns = i / BLOCK * BLOCKS_APART_NS + i % BLOCK * WINDOW_NS,
			.duration_ns = WINDOW_NS,
			.rate = (share + own) * exp(machine->noise * noise_of(machine, generator)),
			.effective = kept,
			.is_paused = is_paused,
			.run_id = 1,
		};
	}
	return blocks * BLOCK;
}

static double part_called_paced(const struct machine *machine, double share, size_t blocks)
{
	static struct paced_window windows[WINDOWS_MOST];
	struct random generator = random_seeded(7);
	double called = 0;

	for (int i = 0; i < REPEATS; i++) {
		size_t count = windows_of(machine, share, blocks, &generator, windows);
		called += paced_share_of(windows, count, 1).low > EXTERNAL_PACING_LEAST;
	}
	return called / REPEATS;
}

static const struct machine machines[] = {
	{.noise = 0.01},
	{.noise = 0.05},
	{.noise = 0.02, .drift = 0.03},
	{.noise = 0.02, .drift = 0.01, .jumps = 0.05},
	{.noise = 0.02, .jumps = 0.2},
	{.noise = 0.03, .is_heavy_tailed = true},
	{.noise = 0.02, .relief = 0.015},
	{.noise = 0.02, .drift = 0.01, .jumps = 0.03, .relief = 0.015, .is_heavy_tailed = true},
};
#define MACHINES (sizeof(machines) / sizeof(*machines))

TEST("fewer than one of a hundred programs with a pace of their own is called paced")
{
	for (size_t i = 0; i < MACHINES; i++)
		for (size_t blocks = 1; blocks <= 16; blocks *= 2) {
			double called = part_called_paced(&machines[i], 0, blocks);
			if (called > 0.01)
				printf("# machine %zu, %zu blocks: %.4f\n", i, blocks, called);
			CHECK(called <= 0.01);
		}
}

TEST("a program that a clock paces is found within four blocks")
{
	CHECK(part_called_paced(&machines[0], 1, 1) > 0.95);
	CHECK(part_called_paced(&machines[1], 1, 4) > 0.95);
	CHECK(part_called_paced(&machines[2], 1, 2) > 0.95);
}

TEST("a program of which 40 % is paced is found")
{
	CHECK(part_called_paced(&machines[0], 0.4, 3) > 0.95);
	CHECK(part_called_paced(&machines[3], 0.4, 16) > 0.9);
}

TEST("a share is not told where no paused window has controls on either side")
{
	struct paced_window windows[4] = {
		{.start_ns = 0, .duration_ns = 1, .rate = 1, .effective = 1, .run_id = 1},
		{.start_ns = 1,
		 .duration_ns = 1,
		 .rate = 1,
		 .effective = 0.75,
		 .is_paused = true,
		 .run_id = 1},
		{.start_ns = 2, .duration_ns = 1, .rate = 1, .effective = 1, .run_id = 2},
		{.start_ns = 9000000000u,
		 .duration_ns = 1,
		 .rate = 1,
		 .effective = 0.75,
		 .is_paused = true,
		 .run_id = 2},
	};
	struct paced_share paced = paced_share_of(windows, 4, 1);

	CHECK_EQUAL(paced.windows, 0);
	CHECK(!(paced.low > 0));
}

TEST("with more points a share must be surer")
{
	static struct paced_window windows[WINDOWS_MOST];
	struct random generator = random_seeded(3);
	size_t count = windows_of(&machines[1], 0.5, 4, &generator, windows);

	CHECK(paced_share_of(windows, count, 50).low < paced_share_of(windows, count, 1).low);
}
