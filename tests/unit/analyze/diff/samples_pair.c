/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of analyze/diff/samples_pair.h on recordings whose truth is known: functions take their
 * share of a run, times what the run differs by, and are sampled at random.
 */
#include "analyze/diff/samples_pair.h"
#include "check.h"
#include "stats/random.h"

#include <math.h>

#define FUNCTIONS 12
#define PERIOD_NS 1e6

struct program {
	unsigned runs;
	double samples[FUNCTIONS]; /* expected of a run */
	double run_noise;          /* standard deviation of a run's speed */
	int exit_status;
	uint64_t wall_ns;
};

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_uniform(random))) * cos(2 * M_PI * random_uniform(random));
}

/* A Poisson number, by counting exponential waits. */
static unsigned poisson(struct random *random, double mean)
{
	unsigned count = 0;

	for (double at = -log(1 - random_uniform(random)); at < mean; count++)
		at -= log(1 - random_uniform(random));
	return count;
}

static void add_run(struct recording *recording, struct random *random,
		    const struct program *program, int64_t id)
{
	double speed = exp(program->run_noise * normal(random));

	*array_add(&recording->runs) =
		(struct recording_run){.id = id,
				       .command = text_copy("[\"./server\"]"),
				       .wall_ns = program->wall_ns,
				       .exit_status = program->exit_status,
				       .kind = RUN_SAMPLES};
	*array_add(&recording->threads) = (struct recording_thread){.id = id, .run_id = id};
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		uint64_t count = poisson(random, speed * program->samples[i]);
		if (count)
			*array_add(&recording->stack_samples) = (struct recording_stack_sample){
				.run_id = id,
				.thread_id = id,
				.stack_id = i + 1,
				.class = CLASS_USER,
				.samples = count,
				.weight_ns = (uint64_t)((double)count * PERIOD_NS),
				.variance = (double)count * PERIOD_NS * PERIOD_NS,
			};
	}
}

static struct recording *recorded(const struct program *program, uint64_t seed)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	struct random random = random_seeded(seed);

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		*array_add(&recording->frames) =
			(struct recording_frame){.id = i + 1, .function = text_format("f%u", i)};
		*array_add(&recording->stacks) =
			(struct recording_stack){.id = i + 1, .frame_id = i + 1};
	}
	for (unsigned run = 0; run < program->runs; run++)
		add_run(recording, &random, program, run + 1);
	return recording;
}

static struct program usual(unsigned runs)
{
	struct program program = {.runs = runs, .run_noise = 0.03};

	for (unsigned i = 0; i < FUNCTIONS; i++)
		program.samples[i] = 100 + 60 * i;
	return program;
}

struct outcome {
	unsigned pairs, any_changed, main_changed, main_held, sure_totals, gates_failed;
};

/* `truth`: of function 5, after / before - 1. */
static struct outcome compared(const struct program *before, const struct program *after,
			       double truth, unsigned pairs)
{
	struct outcome outcome = {.pairs = pairs};

	for (unsigned i = 0; i < pairs; i++) {
		struct recording *left = recorded(before, 2 * i + 1);
		struct recording *right = recorded(after, 2 * i + 2);
		struct samples_pair *pair = NULL;
		struct error error = {0};
		if (!samples_pair_new(left, right, 0.03, &pair, &error)) {
			outcome.any_changed += pair->changed > 0;
			outcome.sure_totals += pair->on_cpu.is_sure;
			outcome.gates_failed += pair->gate == GATE_FAILED;
			for (size_t j = 0; j < pair->count; j++) {
				const struct samples_function *function = &pair->functions[j];
				if (!check_same_text(
					    samples_function_either(function)->frame->function,
					    "f5"))
					continue;
				outcome.main_changed += function->change.is_sure;
				outcome.main_held += function->change.low <= truth &&
						     truth <= function->change.high;
			}
		}
		samples_pair_free(pair);
		recording_free(left);
		recording_free(right);
	}
	return outcome;
}

TEST("of unchanged programs with five runs each, at most 1 in 20 have a changed function")
{
	struct program program = usual(5);
	struct outcome outcome = compared(&program, &program, 0, 1000);

	printf("# %u of %u had a changed function, %u a sure total\n", outcome.any_changed,
	       outcome.pairs, outcome.sure_totals);
	CHECK(outcome.any_changed <= 75 && outcome.sure_totals <= 75);
	CHECK(outcome.main_held >= 925);
	CHECK(outcome.gates_failed <= 20);
}

TEST("a function that takes a third less is found, and its interval holds the truth")
{
	struct program before = usual(5), after = usual(5);
	after.samples[5] *= 0.67;
	struct outcome outcome = compared(&before, &after, -0.33, 200);

	printf("# found in %u, held in %u of %u\n", outcome.main_changed, outcome.main_held,
	       outcome.pairs);
	CHECK(outcome.main_changed >= 190);
	CHECK(outcome.main_held >= 180);
}

