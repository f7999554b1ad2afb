/* SPDX-License-Identifier: BSD-2-Clause */
/* scale - runs are pooled and compared, and preconditions checked. */
#include "analyze/scale/scale.h"

#include "check.h"

#include <math.h>

#define SECOND 1000000000ull

static struct recording *new_recording(void)
{
	return memory_new(1, sizeof(struct recording));
}

/* A run of `serial` seconds with one thread and `parallel` with two, on so many cores. */
static struct recording_parallel *add_run(struct recording *recording, int64_t session,
					  unsigned cores, double serial, double parallel)
{
	int64_t id = (int64_t)recording->runs.count + 1;
	double seconds[] = {0, serial, parallel};

	*array_add(&recording->runs) =
		(struct recording_run){.id = id, .kind = RUN_SCALE, .finished = true};
	for (unsigned i = 1; i < 3; i++)
		*array_add(&recording->levels) =
			(struct recording_level){.run_id = id,
						 .threads = i,
						 .wall_ns = (uint64_t)(seconds[i] * SECOND),
						 .running_ns = (uint64_t)(seconds[i] * SECOND) *
							       (i < cores ? i : cores)};
	*array_add(&recording->parallels) = (struct recording_parallel){.run_id = id,
									.session_id = session,
									.asked = text_copy("1,2,4"),
									.cores = cores,
									.machine_cores = 2,
									.threads = 2,
									.most_threads = 2,
									.wakes = 10};
	return &recording->parallels.items[recording->parallels.count - 1];
}

/* From the run's one slice, in which two threads ran. */
static void steal(struct recording *recording, int64_t run_id, uint64_t stolen_ns)
{
	*array_add(&recording->levels) = (struct recording_level){.run_id = run_id,
								  .slice = 1,
								  .threads = 2,
								  .wall_ns = 8 * SECOND,
								  .running_ns = 8 * SECOND};
	*array_add(&recording->steals) = (struct recording_steal){run_id, 1, stolen_ns};
}

static bool warns(const struct scale *scale, const char *words)
{
	for (size_t i = 0; i < scale->warnings.count; i++)
		if (strstr(scale->warnings.items[i], words))
			return true;
	return false;
}

TEST("runs are pooled, and the formula answers from each of them")
{
	struct recording *recording = new_recording();
	add_run(recording, 1, 1, 2, 4);
	add_run(recording, 1, 1, 2, 6);
	struct scale *scale = scale_new(recording);
	CHECK_EQUAL(scale->runs.count, 2);
	CHECK_EQUAL(scale->levels.count, 2);
	CHECK_NEAR(scale->wall_ns, 7e9, 1);
	CHECK_NEAR(scale->serial_share, 2.0 / 7, 1e-12);
	CHECK_NEAR(scale->mean_active, (2 + 2 * 5) / 7.0, 1e-12);
	CHECK_NEAR(scale->mean_running, 1, 1e-12);
	const struct scale_prediction *prediction = scale_prediction(scale, 2, SCALE_FORMULA);
	CHECK(prediction);
	CHECK_NEAR(prediction->wall_ns, 4.5e9, 1);
	CHECK_EQUAL(prediction->runs, 2);
	CHECK(prediction->low_ns < 4e9 && prediction->high_ns > 5e9);
	CHECK(!scale_prediction(scale, 2, SCALE_GROWTH));
	CHECK(!scale_prediction(scale, 3, SCALE_FORMULA));
	CHECK_EQUAL(scale_best_model(scale, 2), SCALE_FORMULA);
	scale_free(scale);
	recording_free(recording);
}

/* Another host's part of the first host's run. */
static void add_beside(struct recording *recording, int64_t first_id, double serial,
		       double parallel)
{
	struct recording_parallel *row = add_run(recording, 1, 2, serial, parallel);
	struct recording_run *run = &recording->runs.items[recording->runs.count - 1];

	run->host = text_copy("db1");
	*array_add(&recording->clocks) =
		(struct recording_clock){.run_id = row->run_id, .first_run_id = first_id};
}

