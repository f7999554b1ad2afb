/* SPDX-License-Identifier: BSD-2-Clause */
/* tail_latency - lengths of spans give an effect on a percentile, or a reason why there is none. */
#include "check.h"

#include "analyze/causal/tail_latency.h"
#include "base/memory.h"

#define PERIOD_NS 100000
#define WINDOW_NS 100000000u
#define SLOW_NS 45e6

/* In each window 1000 spans ended, 10 were open on average: of 1 ms. */
static struct recording *recording_new(void)
{
	struct recording *recording = memory_new(1, sizeof(*recording));

	*array_add(&recording->runs) = (struct recording_run){.id = 1, .period_ns = PERIOD_NS};
	*array_add(&recording->points) =
		(struct recording_point){.id = 1, .kind = POINT_LATENCY, .name = text_copy("job")};
	for (unsigned i = 0; i < 20; i++) {
		struct recording_experiment *experiment = array_add(&recording->experiments);
		*experiment = (struct recording_experiment){.id = i + 1,
							    .run_id = 1,
							    .speedup = i % 2 ? 0.5 : 0,
							    .duration_ns = WINDOW_NS};
		*array_add(&experiment->visits) =
			(struct recording_visit){1, 1000, WINDOW_NS, 0, 10};
	}
	return recording;
}

static void add(struct recording_experiment *experiment, unsigned bucket, double spans,
		double length_ns, double credit_ns)
{
	*array_add(&experiment->lengths) = (struct recording_length){
		.experiment_id = experiment->id,
		.point_id = 1,
		.bucket = bucket,
		.spans = (uint64_t)spans,
		.weight = spans,
		.length_ns = length_ns,
		.credit_ns = credit_ns,
		.credit_squares = credit_ns * credit_ns,
		.credit_cubes = credit_ns * credit_ns * credit_ns,
	};
}

static struct tail tail_of(const struct recording *recording)
{
	size_t count = recording->experiments.count;
	const struct recording_experiment **experiments = memory_new(count, sizeof(*experiments));

	for (size_t i = 0; i < count; i++)
		experiments[i] = &recording->experiments.items[i];
	struct tail tail = tail_latency_of(recording, experiments, count, 1);
	free(experiments);
	return tail;
}

TEST("credit for the slow spans shortens the percentile")
{
	struct recording *recording = recording_new();
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		add(experiment, 0, 980, 0, 0);
		add(experiment, 400, 20, SLOW_NS, experiment->speedup * SLOW_NS * 0.8);
	}
	struct tail tail = tail_of(recording);
	CHECK_EQUAL(tail.status, TAIL_ANSWERED);
	CHECK_NEAR(tail.length_ns, SLOW_NS, 0.02 * SLOW_NS);
	CHECK_EQUAL(tail.count, 1);
	CHECK_NEAR(tail.points[0].gain, 0.4, 1e-6);
	CHECK(tail.points[0].low < 0.4 && tail.points[0].high > 0.4); /* the method's error */
	CHECK_EQUAL(tail.points[0].windows, 10);
	free(tail.points);
	recording_free(recording);
}

TEST("spans whose time is missing in the measured ones end in other threads")
{
	struct recording *recording = recording_new();
	for (size_t i = 0; i < recording->experiments.count; i++)
		add(&recording->experiments.items[i], 0, 1000, 0, 0);
	struct tail tail = tail_of(recording);
	CHECK_EQUAL(tail.status, TAIL_UNMEASURED_TIME);
	CHECK(!tail.points);
	recording_free(recording);
}

TEST("short spans, and recordings without lengths, give a reason")
{
	struct recording *recording = recording_new();
	CHECK_EQUAL(tail_of(recording).status, TAIL_NOT_MEASURED);
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		experiment->visits.items[0].in_flight = 0.5; /* 50 us each */
		add(experiment, 0, 1000, 0, 0);
	}
	CHECK_EQUAL(tail_of(recording).status, TAIL_SHORT);
	recording_free(recording);
}

TEST("the run time that a percentile needs follows from all runs of the file")
{
	struct recording *recording = recording_new();
	recording->runs.items[0].wall_ns = 20000000000;
	*array_add(&recording->runs) = (struct recording_run){.id = 2, .wall_ns = 10000000000};
	struct tail tail = {.status = TAIL_FEW_AT_SPEEDUP, .needed_factor = 1.5};
	CHECK_NEAR(tail_latency_lacking_ns(recording, &tail), 15e9, 1);
	tail.needed_factor = 0;
	CHECK_NEAR(tail_latency_lacking_ns(recording, &tail), 0, 0.5);
	recording_free(recording);
}
