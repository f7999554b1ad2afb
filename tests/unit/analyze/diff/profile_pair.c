/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of analyze/diff/profile_pair.h on recordings whose truth is known: a visit takes SEARCH_NS
 * in one thread's function `search`, beside it `checksum` in another one.
 */
#include "analyze/diff/profile_pair.h"
#include "check.h"
#include "stats/random.h"

#include <math.h>

#define VISIT_NS 1e6
#define WINDOW_NS 50e6
#define WINDOWS 240

struct program {
	double search_share; /* of a visit's time; a speedup of it gains so much */
	double realised;     /* part of the search that is left out */
	double gain;         /* of a visit's time by that */
	const char *command, *point, *search;
	const char *host, *machine;
	bool has_line;   /* rows of the search's line beside those of the function */
	double slowness; /* of the machine; 0: as usual */
	double noise;
	uint64_t seed;
};

static double normal(struct random *random)
{
	return sqrt(-2 * log(1 - random_uniform(random))) * cos(2 * M_PI * random_uniform(random));
}

static void add_window(struct recording *recording, struct random *random,
		       const struct program *program, size_t number)
{
	struct recording_experiment *window = array_add(&recording->experiments);
	double speedup = number % 2 ? 0.1 * (double)(1 + number / 2 % 5) : 0;
	double period_ns = VISIT_NS * (1 - program->gain) * (1 + program->slowness) *
			   (1 - (program->realised ? 0 : program->search_share * speedup)) *
			   exp(program->noise * normal(random));
	double visits = WINDOW_NS / period_ns;
	/* What the target is charged with: all that it gains. */
	uint64_t delay_ns = (uint64_t)(1.2 * visits * VISIT_NS * program->search_share * speedup);

	*window = (struct recording_experiment){
		.id = (int64_t)number + 1,
		.run_id = 1,
		.target_id = 1,
		.speedup = speedup,
		.start_ns = (uint64_t)((double)number * WINDOW_NS) + 1,
		.duration_ns = (uint64_t)WINDOW_NS + delay_ns,
		.delay_ns = delay_ns,
		.verdict = VERDICT_COUNTED,
		.series_index = -1,
		.target_ns = (uint64_t)(visits * VISIT_NS * 0.6 * (1 - program->realised)),
		.sampled_ns = (uint64_t)(visits * VISIT_NS),
	};
	struct recording_visit *visit = array_add(&window->visits);
	*visit = (struct recording_visit){.point_id = 1,
					  .visits = visits,
					  .duration_ns = (uint64_t)WINDOW_NS + delay_ns,
					  .delay_ns = delay_ns};
}

static void add_function(struct recording *recording, int64_t id, const char *name,
			 double sampled_ns)
{
	*array_add(&recording->targets) = (struct recording_target){.id = id,
								    .kind = TARGET_FUNCTION,
								    .name = text_copy(name),
								    .function = text_copy(name),
								    .file = text_copy("orders.c"),
								    .line = 7};
	*array_add(&recording->samples) = (struct recording_sample){
		.run_id = 1,
		.target_id = id,
		.samples = (uint64_t)(sampled_ns / 1e6),
		.sampled_ns = (uint64_t)sampled_ns,
		.baseline_sampled_ns = (uint64_t)(sampled_ns / 2),
	};
}

static struct recording *recording_of(struct program program)
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	struct random random = random_seeded(program.seed);
	double visits = 0;

	*array_add(&recording->points) = (struct recording_point){.id = 1,
								  .kind = POINT_THROUGHPUT,
								  .name = text_copy(program.point)};
	for (size_t i = 0; i < WINDOWS; i++)
		add_window(recording, &random, &program, i);
	for (size_t i = 0; i < WINDOWS; i++)
		visits += recording->experiments.items[i].visits.items[0].visits;
	double visit_ns = visits * VISIT_NS * (1 + program.slowness);
	add_function(recording, 1, program.search, visit_ns * 0.6 * (1 - program.realised));
	add_function(recording, 2, "checksum", visit_ns * 0.5);
	if (program.has_line) {
		add_function(recording, 3, program.search, visit_ns * 0.6 * (1 - program.realised));
		recording->targets.items[2].kind = TARGET_LINE;
	}
	*array_add(&recording->totals) =
		(struct recording_total){.run_id = 1, .point_id = 1, .visits = (uint64_t)visits};
	*array_add(&recording->runs) = (struct recording_run){
		.id = 1,
		.command = text_copy(program.command),
		.host = text_copy(program.host),
		.machine = text_copy(program.machine),
		.period_ns = 1000000,
		.samples = (uint64_t)(visits * 1.1),
		.sampled_ns = (uint64_t)(visits * VISIT_NS * 1.1),
		.baseline_ns = (uint64_t)(WINDOWS / 2 * WINDOW_NS),
		.wall_ns = (uint64_t)(WINDOWS * WINDOW_NS),
		.finished = true,
	};
	return recording;
}