TEST("runs of other hosts are counted for these, and the first one's answer is not theirs")
{
	struct recording *recording = new_recording();
	int64_t first = add_run(recording, 1, 1, 2, 4)->run_id;
	add_beside(recording, first, 8, 2);
	int64_t second = add_run(recording, 1, 1, 2, 6)->run_id;
	add_beside(recording, second, 6, 4);
	recording->runs.items[0].host = text_copy("here");
	struct scale *scale = scale_new(recording);
	CHECK_EQUAL(scale->runs.count, 2);
	CHECK_EQUAL(scale->others.count, 0);
	CHECK_EQUAL(scale->cores, 1);
	CHECK_NEAR(scale->wall_ns, 7e9, 1);
	CHECK_EQUAL(scale->hosts.count, 2);
	const struct scale_host *here = &scale->hosts.items[0], *there = &scale->hosts.items[1];
	CHECK_TEXT(here->name, "here");
	CHECK_TEXT(there->name, "db1");
	CHECK_EQUAL(there->runs, 2);
	CHECK_EQUAL(there->cores, 2);
	CHECK_NEAR(there->mean_active, 1.3, 1e-12);
	CHECK_NEAR(there->serial_share, 0.7, 1e-12);
	CHECK_NEAR(here->mean_active, scale->mean_active, 1e-12);
	/* The formulas know the first host only; without a log there is no other answer. */
	CHECK_EQUAL(scale->predictions.count, 0);
	CHECK_EQUAL(there->gains.count, 0);
	scale_free(scale);
	recording_free(recording);
}

TEST("the interval grows with the spread of the runs, and with the distance in cores")
{
	struct recording *calm = new_recording(), *noisy = new_recording();
	for (int i = 0; i < 3; i++) {
		add_run(calm, 1, 1, 2, 4);
		add_run(noisy, 1, 1, 2, 4 + i);
	}
	struct scale *one = scale_new(calm), *other = scale_new(noisy);
	const struct scale_prediction *near = scale_prediction(one, 2, SCALE_FORMULA);
	const struct scale_prediction *far = scale_prediction(one, 4, SCALE_FORMULA);
	const struct scale_prediction *wide = scale_prediction(other, 2, SCALE_FORMULA);
	/* Without spread: 1.96 times the model's error. */
	CHECK_NEAR((near->high_ns - near->low_ns) / near->wall_ns / 2,
		   1.96 * scale_model_error(SCALE_FORMULA, 0), 1e-4);
	CHECK_NEAR((far->high_ns - far->low_ns) / far->wall_ns / 2,
		   2 * 1.96 * scale_model_error(SCALE_FORMULA, 0), 1e-4);
	CHECK((wide->high_ns - wide->low_ns) / wide->wall_ns >
	      2 * (near->high_ns - near->low_ns) / near->wall_ns);
	CHECK(warns(other, "runs on 1 core differ by 33 % in CPU time"));
	CHECK(!warns(one, "in CPU time"));
	scale_free(one);
	scale_free(other);
	recording_free(calm);
	recording_free(noisy);
}

TEST("stolen time is taken off its levels, by all models but `paper`")
{
	struct recording *recording = new_recording();
	add_run(recording, 1, 1, 2, 8);
	steal(recording, 1, 2 * SECOND);
	struct scale *scale = scale_new(recording);
	CHECK_NEAR(scale->stolen_ns, 2e9, 1);
	CHECK_NEAR(scale->own_ns, 8e9, 1);
	CHECK_NEAR(scale->cpu_ns, 8e9, 1);
	CHECK_NEAR(scale->levels.items[0].stolen_ns, 0, 1);
	/* Two threads had the 8 s, of which 2 s were stolen. */
	CHECK_NEAR(scale_prediction(scale, 2, SCALE_FORMULA)->wall_ns, 2e9 + 6e9 / 2, 1);
	CHECK_NEAR(scale_prediction(scale, 2, SCALE_PAPER)->wall_ns, 2e9 + 8e9 / 2, 1);
	scale_free(scale);
	recording_free(recording);
}

