/* SPDX-License-Identifier: BSD-2-Clause */
/* block_budget - blocks are shared among what may gain much, and wrappers have few. */
#include "check.h"

#include "experiment/block_budget.h"
#include "experiment/schedule.h"

#include <string.h>

#define BLOCKS 50
#define PLACES 8
#define SEEDS 200

/* Mean blocks of each place over many seeds; none learns anything meanwhile. */
static void share(const double *values, const bool *is_wrapper, double *blocks)
{
	memset(blocks, 0, PLACES * sizeof(*blocks));
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		const double speedup = 0.5;
		struct schedule *schedule = schedule_new(seed, &speedup, 1);
		unsigned had[PLACES] = {0};
		for (int i = 0; i < BLOCKS; i++) {
			struct schedule_plan plan;
			double weights[PLACES];
			for (int j = 0; j < PLACES; j++)
				weights[j] = block_budget_weight(values[j], had[j], is_wrapper[j]);
			CHECK(schedule_next(schedule, weights, PLACES, &plan));
			schedule_end_block(schedule);
			had[plan.target]++;
		}
		schedule_free(schedule);
		for (int j = 0; j < PLACES; j++)
			blocks[j] += (double)had[j] / SEEDS;
	}
}

TEST("a place that may gain a fifth of the largest has half as many blocks at least")
{
	/* As found in nginx: a loop, compression, its inner loop, then what is small. */
	const double values[PLACES] = {0.9, 0.7, 0.6, 0.4, 0.3, 0.2, 0.18, 0.15};
	const bool is_wrapper[PLACES] = {0};
	double blocks[PLACES];

	share(values, is_wrapper, blocks);
	CHECK(blocks[0] < 10.5);
	CHECK(blocks[5] > blocks[0] / 2);
	CHECK(blocks[7] > 3);
}

TEST("a wrapper around the whole program leaves the blocks to what is inside")
{
	const double values[PLACES] = {1, 0.6, 0.4};
	const bool is_wrapper[PLACES] = {true};
	double blocks[PLACES];

	share(values, is_wrapper, blocks);
	CHECK(blocks[0] < 0.5 * blocks[1]);
	CHECK(blocks[0] >= 1);
}

TEST("what may gain a hundredth is tried when the others have had their share")
{
	const double values[PLACES] = {0.9, 0.8, 0.01};
	const bool is_wrapper[PLACES] = {0};
	double blocks[PLACES];

	share(values, is_wrapper, blocks);
	CHECK(blocks[2] > 1);
	CHECK(blocks[2] < 0.6 * blocks[0]);
}
