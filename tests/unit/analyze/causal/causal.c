/* SPDX-License-Identifier: BSD-2-Clause */
/* causal - which numbers of a recording make which answer. */
#include "check.h"

#include "analyze/causal/causal.h"
#include "analyze/causal/certainty.h"
#include "stats/random.h"

#define SECOND_NS 1000000000u

/* One run, targets 1 and 2, throughput point 1 and latency point 2. */
static struct recording *recording_new(void)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	*array_add(&recording->runs) = (struct recording_run){
		.id = 1,
		.samples = 40000,
		.sampled_ns = 40 * (uint64_t)SECOND_NS,
		.baseline_ns = 30 * (uint64_t)SECOND_NS,
	};
	for (unsigned i = 1; i <= 2; i++) {
		struct recording_target *target = array_add(&recording->targets);
		*target = (struct recording_target){.id = i, .name = text_format("t%u", i)};
	}
	*array_add(&recording->points) = (struct recording_point){.id = 1,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy("op")};
	*array_add(&recording->points) =
		(struct recording_point){.id = 2, .kind = POINT_LATENCY, .name = text_copy("job")};
	return recording;
}

/* An alternating noise of 0.1 %, so that intervals are neither empty nor wide. */
static double noise(size_t number)
{
	return 1 + 0.001 * ((double)(number * 7 % 5) - 2) / 2;
}

/* A window of 0.1 s of effective time with that many visits, 10 in flight. */
static struct recording_experiment *add(struct recording *recording, int64_t target_id,
					double speedup, double visits)
{
	size_t number = recording->experiments.count;
	struct recording_experiment *experiment = array_add(&recording->experiments);
	*experiment = (struct recording_experiment){
		.id = (int64_t)number + 1,
		.run_id = 1,
		.target_id = target_id,
		.speedup = speedup,
		.start_ns = number * 200000000u,
		.duration_ns = 150000000,
		.delay_ns = 50000000,
		.target_ns = 50000000,
		.sampled_ns = (uint64_t)(100000 * visits),
		.verdict = VERDICT_COUNTED,
	};
	double noisy = visits * noise(number);
	*array_add(&experiment->visits) =
		(struct recording_visit){1, noisy, 150000000, 50000000, 0};
	*array_add(&experiment->visits) =
		(struct recording_visit){2, noisy, 150000000, 50000000, 10};
	return experiment;
}

/* Target 1 at speedup 0.5, with `visits` there and 1000 in the controls beside. */
static void add_pairs(struct recording *recording, int64_t target_id, double visits, unsigned pairs)
{
	for (unsigned i = 0; i < pairs; i++) {
		add(recording, target_id, 0, 1000);
		add(recording, target_id, 0.5, visits);
	}
	add(recording, target_id, 0, 1000);
}

static void free_both(struct causal *causal, struct recording *recording)
{
	causal_free(causal);
	recording_free(recording);
}

static const struct causal_target *target_named(const struct causal *causal, const char *name)
{
	for (size_t i = 0; i < causal->count; i++) {
		if (!strcmp(causal->targets[i].target->name, name))
			return &causal->targets[i];
	}
	return NULL;
}

TEST("a target's program speedup is 1 - p(s) / p(0), of time without pauses")
{
	struct recording *recording = recording_new();
	add_pairs(recording, 1, 1250, 10);
	/* The same work in the same effective time, however long the pauses. */
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_visit *visit = &recording->experiments.items[i].visits.items[0];
		visit->delay_ns += 1000000 * i;
		visit->duration_ns += 1000000 * i;
	}
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	CHECK_TEXT(causal->targets[0].target->name, "t1");
	CHECK_EQUAL(causal->targets[0].experiments, 10);
	CHECK_TEXT(effect->point->name, "op");
	const struct effect_point *point = &effect->points[effect->count - 1];
	CHECK_NEAR(point->speedup, 0.5, 1e-12);
	CHECK_NEAR(point->gain, 1 - 1000.0 / 1250, 0.003);
	CHECK_EQUAL(point->windows, 10);
	CHECK(point->low < point->gain && point->gain < point->high);
	CHECK_NEAR(effect->slope.slope, 0.4, 0.006);
	CHECK_NEAR(effect->phase_factor, 1, 0);
	CHECK(!effect->is_contention);
	free_both(causal, recording);
}