TEST("more taken time widens the interval")
{
	double half[3];

	for (unsigned i = 0; i < 3; i++) {
		struct recording *recording = new_recording();
		add_run(recording, 1, 1, 2, 8);
		steal(recording, 1, i * SECOND);
		struct scale *scale = scale_new(recording);
		const struct scale_prediction *prediction =
			scale_prediction(scale, 2, SCALE_FORMULA);
		half[i] = (prediction->high_ns - prediction->wall_ns) / prediction->wall_ns;
		scale_free(scale);
		recording_free(recording);
	}
	CHECK_NEAR(half[0], 1.96 * scale_model_error(SCALE_FORMULA, 0), 1e-3);
	/* Of 9 s left, 1 s was taken off, and may be wrong by its half. */
	CHECK_NEAR(half[1], 1.96 * hypot(scale_model_error(SCALE_FORMULA, 0), 0.58 / 9), 1e-3);
	CHECK_NEAR(half[2], 1.96 * hypot(scale_model_error(SCALE_FORMULA, 0), 0.58 * 2 / 8), 1e-3);
}

TEST("runs on other cores that differ widen the interval, too")
{
	double half[2];

	for (unsigned i = 0; i < 2; i++) {
		struct recording *recording = new_recording();
		for (unsigned j = 0; j < 3; j++)
			add_run(recording, 1, 2, 0, 4);
		for (unsigned j = 0; j < 2; j++)
			add_run(recording, 1, 1, 0, 8 + 0.8 * i * j);
		struct scale *scale = scale_new(recording);
		const struct scale_prediction *prediction =
			scale_prediction(scale, 1, SCALE_FORMULA);
		half[i] = (prediction->high_ns - prediction->wall_ns) / prediction->wall_ns;
		scale_free(scale);
		recording_free(recording);
	}
	/* Two runs 10 % apart, four degrees of freedom less one; the model's own error is 5 %. */
	CHECK(half[1] > 1.2 * half[0]);
}

TEST("a run on other cores tells the growth of CPU time, and is measured")
{
	struct recording *recording = new_recording();
	add_run(recording, 1, 1, 4, 8);
	add_run(recording, 1, 2, 4, 5);
	struct scale *scale = scale_new(recording);
	CHECK(scale->has_growth);
	CHECK_NEAR(scale->growth, 0.25, 1e-6);
	CHECK_NEAR(scale_prediction(scale, 2, SCALE_GROWTH)->wall_ns, 9e9, 1e4);
	CHECK_NEAR(scale_prediction(scale, 2, SCALE_FORMULA)->wall_ns, 8e9, 1);
	CHECK_EQUAL(scale_best_model(scale, 2), SCALE_GROWTH);
	CHECK_EQUAL(scale->measured.count, 2);
	CHECK_EQUAL(scale->measured.items[1].cores, 2);
	CHECK_NEAR(scale->measured.items[1].wall_ns, 9e9, 1);
	CHECK(warns(scale, "CPU time grows by 25 %"));
	scale_free(scale);
	recording_free(recording);
}

TEST("a model's error on other cores widens its interval, and the closest model is believed")
{
	struct recording *recording = new_recording();
	add_run(recording, 1, 1, 4, 8);
	/* As much CPU time as on one core, but on three quarters of the two that were wanted. */
	struct recording_parallel *other = add_run(recording, 1, 2, 4, 5);
	CHECK_EQUAL(other->cores, 2);
	recording->levels.items[3].running_ns = 8 * SECOND;
	struct scale *scale = scale_new(recording);
	const struct scale_prediction *formula = scale_prediction(scale, 2, SCALE_FORMULA);
	CHECK_NEAR(scale->growth, 0, 1e-6);
	CHECK_NEAR(scale->core_growth, 0.25, 1e-6);
	CHECK_NEAR(scale->prediction_errors[SCALE_FORMULA], 8.0 / 9 - 1, 1e-9);
	CHECK_NEAR(scale->prediction_errors[SCALE_GROWTH], 0, 1e-6);
	CHECK(!isfinite(scale->prediction_errors[SCALE_REPLAY]));
	CHECK_NEAR((formula->high_ns - formula->wall_ns) / formula->wall_ns, 1.96 / 9, 1e-3);
	CHECK_EQUAL(scale_best_model(scale, 2), SCALE_GROWTH);
	/* If errors are about equal, the model with most information is believed. */
	scale->prediction_errors[SCALE_GROWTH] = scale->prediction_errors[SCALE_FORMULA] - 0.02;
	CHECK_EQUAL(scale_best_model(scale, 2), SCALE_GROWTH);
	scale->prediction_errors[SCALE_GROWTH] = scale->prediction_errors[SCALE_FORMULA] - 0.04;
	CHECK_EQUAL(scale_best_model(scale, 2), SCALE_FORMULA);
	scale_free(scale);
	recording_free(recording);
}

