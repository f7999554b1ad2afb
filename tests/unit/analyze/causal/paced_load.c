/* SPDX-License-Identifier: BSD-2-Clause */
/* paced_load - a timer's work on the thread that sets the pace is found, its surplus taken off. */
#include "check.h"

#include "analyze/causal/causal.h"

#define WALL_NS 100000000u
#define PAUSED_OUTSIDE 0.25
#define VISIT_NS 400000.0 /* of work, on one thread that is never idle */

enum { REQUESTS = 1, OUTSIDE, TIMERS };

static struct recording *recording_new(void)
{
	static const char *const names[] = {
		[REQUESTS] = "a", [OUTSIDE] = "outside", [TIMERS] = "b"};
	struct recording *recording = memory_new(1, sizeof(*recording));

	*array_add(&recording->runs) = (struct recording_run){.id = 1};
	for (int i = REQUESTS; i <= TIMERS; i++)
		*array_add(&recording->targets) =
			(struct recording_target){.id = i,
						  .kind = i == OUTSIDE ? TARGET_EXTERNAL :
									 TARGET_LINE,
						  .name = text_copy(names[i])};
	*array_add(&recording->points) = (struct recording_point){.id = 1,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy("op")};
	return recording;
}

/*
 * A window of a thread whose timers take `load` of the wall time, and visits what pauses and these
 * leave. `armed`: whose time is counted.
 */
static void add(struct recording *recording, int armed, int target, double speedup, double paused,
		double load)
{
	size_t number = recording->experiments.count;
	struct recording_experiment *experiment = array_add(&recording->experiments);
	double noise = 1 + 0.002 * ((double)(number * 7 % 5) - 2) / 2;
	double visits = noise * (1 - paused - load) * WALL_NS / VISIT_NS;
	double of_requests = visits * VISIT_NS, of_timers = load * WALL_NS;

	*experiment = (struct recording_experiment){
		.id = (int64_t)number + 1,
		.run_id = 1,
		.target_id = target,
		.speedup = speedup,
		.start_ns = number * 200000000u,
		.duration_ns = WALL_NS,
		.delay_ns = (uint64_t)(paused * WALL_NS),
		.sampled_ns = (uint64_t)(of_requests + of_timers),
		.target_ns = (uint64_t)(armed == TIMERS ? of_timers : of_requests),
		.verdict = VERDICT_COUNTED,
	};
	*array_add(&experiment->visits) = (struct recording_visit){
		.point_id = 1,
		.visits = visits,
		.duration_ns = WALL_NS,
		.delay_ns = experiment->delay_ns,
	};
}

/* The target at 0.5: nothing else runs, so that nothing pauses, and only G grows. */
static struct causal *causal_of(struct recording *recording, int target, double load,
				unsigned blocks)
{
	double own = target == TIMERS ? load : 1 - load;

	for (unsigned i = 0; i < 10; i++) {
		add(recording, target, target, 0, 0, load);
		add(recording, target, target, 0.5, 0, load);
		struct recording_experiment *last =
			&recording->experiments.items[recording->experiments.count - 1];
		last->delay_ns = (uint64_t)(0.5 * own * WALL_NS);
		last->visits.items[0].delay_ns = last->delay_ns;
		if (i < blocks) {
			add(recording, target, OUTSIDE, 0, 0, load);
			add(recording, target, OUTSIDE, PAUSED_OUTSIDE, PAUSED_OUTSIDE, load);
			add(recording, target, OUTSIDE, 0, 0, load);
		}
	}
	add(recording, target, target, 0, 0, load);
	return causal_new(recording);
}

static const struct causal_effect *effect_of(const struct causal *causal, int target)
{
	for (size_t i = 0; i < causal->count; i++)
		if (causal->targets[i].target->id == target)
			return &causal->targets[i].effects[0];
	return NULL;
}

static const struct effect_point *last_of(const struct causal_effect *effect)
{
	return &effect->points[effect->count - 1];
}

TEST("requests beside a timer's work on their thread gain as without it")
{
	struct recording *recording = recording_new();
	struct causal *causal = causal_of(recording, REQUESTS, 0.25, 10);
	const struct causal_effect *effect = effect_of(causal, REQUESTS);

	CHECK_NEAR(effect->paced_load.share, 0.25, 0.01);
	CHECK_NEAR(last_of(effect)->gain, 0.5, 0.01); /* by pauses alone: 0.375 */
	CHECK(last_of(effect)->low > 0.45 && last_of(effect)->high < 0.56);
	CHECK_NEAR(effect->external_pacing.share, 0, 0);
	causal_free(causal);
	recording_free(recording);
}

TEST("the timer's work itself gains what it takes less")
{
	struct recording *recording = recording_new();
	struct causal *causal = causal_of(recording, TIMERS, 0.25, 10);
	const struct causal_effect *effect = effect_of(causal, TIMERS);

	CHECK_NEAR(last_of(effect)->gain, 1 - 0.75 / 0.875, 0.01);
	CHECK(last_of(effect)->high < 0.2);
	causal_free(causal);
	recording_free(recording);
}

TEST("a program without such work keeps its gains and intervals")
{
	struct recording *recording = recording_new();
	struct causal *causal = causal_of(recording, REQUESTS, 0, 10);
	const struct causal_effect *effect = effect_of(causal, REQUESTS);

	CHECK_NEAR(effect->paced_load.high, 0, 1e-9);
	CHECK_NEAR(last_of(effect)->gain, 0.5, 0.01);
	CHECK(last_of(effect)->high < 0.53);
	causal_free(causal);
	recording_free(recording);
}