TEST("latency is the number in flight over the rate")
{
	struct recording *recording = recording_new();
	add_pairs(recording, 1, 1250, 10);
	/* At the speedup, a fifth less time each and 8 instead of 10 in flight: 0.64 of the
	 * latency. */
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		if (experiment->speedup > 0)
			experiment->visits.items[1].in_flight = 8;
	}
	struct causal *causal = causal_new(recording);
	CHECK_EQUAL(causal->targets[0].count, 2);
	const struct causal_effect *effect = &causal->targets[0].effects[1];
	CHECK_EQUAL(effect->point->kind, POINT_LATENCY);
	CHECK_NEAR(effect->points[effect->count - 1].gain, 1 - 0.8 * 0.8, 0.003);
	free_both(causal, recording);
}

/*
 * Window series of target 1 at speedup 0.5, whose first windows have more visits; controls between.
 */
static void add_series(struct recording *recording, unsigned series, unsigned length)
{
	for (unsigned i = 0; i < series * length * 2; i++) {
		bool is_early = i % length < 4, is_fast = i / length % 2;
		struct recording_experiment *experiment = add(recording, 1, is_fast ? 0.5 : 0,
							      !is_fast ? 1000 :
							      is_early ? 1600 :
									 1250);
		experiment->series_index = (int)(i % length);
		/* No gap within a series, 50 ms before it. */
		if (i)
			experiment->start_ns = experiment[-1].start_ns +
					       experiment[-1].duration_ns +
					       (i % length ? 0 : 50000000);
	}
}

TEST("a target that needs time to warm up widens intervals of targets measured briefly")
{
	double low[2];

	for (unsigned settles_slowly = 0; settles_slowly <= 1; settles_slowly++) {
		struct recording *recording = recording_new();
		if (settles_slowly)
			add_series(recording, 8, 8);
		add_pairs(recording, 2, 1250, 4);
		struct causal *causal = causal_new(recording);
		const struct causal_effect *slow = &target_named(causal, "t1")->effects[0];
		const struct causal_effect *effect = &target_named(causal, "t2")->effects[0];
		CHECK_EQUAL(effect->is_widened, settles_slowly);
		CHECK_NEAR(effect->points[effect->count - 1].gain, 0.2, 0.003);
		CHECK_NEAR(effect->points[effect->count - 1].high, 0.21, 0.01);
		low[settles_slowly] = effect->points[effect->count - 1].low;
		if (settles_slowly) {
			CHECK_EQUAL(slow->warm_up.level, 1);
			CHECK(!slow->is_widened);
			CHECK_NEAR(slow->points[slow->count - 1].gain, 0.2, 0.01);
		}
		free_both(causal, recording);
	}
	CHECK(low[0] > 0.18);

	CHECK(low[1] < low[0] - 0.005);
}

TEST("discarded experiments are counted by reason and not used")
{
	struct recording *recording = recording_new();
	add_pairs(recording, 1, 1250, 10);
	for (unsigned i = 0; i < 6; i++) {
		add(recording, 1, 0.5, 5000)->verdict = VERDICT_DISPLACED;
		add(recording, 1, 0.5, 5000)->verdict =
			i < 3 ? VERDICT_TOO_FEW_VISITS : VERDICT_CUT_SHORT;
	}
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	CHECK_EQUAL(causal->experiments, 21);
	CHECK_EQUAL(causal->displaced, 6);
	CHECK_EQUAL(causal->too_few_visits, 3);
	CHECK_EQUAL(causal->cut_short, 3);
	CHECK_EQUAL(causal->targets[0].experiments, 10);
	CHECK_NEAR(effect->points[effect->count - 1].gain, 0.2, 0.003);
	free_both(causal, recording);
}

TEST("windows without visits are left out")
{
	struct recording *recording = recording_new();
	add_pairs(recording, 1, 1250, 10);
	add(recording, 1, 0.5, 0);
	add(recording, 1, 0.5, 1000)->visits.count = 0;
	add(recording, 1, 0, 1000);
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	CHECK_EQUAL(effect->points[effect->count - 1].windows, 10);
	CHECK_NEAR(effect->points[effect->count - 1].gain, 0.2, 0.003);
	free_both(causal, recording);
}