static const struct program unchanged = {
	.search_share = 0.6,
	.command = "[\"./orders\",\"5\"]",
	.point = "order",
	.search = "search",
	.host = "here",
	.noise = 0.01,
	.seed = 1,
};

struct outcome {
	int code;
	enum came_true verdict;
	size_t changed, notes;
	double speedup, predicted, measured, low;
	bool is_void;
	enum gate_verdict gate;
	struct error error;
};

static struct outcome judge(struct program before, struct program after, double gate)
{
	struct recording *first = recording_of(before), *second = recording_of(after);
	struct profile_pair *pair = NULL;
	struct outcome outcome = {0};

	outcome.code = profile_pair_new(first, second, gate, NULL, &pair, &outcome.error);
	if (!outcome.code) {
		outcome.verdict = pair->verdict;
		outcome.changed = pair->changed;
		outcome.notes = pair->notes.count;
		outcome.speedup = pair->main ? pair->main->speedup : NAN;
		outcome.predicted = pair->predicted.gain;
		outcome.measured = pair->measured.gain;
		outcome.low = pair->measured.low;
		outcome.is_void = pair->is_void;
		outcome.gate = pair->gate;
	}
	profile_pair_free(pair);
	recording_free(first);
	recording_free(second);
	return outcome;
}

static struct program changed(double realised, double gain)
{
	struct program program = unchanged;
	program.realised = realised;
	program.gain = gain;
	program.seed = 2;
	return program;
}

TEST("a change that gains what its curve says came true")
{
	struct outcome outcome = judge(unchanged, changed(0.3, 0.18), RUN_PAIRS_NO_GATE);

	CHECK_EQUAL(outcome.code, 0);
	CHECK_EQUAL(outcome.verdict, CAME_TRUE);
	CHECK_EQUAL(outcome.changed, 1);
	CHECK_NEAR(outcome.speedup, 0.3, 0.01);
	CHECK_NEAR(outcome.predicted, 0.18, 0.02);
	CHECK_NEAR(outcome.measured, 0.18, 0.02);
}

TEST("a machine that became slower is told by the code that did not change, and taken off")
{
	struct program slower = changed(0.3, 0.18);

	slower.slowness = 0.04;
	struct outcome outcome = judge(unchanged, slower, RUN_PAIRS_NO_GATE);
	CHECK_EQUAL(outcome.changed, 1);
	CHECK_NEAR(outcome.speedup, 0.3, 0.01);
	CHECK_NEAR(outcome.measured, 0.18, 0.02);
	CHECK(outcome.low < 1 - 0.82 * 1.04 && outcome.low > 0.08);
}

TEST("one that gains less fell short, one that gains more is better than predicted")
{
	CHECK_EQUAL(judge(unchanged, changed(0.3, 0.05), RUN_PAIRS_NO_GATE).verdict, FELL_SHORT);
	CHECK_EQUAL(judge(unchanged, changed(0.3, 0.30), RUN_PAIRS_NO_GATE).verdict,
		    BETTER_THAN_PREDICTED);
}

TEST("unchanged code has no changed function, and nothing to tell")
{
	struct program again = unchanged;
	again.seed = 9;
	struct outcome outcome = judge(unchanged, again, RUN_PAIRS_NO_GATE);

	CHECK_EQUAL(outcome.changed, 0);
	CHECK_EQUAL(outcome.verdict, CANNOT_TELL);
	CHECK_NEAR(outcome.measured, 0, 0.01);
}