TEST("where pauses slow the program down and bring no work, gains stay as they are")
{
	struct recording *recording = recording_new();

	for (unsigned i = 0; i < 10; i++) {
		add(recording, REQUESTS, OUTSIDE, 0, 0, 0);
		add(recording, REQUESTS, OUTSIDE, PAUSED_OUTSIDE, PAUSED_OUTSIDE, 0);
		struct recording_experiment *paused =
			&recording->experiments.items[recording->experiments.count - 1];
		paused->visits.items[0].visits *= 0.9;
		paused->sampled_ns = paused->sampled_ns * 9 / 10;
	}
	add(recording, REQUESTS, OUTSIDE, 0, 0, 0);
	CHECK_NEAR(paced_load_of(recording, &recording->points.items[0]).high, 0, 1e-9);
	recording_free(recording);
}

/* Visits keep to effective time, samples to the wall clock, as a thread sleeps all the time. */
static struct recording *recording_of_sleeper(void)
{
	struct recording *recording = recording_new();

	for (unsigned i = 0; i < 20; i++) {
		bool is_paused = i % 2;
		add(recording, REQUESTS, OUTSIDE, is_paused ? PAUSED_OUTSIDE : 0,
		    is_paused ? PAUSED_OUTSIDE : 0, 0);
		recording->experiments.items[i].sampled_ns += WALL_NS;
	}
	add(recording, REQUESTS, OUTSIDE, 0, 0, 0);
	return recording;
}

TEST("a thread that sleeps beside the visits is no work of a timer")
{
	struct recording *recording = recording_of_sleeper();

	CHECK_NEAR(paced_load_of(recording, &recording->points.items[0]).high, 0, 1e-9);
	recording_free(recording);
}

TEST("where a thread sleeps, visits that take 1 % longer in pauses are no timer's work")
{
	struct recording *recording = recording_of_sleeper();

	for (size_t i = 1; i < recording->experiments.count; i += 2)
		recording->experiments.items[i].visits.items[0].visits *= 0.99;
	CHECK_NEAR(paced_load_of(recording, &recording->points.items[0]).high, 0, 1e-9);
	recording_free(recording);
}

TEST("CPU time as the point tells of no timer's work, as that counts, too")
{
	struct recording *recording = recording_of_sleeper();

	for (size_t i = 1; i < recording->experiments.count; i += 2)
		recording->experiments.items[i].visits.items[0].visits *= 0.9;
	CHECK(paced_load_of(recording, &recording->points.items[0]).high > 0.05);
	recording->points.items[0].kind = POINT_SAMPLED;
	CHECK_NEAR(paced_load_of(recording, &recording->points.items[0]).high, 0, 1e-9);
	recording_free(recording);
}

TEST("a period without the surplus is never below a tenth")
{
	CHECK_NEAR(paced_load_period(100, 0.5, 0.25), 100 * 0.5 / 0.75, 1e-9);
	CHECK_NEAR(paced_load_period(100, 0.5, 0.5), 20, 1e-9);
	CHECK_NEAR(paced_load_period(100, 0.5, 0), 100, 1e-9);
}

/* A sleeper, and visits that take a tenth longer in pauses, with as much CPU time. */
static struct paced_load load_of_sleeper(bool knows_waits)
{
	struct recording *recording = recording_of_sleeper();

	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		double *visits = &experiment->visits.items[0].visits;
		*visits *= i % 2 ? 0.9 : 1;
		experiment->waited_ns = knows_waits ? WALL_NS : 0;
		experiment->sampled_ns = WALL_NS + (uint64_t)(*visits * VISIT_NS);
	}
	struct paced_load load = paced_load_of(recording, &recording->points.items[0]);
	recording_free(recording);
	return load;
}

TEST("a sleep beside visits that take longer in pauses is no timer's work, as it is off CPU")
{
	CHECK(load_of_sleeper(false).high > 0.05);
	CHECK_NEAR(load_of_sleeper(true).high, 0, 1e-9);
}

/* Visits that take a tenth longer in pauses by the clock, and `more` of it in CPU time. */
static double high_by_ticks(double more, uint64_t hand_over_ns)
{
	struct recording *recording = recording_new();

	recording->runs.items[0].period_ns = 90000;
	recording->runs.items[0].hand_over_ns = hand_over_ns;
	for (unsigned i = 0; i < 21; i++) {
		bool is_paused = i % 2;
		add(recording, REQUESTS, OUTSIDE, is_paused ? PAUSED_OUTSIDE : 0,
		    is_paused ? PAUSED_OUTSIDE : 0, 0);
		struct recording_experiment *experiment = &recording->experiments.items[i];
		experiment->visits.items[0].visits *= is_paused ? 0.9 : 1;
		experiment->sampled_ns = (uint64_t)(experiment->visits.items[0].visits * VISIT_NS *
						    (is_paused ? 1 + more : 1));
	}
	double high = paced_load_of(recording, &recording->points.items[0]).high;
	recording_free(recording);
	return high;
}

TEST("a sixth of a period more for each hand-over is the ticks' weight, and no work")
{
	CHECK(high_by_ticks(0.15, 0) > 0.05);
	CHECK_NEAR(high_by_ticks(0.15, 100000), 0, 1e-9); /* four of 400 us: 0.15 */
	CHECK(high_by_ticks(0.45, 100000) > 0.05);
}