TEST("windows that were paused all the time, or a little longer, are results")
{
	struct recording *recording = recording_new();
	add_pairs(recording, 1, 1000, 10);
	for (size_t i = 1; i < recording->experiments.count; i += 2)
		recording->experiments.items[i].visits.items[0].delay_ns =
			i % 4 == 1 ? 151000000 : 149000000;
	add(recording, 1, 0.5, 1000)->visits.items[0].delay_ns = 150000000;
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	const struct effect_point *point = &effect->points[effect->count - 1];
	CHECK_EQUAL(point->windows, 11);
	CHECK_NEAR(point->gain, 1, 0.003);
	CHECK(point->low < 1 && point->high > 1);
	free_both(causal, recording);
}

TEST("a target's controls are its own")
{
	struct recording *recording = recording_new();
	/* Target 2's phase of the program is twice as fast at speedup 0. */
	for (unsigned i = 0; i < 10; i++) {
		add(recording, 1, 0, 1000);
		add(recording, 2, 0, 2000);
		add(recording, 1, 0.5, 1250);
		add(recording, 2, 0.5, 2000);
	}
	struct causal *causal = causal_new(recording);
	const struct causal_effect *first = &target_named(causal, "t1")->effects[0];
	const struct causal_effect *second = &target_named(causal, "t2")->effects[0];
	CHECK_NEAR(first->points[first->count - 1].gain, 0.2, 0.004);
	CHECK_NEAR(second->points[second->count - 1].gain, 0, 0.004);
	free_both(causal, recording);
}

TEST("windows of different runs are not compared")
{
	struct recording *recording = recording_new();
	array_add(&recording->runs)->id = 2;
	for (unsigned i = 0; i < 5; i++)
		add(recording, 1, 0, 1000);
	for (unsigned i = 0; i < 5; i++)
		add(recording, 1, 0.5, 1250)->run_id = 2;
	struct causal *causal = causal_new(recording);
	CHECK_EQUAL(causal->targets[0].count, 0);
	CHECK_EQUAL(causal->targets[0].experiments + causal->targets[1].experiments, 5);
	free_both(causal, recording);
}

TEST("targets are ranked by their lower bound, those without an answer last")
{
	struct recording *recording = recording_new();
	add_pairs(recording, 1, 900, 10);
	struct recording_target *third = array_add(&recording->targets);
	*third = (struct recording_target){.id = 3, .name = text_copy("t3")};
	add_pairs(recording, 3, 1100, 10);
	struct causal *causal = causal_new(recording);
	CHECK_EQUAL(causal->count, 3);
	CHECK_TEXT(causal->targets[0].target->name, "t3");
	CHECK_TEXT(causal->targets[1].target->name, "t1");
	CHECK_TEXT(causal->targets[2].target->name, "t2");
	CHECK_EQUAL(causal->targets[2].count, 0);
	CHECK(!causal->targets[0].effects[0].is_contention);
	CHECK(causal->targets[1].effects[0].is_contention);
	CHECK(causal->targets[1].effects[0].slope.high < 0);
	free_both(causal, recording);
}

TEST("a target's share is its part of all sampled time")
{
	struct recording *recording = recording_new();
	*array_add(&recording->samples) =
		(struct recording_sample){1, 2, 10000, 10 * (uint64_t)SECOND_NS, 0, 0};
	struct causal *causal = causal_new(recording);
	CHECK_TEXT(causal->targets[0].target->name, "t2");
	CHECK_NEAR(causal->targets[0].share, 0.25, 1e-12);
	CHECK_NEAR(causal->targets[1].share, 0, 0);
	free_both(causal, recording);
}

TEST("a target that runs in a fourth of the time has a fourth of the effect")
{
	struct recording *recording = recording_new();
	add_pairs(recording, 1, 1250, 20);
	/*
	 * In its experiments the target is sampled for a third of the time; in the whole run at
	 * speedup 0 for a twelfth: 2.5 s of 30 s.
	 */
	*array_add(&recording->samples) =
		(struct recording_sample){1, 1, 5000, 5 * (uint64_t)SECOND_NS, 2500000000u, 0};
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	const struct effect_point *point = &effect->points[effect->count - 1];
	CHECK_NEAR(effect->phase_factor, 0.25, 0.01);
	CHECK_NEAR(point->gain, 0.2 * effect->phase_factor, 0.001);
	CHECK(point->low < point->gain && point->gain < point->high && point->high < 0.065);
	CHECK_NEAR(effect->slope.slope, 0.4 * effect->phase_factor, 0.002);
	free_both(causal, recording);
}