TEST("another machine or other arguments make the comparison void")
{
	struct program elsewhere = changed(0.3, 0.18), other_input = changed(0.3, 0.18);

	elsewhere.host = "there";
	CHECK(judge(unchanged, elsewhere, RUN_PAIRS_NO_GATE).is_void);
	struct program container = unchanged;
	elsewhere.machine = container.machine = "a processor, 2 cores";
	CHECK(!judge(container, elsewhere, RUN_PAIRS_NO_GATE).is_void);
	elsewhere.machine = "another processor, 2 cores";
	CHECK(judge(container, elsewhere, RUN_PAIRS_NO_GATE).is_void);
	other_input.command = "[\"./orders\",\"6\"]";
	CHECK(judge(unchanged, other_input, RUN_PAIRS_NO_GATE).is_void);
	CHECK_EQUAL(judge(unchanged, other_input, RUN_PAIRS_NO_GATE).verdict, CANNOT_TELL);
}

TEST("a renamed point that is the only one is told, one of several is an error")
{
	struct program moved = changed(0.3, 0.18);

	moved.point = "orders.c:90";
	struct outcome outcome = judge(unchanged, moved, RUN_PAIRS_NO_GATE);
	CHECK_EQUAL(outcome.verdict, CAME_TRUE);
	CHECK(outcome.notes >= 1);
}

TEST("a renamed function is matched by its file and similar name")
{
	struct program renamed = changed(0.3, 0.18);

	renamed.search = "search2";
	CHECK_EQUAL(judge(unchanged, renamed, RUN_PAIRS_NO_GATE).changed, 1);
}

TEST("a function that is a target counts once, beside its lines")
{
	struct program after = changed(0.3, 0.18), before = unchanged;

	before.has_line = after.has_line = true;
	struct outcome outcome = judge(before, after, RUN_PAIRS_NO_GATE);
	CHECK_EQUAL(outcome.changed, 1);
	CHECK_NEAR(outcome.predicted, 0.18, 0.02);
	CHECK_EQUAL(outcome.verdict, CAME_TRUE);
}

TEST("the gate is told by the measured gain")
{
	CHECK_EQUAL(judge(unchanged, changed(0.3, 0.18), 0.03).gate, GATE_PASSED);
	CHECK_EQUAL(judge(unchanged, changed(-0.3, -0.18), 0.03).gate, GATE_FAILED);
	CHECK_EQUAL(judge(unchanged, changed(-0.3, -0.03), 0.03).gate, GATE_UNSURE);
}

TEST("no runs are an error with a sentence")
{
	struct recording empty = {0};
	struct profile_pair *pair = NULL;
	struct error error = {0};

	CHECK(profile_pair_new(&empty, &empty, RUN_PAIRS_NO_GATE, NULL, &pair, &error));
	CHECK(strstr(error.text, "no runs of lever run") != NULL);
}

static void check_program(const char *command, const char *name)
{
	char *copy = text_copy(command);
	struct recording_run run = {.command = copy};
	struct recording recording = {.runs = {.items = &run, .count = 1}};
	char *program = profile_pair_program(&recording);

	CHECK_TEXT(program ? program : "none", name);
	free(program);
	free(copy);
}

TEST("a program's name is that of its file, and not env")
{
	check_program("[\"/usr/bin/orders\",\"5\"]", "orders");
	check_program("[\"env\",\"-i\",\"A=\\\"b\\\"\",\"./orders\",\"5\"]", "orders");
	check_program("[\"env\"]", "none");
	check_program("", "none");
}

TEST("programs of two names are the same if they share functions, or if names do not tell")
{
	struct profile_pair_common renamed = {{90, 80}, {30, 5}, {100, 100}};
	struct profile_pair_common foreign = {{90, 80}, {2, 1}, {100, 100}};
	struct profile_pair_common stripped = {{90, 10}, {0, 0}, {100, 100}};

	struct profile_pair_common other = {{90, 80}, {0.5, 0.5}, {100, 100}};

	CHECK(profile_pair_is_common(&renamed, false));
	CHECK(!profile_pair_is_common(&foreign, false));
	CHECK(profile_pair_is_common(&foreign, true));
	CHECK(!profile_pair_is_common(&other, true));
	CHECK(profile_pair_is_common(&stripped, false));
	CHECK(profile_pair_is_common(&stripped, true));
	CHECK(profile_pair_has_name("find"));
	CHECK(!profile_pair_has_name("orders+0x1d60"));
	CHECK(!profile_pair_has_name(NULL));
}