TEST("one run a side counts samples, and finds what is half")
{
	struct program before = usual(1), after = usual(1);
	before.run_noise = after.run_noise = 0.01;
	after.samples[5] *= 0.5;
	struct outcome outcome = compared(&before, &after, -0.5, 200);

	CHECK(outcome.main_changed >= 195);
	CHECK(outcome.main_held >= 180);
}

TEST("code that is new or gone is sure by its samples alone")
{
	struct program before = usual(3), after = usual(3);
	before.samples[5] = 0;
	struct outcome appeared = compared(&before, &after, 0, 20);
	struct outcome vanished = compared(&after, &before, 0, 20);

	CHECK(appeared.main_changed == 20);
	CHECK(vanished.main_changed == 20);
}

TEST("processes that ran already are compared by the second")
{
	struct program before = usual(1), after = usual(1);
	before.run_noise = after.run_noise = 0.01;
	before.exit_status = after.exit_status = -1;
	before.wall_ns = 1000000000;
	after.wall_ns = 4000000000;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		after.samples[i] *= 4;
	struct outcome outcome = compared(&before, &after, 0, 50);

	CHECK(outcome.any_changed <= 8);
}

TEST("a recording without a sample is refused with its side")
{
	struct program program = usual(1), nothing = {.runs = 1};
	struct recording *before = recorded(&program, 1), *after = recorded(&nothing, 2);
	struct samples_pair *pair = NULL;
	struct error error = {0};

	CHECK(samples_pair_new(before, after, -1, &pair, &error) < 0);
	CHECK(strstr(error.text, "after the change holds no sample"));
	recording_free(before);
	recording_free(after);
}

TEST("code of which nothing is known is compared with none")
{
	struct program program = usual(1);
	struct recording *before = recorded(&program, 1), *after = recorded(&program, 2);
	struct samples_pair *pair = NULL;
	struct error error = {0};

	free(before->frames.items[5].function);
	free(after->frames.items[5].function);
	before->frames.items[5].function = after->frames.items[5].function = NULL;
	CHECK(!samples_pair_new(before, after, -1, &pair, &error));
	CHECK(pair && pair->count == FUNCTIONS + 1);
	samples_pair_free(pair);
	recording_free(before);
	recording_free(after);
}

/* Gives a function its line's hash, and another name if one is given. */
static void say(struct recording *recording, unsigned function, const char *content,
		const char *name)
{
	struct recording_frame *frame = &recording->frames.items[function];

	frame->content = text_copy(content);
	if (!name)
		return;
	free(frame->function);
	frame->function = text_copy(name);
}

static bool has_note(const struct samples_pair *pair, const char *text)
{
	bool has = false;

	for (size_t i = 0; i < pair->notes.count; i++)
		has |= strstr(pair->notes.items[i], text) != NULL;
	return has;
}

TEST("a function with another name whose lines say the same is compared with what it was")
{
	struct program program = usual(5);
	struct recording *left = recorded(&program, 1), *right = recorded(&program, 2);
	struct samples_pair *pair = NULL;
	struct error error = {0};

	say(left, 5, "00000000000000aa", "lookup_in_table");
	say(right, 5, "00000000000000aa", "find");
	CHECK_EQUAL(samples_pair_new(left, right, -1, &pair, &error), 0);
	CHECK(has_note(pair, "lookup_in_table has another name after: find"));
	for (size_t i = 0; i < pair->count; i++)
		CHECK(pair->functions[i].sides[0] && pair->functions[i].sides[1]);
	samples_pair_free(pair);
	recording_free(left);
	recording_free(right);
}

TEST("the time of a function that is in another one after is taken together with it")
{
	struct program before = usual(5), after = usual(5);

	after.samples[7] += after.samples[5];
	after.samples[5] = 0;
	struct recording *left = recorded(&before, 1), *right = recorded(&after, 2);
	struct samples_pair *pair = NULL;
	struct error error = {0};
	/* Of f7's samples after, as many as f5 had are on f5's line. */
	say(left, 5, "00000000000000aa", NULL);
	for (size_t i = 0; i < right->stack_samples.count; i++) {
		struct recording_stack_sample *sample = &right->stack_samples.items[i];
		if (sample->stack_id == 8)
			sample->stack_id = 6;
	}
	say(right, 5, "00000000000000aa", "f7");
	CHECK_EQUAL(samples_pair_new(left, right, -1, &pair, &error), 0);
	CHECK(has_note(pair, "the code of f5 is in f7 after"));
	for (size_t i = 0; i < pair->count; i++)
		CHECK(!pair->functions[i].change.is_sure);
	samples_pair_free(pair);
	recording_free(left);
	recording_free(right);
}