/* About normal, mean 0, deviation 1. */
static double normal(struct random *generator)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += random_uniform(generator);
	return sum;
}

/* The windows of a target that is active in a part, `running`, of each period. */
struct phases {
	uint64_t period_ns; /* 0: it runs always */
	double running;
	double activity, activity_spread; /* where it runs; its deviation in parts of it */
	double slope;                     /* program speedup per speedup, where it runs */
};

/* The part of the time from begin on that falls into the target's phase. */
static double part_in_phase(const struct phases *phases, uint64_t begin_ns, uint64_t duration_ns)
{
	unsigned inside = 0;
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t time_ns = begin_ns + (2 * i + 1) * duration_ns / 200;
		inside += !phases->period_ns || (double)(time_ns % phases->period_ns) <
							phases->running * (double)phases->period_ns;
	}
	return inside / 100.0;
}

/* Windows of 0.1 s of target 1, half of them controls, wherever they fall. */
static void add_windows(struct recording *recording, const struct phases *phases, unsigned count)
{
	static const double speedups[] = {0, 0.25, 0, 0.5, 0, 0.75, 0, 1};
	struct random generator = random_seeded(20240607);
	struct recording_run *run = &recording->runs.items[0];
	double part = phases->period_ns ? phases->running : 1;
	run->period_ns = 250000;
	run->sampled_ns = 3 * count * (uint64_t)107000000; /* more than the windows hold */
	uint64_t baseline_sampled_ns = run->sampled_ns / 2;
	run->baseline_ns = baseline_sampled_ns / 2; /* two threads */
	run->samples = run->sampled_ns / run->period_ns;
	for (unsigned i = 0; i < count; i++) {
		double speedup = speedups[random_below(&generator, 8)];
		struct recording_experiment *experiment = add(recording, 1, speedup, 0);
		experiment->start_ns = i * 107000000u;
		double inside = part_in_phase(phases, experiment->start_ns, 100000000);
		double rate = inside / (1 - phases->slope * speedup) + 1 - inside;
		experiment->visits.items[0].visits = 1000 * rate * (1 + 0.01 * normal(&generator));
		double activity =
			phases->activity * (1 + phases->activity_spread * normal(&generator));
		/* What was charged is what the target gains. */
		double gain = inside * phases->slope * speedup;
		struct recording_visit *visit = &experiment->visits.items[0];
		visit->delay_ns = (uint64_t)(100e6 * gain / fmax(0.05, 1 - gain));
		visit->duration_ns = 100000000 + visit->delay_ns;
		experiment->duration_ns = visit->duration_ns;
		experiment->sampled_ns = (uint64_t)(200000 * experiment->visits.items[0].visits);
		experiment->target_ns =
			(uint64_t)((double)experiment->sampled_ns * inside * fmax(0, activity));
	}
	uint64_t baseline_ns = (uint64_t)((double)baseline_sampled_ns * part * phases->activity);
	*array_add(&recording->samples) = (struct recording_sample){
		1, 1, 2 * baseline_ns / run->period_ns, 2 * baseline_ns, baseline_ns, 0};
}

static bool is_scaled_by(const struct causal *causal, const struct phases *phases, double part)
{
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	bool near = causal->targets[0].count && fabs(effect->phase_factor - part) < 0.03;
	printf("# factor %.3f, slope %.3f\n", effect->phase_factor, effect->slope.slope);
	for (size_t i = 0; near && i < effect->count; i++) {
		double truth = part * phases->slope * effect->points[i].speedup;
		near = fabs(effect->points[i].gain - truth) < 0.015;
	}
	return near && effect->count == 5;
}

