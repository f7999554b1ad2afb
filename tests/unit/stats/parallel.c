/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of stats/parallel.h: made-up programs whose answers are exact. */
#include "stats/parallel.h"

#include "check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SECOND 1e9

static struct parallel_level level(unsigned threads, double wall_ns, unsigned cores)
{
	unsigned running = threads < cores ? threads : cores;
	return (struct parallel_level){.threads = threads,
				       .wall_ns = wall_ns,
				       .running_ns = wall_ns * running};
}

TEST("first case: as many cores as threads here and there leave the time as it is")
{
	CHECK_NEAR(parallel_level_on(7, 0, 4, 2), 7, 0);
	CHECK_NEAR(parallel_level_on(7, 1, 1, 64), 7, 0);
	CHECK_NEAR(parallel_level_on(7, 2, 2, 4), 7, 0);
	CHECK_NEAR(parallel_level_on(7, 2, 4, 2), 7, 0);
	CHECK_NEAR(parallel_level_on(7, 3, 4, 4), 7, 0);
}

TEST("second case: more cores are used as far as there are threads")
{
	CHECK_NEAR(parallel_level_on(12, 2, 1, 2), 6, 0);
	CHECK_NEAR(parallel_level_on(12, 3, 1, 2), 6, 0);
	CHECK_NEAR(parallel_level_on(12, 3, 1, 64), 4, 1e-12);
	CHECK_NEAR(parallel_level_on(12, 6, 2, 4), 6, 0);
	CHECK_NEAR(parallel_level_on(12, 6, 2, 8), 4, 1e-12);
	CHECK_NEAR(parallel_level_on(12, 6, 3, 3), 12, 0);
}

TEST("third case: fewer cores lengthen levels with more threads, and no others")
{
	CHECK_NEAR(parallel_level_on(6, 2, 2, 1), 12, 0);
	CHECK_NEAR(parallel_level_on(6, 3, 4, 2), 9, 0);
	CHECK_NEAR(parallel_level_on(6, 8, 4, 2), 12, 0);
	CHECK_NEAR(parallel_level_on(6, 8, 4, 3), 8, 0);
}

TEST("the paper's sunflow on one core is predicted for 2 to 4 as its table gives it")
{
	static const double seconds[] = {0.6091, 1.9215, 3.6845, 4.1474, 103.8943,
					 1.1907, 1.1717, 0.0347, 1.2e-5};
	struct parallel_level levels[COUNT(seconds)];
	double rest = 0;

	for (unsigned j = 0; j < COUNT(seconds); j++) {
		levels[j] = level(j, seconds[j] * SECOND, 1);
		rest += j > 3 ? seconds[j] : 0;
	}
	CHECK_NEAR(parallel_predict(levels, COUNT(levels), 1, 1), 116.654 * SECOND, 0.001 * SECOND);
	CHECK_NEAR(parallel_predict(levels, COUNT(levels), 1, 2),
		   (0.6091 + 1.9215 + (3.6845 + 4.1474 + rest) / 2) * SECOND, 1);
	CHECK_NEAR(parallel_predict(levels, COUNT(levels), 1, 4),
		   (0.6091 + 1.9215 + 3.6845 / 2 + 4.1474 / 3 + rest / 4) * SECOND, 1);
}

TEST("a prediction for other cores and back again gives the measured time")
{
	for (unsigned j = 0; j < 12; j++)
		for (unsigned from = 1; from < 9; from++)
			for (unsigned to = 1; to < 9; to++) {
				double there = parallel_level_on(1000, j, from, to);
				CHECK_NEAR(parallel_level_on(there, j, to, from), 1000, 1e-9);
			}
}

TEST("time on cores that other programs used is subtracted")
{
	struct parallel_level alone = level(1, 10, 1);
	/* Two threads on two cores; for half of the time a foreign task had one of them. */
	struct parallel_level pair = {.threads = 2,
				      .wall_ns = 8,
				      .running_ns = 12,
				      .displaced_ns = 4};
	alone.displaced_ns = 2.5;
	CHECK_NEAR(parallel_own_ns(&alone, 1), 7.5, 0);
	CHECK_NEAR(parallel_own_ns(&pair, 2), 6, 0);
	CHECK_NEAR(parallel_predict(&pair, 1, 2, 1), 12, 0);
	CHECK_NEAR(parallel_predict_raw(&pair, 1, 2, 1), 16, 0);
	/* No thread wanted a core: nothing to correct. */
	struct parallel_level none = {.threads = 0, .wall_ns = 5, .displaced_ns = 1};
	CHECK_NEAR(parallel_own_ns(&none, 2), 5, 0);
}

static double growth_of(const struct parallel_level *levels, size_t count, unsigned from,
			double cpu_ns, unsigned to)
{
	double taken[2];

	for (size_t i = 0; i < count; i++)
		taken[i] = parallel_cpu_ns(&levels[i]);
	return parallel_growth(levels, taken, count, from, cpu_ns, to);
}

TEST("steal is neither the program's wall time nor its CPU time")
{
	struct parallel_level pair = {
		.threads = 2, .wall_ns = 8, .running_ns = 14, .displaced_ns = 2, .stolen_ns = 2};
	CHECK_NEAR(parallel_own_ns(&pair, 2), 6, 0);
	CHECK_NEAR(parallel_cpu_ns(&pair), 12, 0);
	CHECK_NEAR(parallel_predict(&pair, 1, 2, 1), 12, 0);
	/* The same work at no growth: without what was stolen. */
	CHECK_NEAR(growth_of(&pair, 1, 2, 12, 1), 0, 1e-9);
}

