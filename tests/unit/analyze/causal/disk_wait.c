/* SPDX-License-Identifier: BSD-2-Clause */
/* disk_wait - intervals of calls that wait for a disk reach up. */
#include "check.h"

#include "analyze/causal/causal.h"

#define WALL_NS 100000000u

static void add(struct recording *recording, double speedup, double visits)
{
	size_t number = recording->experiments.count;
	struct recording_experiment *experiment = array_add(&recording->experiments);
	double noise = 1 + 0.002 * ((double)(number * 7 % 5) - 2) / 2;
	uint64_t delay_ns = (uint64_t)(0.4 * speedup * WALL_NS);

	*experiment = (struct recording_experiment){.id = (int64_t)number + 1,
						    .run_id = 1,
						    .target_id = 1,
						    .speedup = speedup,
						    .start_ns = number * 200000000u,
						    .duration_ns = WALL_NS,
						    .delay_ns = delay_ns,
						    .verdict = VERDICT_COUNTED};
	*array_add(&experiment->visits) = (struct recording_visit){.point_id = 1,
								   .visits = noise * visits,
								   .duration_ns = WALL_NS,
								   .delay_ns = delay_ns};
}

/* How far the intervals at 25 % and 100 % reach above the gains. */
static void reaches_of(const char *name, double *quarter, double *whole)
{
	struct recording *recording = memory_new(1, sizeof(*recording));

	*array_add(&recording->runs) = (struct recording_run){.id = 1};
	*array_add(&recording->targets) = (struct recording_target){.id = 1,
								    .kind = TARGET_SYSTEM_CALL,
								    .name = text_copy(name)};
	*array_add(&recording->points) = (struct recording_point){.id = 1,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy("request")};
	for (unsigned i = 0; i < 10; i++) {
		add(recording, 0, 1000);
		add(recording, 0.25, 1000);
		add(recording, 0, 1000);
		add(recording, 1, 1000);
	}
	add(recording, 0, 1000);
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	*quarter = *whole = 0;
	for (size_t i = 0; i < effect->count; i++) {
		const struct effect_point *point = &effect->points[i];
		*(point->speedup > 0.5 ? whole : quarter) = point->high - point->gain;
	}
	causal_free(causal);
	recording_free(recording);
}

TEST("the more of a wait for the disk is taken away, the further the interval reaches up")
{
	double disk_quarter, disk_whole, other_quarter, other_whole;

	reaches_of("syscall:fdatasync", &disk_quarter, &disk_whole);
	reaches_of("syscall:getpid", &other_quarter, &other_whole);
	CHECK_NEAR(disk_quarter, other_quarter, 1e-9);
	CHECK(other_whole < 0.1);
	CHECK(disk_whole > other_whole + 0.2);
}