TEST("a target that runs in every other phase has half of the effect that it has where it runs")
{
	const struct phases phases = {2400000000, 0.5, 0.4, 0.05, 0.8};
	struct recording *recording = recording_new();
	add_windows(recording, &phases, 400);
	struct causal *causal = causal_new(recording);
	CHECK(is_scaled_by(causal, &phases, 0.5));
	CHECK(causal->targets[0].experiments > 70 && causal->targets[0].experiments < 110);
	free_both(causal, recording);
}

TEST("windows in which a hot target never ran give no answer")
{
	const struct phases phases = {0, 1, 0.4, 0.05, 0};
	struct recording *recording = recording_new();
	add_windows(recording, &phases, 100);
	struct causal *causal = causal_new(recording);
	CHECK_EQUAL(causal->targets[0].count, 1);
	causal_free(causal);
	for (size_t i = 0; i < recording->experiments.count; i++)
		recording->experiments.items[i].target_ns = 0;
	causal = causal_new(recording);
	CHECK_EQUAL(causal->targets[0].count, 0);
	free_both(causal, recording);
}

/* The engine was stopped for a third of the run, and a buffer took no samples. */
TEST("time in which samples were lost is no phase without the target")
{
	const struct phases phases = {0, 1, 0.4, 0.05, 0.8};
	struct recording *recording = recording_new();
	add_windows(recording, &phases, 400);
	struct recording_run *run = &recording->runs.items[0];
	run->wall_ns = 3 * run->baseline_ns;
	run->baseline_ns *= 2;
	run->lost = run->samples / 2;
	struct causal *causal = causal_new(recording);
	CHECK(is_scaled_by(causal, &phases, 1));
	causal_free(causal);
	run->lost = 0;
	causal = causal_new(recording);
	CHECK(is_scaled_by(causal, &phases, 0.5));
	free_both(causal, recording);
}

/*
 * The last half of the run, after all windows, has one thread in the target instead of two: half of
 * its time, and all of what a speedup of its threads brings.
 */
TEST("a phase with fewer threads in the target is none in which it matters less")
{
	const struct phases phases = {0, 1, 0.4, 0.05, 0.8};
	struct recording *recording = recording_new();
	add_windows(recording, &phases, 400);
	struct recording_run *run = &recording->runs.items[0];
	struct recording_sample *sample = &recording->samples.items[0];
	sample->baseline_sampled_ns = sample->baseline_sampled_ns * 3 / 4;
	struct causal *causal = causal_new(recording);
	CHECK(is_scaled_by(causal, &phases, 0.75)); /* a file before version 19 */
	causal_free(causal);
	sample->baseline_alone_ns = (uint64_t)((double)run->baseline_ns * phases.activity);
	for (size_t i = 0; i < recording->experiments.count; i++)
		recording->experiments.items[i].target_alone_ns =
			recording->experiments.items[i].target_ns / 2;
	causal = causal_new(recording);
	CHECK(is_scaled_by(causal, &phases, 1));
	free_both(causal, recording);
}

TEST("a target that runs in short phases, an eighth of the time, has an eighth of the effect")
{
	const struct phases phases = {4800000000, 0.125, 0.4, 0.05, 0.8};
	struct recording *recording = recording_new();
	add_windows(recording, &phases, 1000);
	struct causal *causal = causal_new(recording);
	CHECK(is_scaled_by(causal, &phases, 0.125));
	free_both(causal, recording);
}

TEST("a target that always runs, but more or less, keeps all its windows")
{
	const struct phases phases = {0, 1, 0.4, 0.2, 0.8};
	struct recording *recording = recording_new();
	add_windows(recording, &phases, 400);
	unsigned controls = 0;
	for (size_t i = 0; i < recording->experiments.count; i++)
		controls += recording->experiments.items[i].speedup == 0;
	struct causal *causal = causal_new(recording);
	CHECK(is_scaled_by(causal, &phases, 1));
	CHECK_NEAR(causal->targets[0].effects[0].phase_factor, 1, 0);
	CHECK_EQUAL(causal->targets[0].experiments, 400 - controls);
	CHECK_EQUAL(causal->targets[0].effects[0].points[0].windows, controls);
	free_both(causal, recording);
}