TEST("only finished runs of the last session count")
{
	struct recording *recording = new_recording();
	add_run(recording, 1, 1, 2, 4);
	add_run(recording, 2, 2, 3, 3);
	add_run(recording, 2, 2, 30, 30);
	recording->runs.items[2].finished = false;
	struct scale *scale = scale_new(recording);
	CHECK_EQUAL(scale->cores, 2);
	CHECK_EQUAL(scale->runs.count, 1);
	CHECK_EQUAL(scale->others.count, 0);
	CHECK_NEAR(scale_prediction(scale, 1, SCALE_FORMULA)->wall_ns, 9e9, 1);
	scale_free(scale);
	recording_keep_session(recording);
	CHECK_EQUAL(recording->runs.count, 2);
	recording_free(recording);
}

TEST("threads by cores, spinning, other programs, stolen time and a kill give warnings")
{
	struct recording *recording = new_recording();
	struct recording_parallel *run = add_run(recording, 1, 1, 4, 8);
	run->yields = 100000;
	run->escapes = 50;
	run->switches = 100;
	recording->levels.items[1].displaced_ns = SECOND;
	steal(recording, 1, SECOND);
	struct recording_parallel *other = add_run(recording, 1, 2, 4, 3.5);
	other->most_threads = other->threads = 5;
	recording->runs.items[0].exit_status = 9; /* as waitpid gives a SIGKILL */
	struct scale *scale = scale_new(recording);
	CHECK(warns(scale, "signal 9 ended the program in 1 of 1 runs"));
	CHECK(warns(scale, "up to 2 threads at once on 1 core and 5 on 2"));
	CHECK(warns(scale, "sched_yield"));
	CHECK(warns(scale, "other programs took 8.3 %"));
	CHECK(warns(scale, "hypervisor took 8.3 %"));
	CHECK(warns(scale, "chose cores by itself"));
	CHECK(!warns(scale, "grows"));
	scale_free(scale);
	recording_free(recording);
}

TEST("phases are cut where the number of active threads changes")
{
	struct recording *recording = new_recording();
	add_run(recording, 1, 2, 4, 8);
	for (unsigned i = 0; i < 60; i++)
		*array_add(&recording->levels) =
			(struct recording_level){.run_id = 1,
						 .slice = i + 1,
						 .threads = i < 20 || i >= 50 ? 1 : 4,
						 .begin_ns = i * SECOND,
						 .wall_ns = SECOND,
						 .running_ns = SECOND};
	struct scale *scale = scale_new(recording);
	CHECK_EQUAL(scale->slices.count, 60);
	CHECK_EQUAL(scale->phases.count, 3);
	CHECK_NEAR(scale->phases.items[1].begin_ns, 20e9, 1);
	CHECK_NEAR(scale->phases.items[1].wall_ns, 30e9, 1);
	CHECK_NEAR(scale->phases.items[1].active, 4, 1e-9);
	scale_free(scale);
	recording_free(recording);
}

TEST("without a run there is no answer")
{
	struct recording *recording = new_recording();
	struct scale *scale = scale_new(recording);
	CHECK_EQUAL(scale->runs.count, 0);
	CHECK_EQUAL(scale->predictions.count, 0);
	scale_free(scale);
	recording_free(recording);
}