TEST("core time includes time in which a ready thread waited for an idle core")
{
	/*
	 * Three threads on two cores for 8 s, which ran 12 s of the 16: cores were idle in between.
	 */
	struct parallel_level slow = {.threads = 3, .wall_ns = 8, .running_ns = 12};
	CHECK_NEAR(parallel_core_ns(&slow, 2), 16, 0);
	CHECK_NEAR(parallel_core_ns(&slow, 1), 8, 0);
	/*
	 * On one core the work takes 12 s: by core time there is growth, by CPU time there is none.
	 */
	double taken = parallel_core_ns(&slow, 2);
	CHECK_NEAR(growth_of(&slow, 1, 2, 12, 1), 0, 1e-9);
	double growth = parallel_growth(&slow, &taken, 1, 2, 12, 1);
	CHECK_NEAR(growth, 1.0 / 3, 1e-9);
	CHECK_NEAR(parallel_predict_grown(&slow, 1, 2, 1, growth), 12, 1e-8);
	/* The overhead of counting is not part of it. */
	slow.counting_ns = 2;
	CHECK_NEAR(parallel_core_ns(&slow, 2), 14, 0);
	CHECK_NEAR(parallel_cpu_ns(&slow), 10, 0);
}

TEST("growth of CPU time is found from two runs, and predicts the second")
{
	/* 4 s alone and 8 s of work in two threads, which costs a quarter more when both run. */
	struct parallel_level one[] = {level(1, 4, 1), level(2, 8, 1)};
	struct parallel_level two[] = {level(1, 4, 2), level(2, 5, 2)};
	double growth = growth_of(one, 2, 1, 14, 2);
	CHECK_NEAR(growth, 0.25, 1e-9);
	CHECK_NEAR(parallel_predict_grown(one, 2, 1, 2, growth), 9, 1e-8);
	CHECK_NEAR(parallel_predict_grown(one, 2, 1, 1, growth), 12, 1e-9);
	growth = growth_of(two, 2, 2, 12, 1);
	CHECK_NEAR(growth, 0.25, 1e-9);
	CHECK_NEAR(parallel_predict_grown(two, 2, 2, 1, growth), 12, 1e-8);
	CHECK_NEAR(parallel_predict_grown(two, 2, 2, 2, growth), 9, 1e-9);
}

TEST("growth is bounded, and 0 where nothing could grow")
{
	struct parallel_level one[] = {level(1, 4, 1)}, two[] = {level(2, 4, 1)};
	CHECK_NEAR(growth_of(one, 1, 1, 40, 2), 0, 0);
	CHECK_NEAR(growth_of(two, 1, 1, 4000, 2), PARALLEL_GROWTH_MOST, 1e-9);
	CHECK_NEAR(growth_of(two, 1, 1, 0, 2), PARALLEL_GROWTH_LEAST, 1e-9);
}

TEST("lost core time is divided by reason, and the parts add up")
{
	struct parallel_level levels[] = {level(0, 2, 2), level(1, 3, 2), level(2, 5, 2)};
	levels[0].waiting_ns[PARALLEL_IO] = 2;        /* one thread, all the time */
	levels[1].waiting_ns[PARALLEL_LOCK] = 1.5;    /* half a thread on average */
	levels[2].waiting_ns[PARALLEL_CONDITION] = 5; /* one thread */
	struct parallel_losses losses = parallel_losses(levels, 3, 2, 4);
	CHECK_NEAR(losses.core_ns, 40, 1e-12);
	CHECK_NEAR(losses.used_ns, 13, 1e-12);
	CHECK_NEAR(losses.all_ns, 27, 1e-12);
	CHECK_NEAR(losses.by_limit_ns[PARALLEL_LIMIT_IO], 2, 1e-12);
	CHECK_NEAR(losses.by_limit_ns[PARALLEL_LIMIT_EXTERNAL], 6, 1e-12);
	CHECK_NEAR(losses.by_limit_ns[PARALLEL_LIMIT_LOCKS], 1.5, 1e-12);
	CHECK_NEAR(losses.by_limit_ns[PARALLEL_LIMIT_SERIAL], 7.5, 1e-12);
	CHECK_NEAR(losses.by_limit_ns[PARALLEL_LIMIT_IMBALANCE], 5, 1e-12);
	CHECK_NEAR(losses.by_limit_ns[PARALLEL_LIMIT_THREADS], 5, 1e-12);
	CHECK_NEAR(losses.by_limit_ns[PARALLEL_LIMIT_TIMER], 0, 0);
	losses = parallel_losses(levels, 3, 2, 1);
	CHECK_NEAR(losses.core_ns, 15, 1e-12); /* 2 + 3 + 5 * 2 */
	CHECK_NEAR(losses.all_ns, 2, 1e-12);
	CHECK_NEAR(losses.by_limit_ns[PARALLEL_LIMIT_IO], 2, 1e-12);
}

TEST("the mean counts active threads by time")
{
	struct parallel_level levels[] = {level(0, 1, 2), level(4, 3, 2)};
	CHECK_NEAR(parallel_mean(levels, 2), 3, 1e-12);
	CHECK_NEAR(parallel_mean(levels, 0), 0, 0);
}

TEST("a decrease of CPU time on more cores counts once, not for each further core")
{
	CHECK_NEAR(parallel_slowdown(0.25, 1), 1, 0);
	CHECK_NEAR(parallel_slowdown(0.25, 3), 1.5, 1e-12);
	CHECK_NEAR(parallel_slowdown(-0.25, 1), 1, 0);
	CHECK_NEAR(parallel_slowdown(-0.25, 2), 0.75, 1e-12);
	CHECK_NEAR(parallel_slowdown(-0.25, 64), 0.75, 1e-12);
}