TEST("time that other programs took is no phase of the target")
{
	const struct phases phases = {0, 1, 0.4, 0.05, 0.8};
	struct recording *recording = recording_new();
	add_windows(recording, &phases, 400);
	for (size_t i = 0; i < 400; i += 4) {
		/* A quarter of the windows lost half of their time, as a quarter of the run did. */
		struct recording_experiment *experiment = &recording->experiments.items[i];
		experiment->verdict = VERDICT_DISPLACED;
		experiment->displaced_ns = experiment->duration_ns / 2;
		experiment->sampled_ns /= 2;
		experiment->target_ns /= 2;
	}
	recording->samples.items[0].baseline_sampled_ns =
		recording->samples.items[0].baseline_sampled_ns / 8 * 7;
	struct causal *causal = causal_new(recording);
	CHECK(is_scaled_by(causal, &phases, 1));
	free_both(causal, recording);
}

TEST("a target with a sample now and then keeps the windows without any")
{
	const struct phases phases = {0, 1, 0.4, 0.05, 0};
	struct recording *recording = recording_new();
	add_windows(recording, &phases, 200);
	unsigned others = 0;
	for (size_t i = 0; i < recording->experiments.count; i++) {
		recording->experiments.items[i].target_ns = i % 3 ? 0 : 750000;
		others += recording->experiments.items[i].speedup > 0;
	}
	struct recording_sample *sample = &recording->samples.items[0];
	sample->sampled_ns = sample->baseline_sampled_ns =
		recording->runs.items[0].sampled_ns / 800;
	struct causal *causal = causal_new(recording);
	CHECK_EQUAL(causal->targets[0].experiments, others);
	free_both(causal, recording);
}

TEST("a run that died before it wrote its sums is not phase-corrected")
{
	struct recording *recording = recording_new();
	add_pairs(recording, 1, 1250, 10);
	*array_add(&recording->samples) =
		(struct recording_sample){1, 1, 10, 10000000, 10000000, 0};
	struct causal *causal = causal_new(recording);
	CHECK_NEAR(causal->targets[0].effects[0].phase_factor, 1, 0);
	free_both(causal, recording);
}

TEST("an empty recording has no answers")
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	struct causal *causal = causal_new(recording);
	CHECK_EQUAL(causal->count, 0);
	CHECK_EQUAL(causal->experiments, 0);
	free_both(causal, recording);
}

TEST("a gain is no larger than the target's charge, and no effect then where that is small")
{
	struct recording *recording = recording_new();
	add_pairs(recording, 1, 1250, 10);
	recording->runs.items[0].period_ns = 250000;
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		struct recording_visit *visit = &experiment->visits.items[0];
		/* As much effective time as before; paused for 0.5 % of that. */
		visit->delay_ns = experiment->speedup > 0 ? 500000 : 0;
		visit->duration_ns = 100000000 + visit->delay_ns;
		experiment->target_ns = 1000000;
	}
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	CHECK(effect->slope_most > 0.01 && effect->slope_most < 0.04);
	CHECK(effect->points[effect->count - 1].gain <= 0.5 * effect->slope_most + 1e-9);
	CHECK(effect->ceiling <= CERTAINTY_CONTENDED_MOST * effect->slope_most);
	for (int i = 1; i <= 10; i++) {
		struct effect_point at;
		if (!certainty_effect_at(effect, 0.1 * i, &at))
			CHECK(at.gain <= 0.1 * i * effect->slope_most + 1e-9 && at.high >= at.gain);
	}
	CHECK(effect->tendency > 0.39);
	free_both(causal, recording);
}

/*
 * Pairs whose windows at speedup 0.5 took `effective_ns` for each visit of 100 us, and pauses of
 * 30 us; periods alternate by `noise_share`.
 */
static struct recording *charged_pairs(double effective_ns, double noise_share)
{
	struct recording *recording = recording_new();

	add_pairs(recording, 1, 1000, 10);
	recording->runs.items[0].period_ns = 250000;
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		struct recording_visit *visit = &experiment->visits.items[0];
		bool fast = experiment->speedup > 0;
		double period = fast ? effective_ns : 100000;

		visit->visits = 1000 / (1 + noise_share * ((double)(i * 7 % 5) - 2));
		visit->delay_ns = fast ? 30000000 : 0;
		visit->duration_ns = visit->delay_ns + (uint64_t)(1000 * period);
		experiment->duration_ns = visit->duration_ns;
		experiment->target_ns = 60000000;
		experiment->sampled_ns = (uint64_t)(100000 * visit->visits);
	}
	return recording;
}

TEST("a gain that surely exceeds the charge is contention's: it is told, and less sure")
{
	struct recording *recording = charged_pairs(60000, 0.001);
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	const struct effect_point *point = &effect->points[effect->count - 1];
	CHECK(0.5 * effect->slope_most < 0.38);
	CHECK(effect->exceeds_charge);
	CHECK_NEAR(point->gain, 0.4, 0.005);
	CHECK(point->high - point->low > 0.05);
	CHECK(effect->ceiling > effect->slope_most);
	free_both(causal, recording);
}

/* One of four fast windows, at speedup 0.5, is in a phase with more of the target: 80 for 30 %. */
TEST("a gain in a phase with more of the target does not exceed the charge")
{
	struct recording *recording = charged_pairs(60000, 0.001);
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		struct recording_visit *visit = &experiment->visits.items[0];
		bool is_rich = i % 8 == 1;
		if (!(experiment->speedup > 0))
			continue;
		experiment->speedup = is_rich ? 0.5 : 0.25;
		visit->delay_ns = is_rich ? 40000000 : 7500000;
		visit->duration_ns = visit->delay_ns + (is_rich ? 60000000 : 92500000);
		experiment->duration_ns = visit->duration_ns;
	}
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	CHECK(effect->slope_suspect < 0.75);
	CHECK_NEAR(effect->points[effect->count - 1].speedup, 0.5, 0);
	CHECK(!effect->exceeds_charge);
	CHECK(effect->points[effect->count - 1].gain < 0.39);
	free_both(causal, recording);
}

TEST("a gain that may exceed the charge is cut to it, and its interval holds both")
{
	struct recording *recording = charged_pairs(60000, 0.04);
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	const struct effect_point *point = &effect->points[effect->count - 1];
	CHECK(!effect->exceeds_charge);
	CHECK_NEAR(point->gain, 0.5 * effect->slope_most, 1e-9);
	CHECK(point->high > 0.38 && point->high < 0.42);
	CHECK(effect->ceiling >= point->high);
	free_both(causal, recording);
}

TEST("doubt whether queues have settled is none about a gain above the charge")
{
	struct recording *recording = charged_pairs(60000, 0.001);
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		if (experiment->speedup > 0)
			experiment->sampled_ns = experiment->sampled_ns * 7 / 10;
	}
	struct causal *causal = causal_new(recording);
	const struct causal_effect *effect = &causal->targets[0].effects[0];
	const struct effect_point *point = &effect->points[effect->count - 1];
	CHECK(effect->is_widened);
	CHECK(point->low < 0.2);
	CHECK(effect->exceeds_charge);
	CHECK_NEAR(point->gain, 0.4, 0.005);
	CHECK(point->high > 0.4);
	free_both(causal, recording);
}

/* As if other programs had a core for 10 or 18 % of the time, which makes periods longer. */
static void displace(struct recording *recording)
{
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *experiment = &recording->experiments.items[i];
		struct recording_visit *visit = &experiment->visits.items[0];
		double share = i % 4 < 2 ? 0.1 : 0.18;
		double effective_ns = (double)(visit->duration_ns - visit->delay_ns);

		visit->duration_ns = visit->delay_ns + (uint64_t)(effective_ns / (1 - 0.5 * share));
		experiment->duration_ns = visit->duration_ns;
		experiment->displaced_ns =
			(uint64_t)(share * (double)(visit->duration_ns - visit->delay_ns));
	}
}

TEST("the charge bounds gains of an undisturbed program, also where other programs disturbed it")
{
	double most[2];

	for (int i = 0; i < 2; i++) {
		struct recording *recording = charged_pairs(70000, 0.001);
		if (i)
			displace(recording);
		struct causal *causal = causal_new(recording);
		most[i] = causal->targets[0].effects[0].slope_most;
		CHECK_EQUAL(causal->displaced, 0);
		free_both(causal, recording);
	}
	CHECK_NEAR(most[1], most[0], 0.02 * most[0]);
}
