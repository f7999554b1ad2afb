// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_simulate - laws of the simulator, and how far predictions may be from the truth.
 *
 * The programs of `bounds` are drawn by fixed seeds, so their errors change only with the rules
 * of wire/delay.h or with the model. A bound is what was seen, and a little more.
 */
#include "hosts_experiment.h"
#include "patterns.h"
#include "program_text.h"

#include "../unit/check.h"
#include "base/cleanup.h"
#include "base/memory.h"

static struct machine machine, other;

/* Two threads that hand items over: a queue with room for 4. */
static struct program queue_program(uint32_t produce_ns, uint32_t consume_ns)
{
	return (struct program){
		.name = "queue",
		.operation_count = 5,
		.object_count = 1,
		.role_count = 2,
		.thread_count = 2,
		.operations = {{.kind = OPERATION_COMPUTE, .mean_ns = produce_ns},
			       {.kind = OPERATION_PUT},
			       {.kind = OPERATION_TAKE},
			       {.kind = OPERATION_COMPUTE,
				.mean_ns = consume_ns,
				.is_target = true},
			       {.kind = OPERATION_VISIT}},
		.objects = {{.value = 0, .capacity = 4}},
		.roles = {{.first = 0, .count = 2, .threads = 1},
			  {.first = 2, .count = 3, .threads = 1}},
	};
}

static double pattern_error(const char *name, enum engine_kind kind, uint32_t cores)
{
	const uint32_t seeds = 4;
	double sum = 0;
	uint32_t points = 0;

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct experiment_settings settings = experiment_usual(cores, kind, seed);
		struct experiment_truth truth;
		struct experiment_prediction prediction;
		struct program program;

		pattern_program(pattern_find(name), seed, cores, &program);
		experiment_find_truth(&machine, &program, &settings, &truth);
		experiment_predict(&machine, &program, &settings, &truth, &prediction);
		if (!prediction.is_valid)
			return INFINITY;
		for (uint32_t i = 0; i < EXPERIMENT_CUTS; i++) {
			points += !truth.is_step[i];
			sum += truth.is_step[i] ? 0 :
						  100 * fabs(prediction.gain[i] - truth.gain[i]);
		}
	}
	return points ? sum / points : INFINITY;
}

TEST("events come in the order of their times, also those that were moved or cancelled")
{
	struct events events;
	struct random random = random_seeded(1);
	uint64_t times[EVENTS_MOST] = {0}, last = 0;
	uint32_t posted = 0;

	events_clear(&events);
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t source = (uint32_t)random_below(&random, EVENTS_MOST);
		if (random_below(&random, 3)) {
			posted += !times[source];
			times[source] = 1 + random_below(&random, 1000);
			events_post(&events, source, times[source]);
		} else {
			posted -= times[source] != 0;
			times[source] = 0;
			events_cancel(&events, source);
		}
		CHECK_EQUAL(events.count, posted);
	}
	for (; posted; posted--) {
		struct event event = events_first(&events);
		CHECK(event.time_ns >= last);
		CHECK_EQUAL(event.time_ns, times[event.source]);
		last = event.time_ns;
		events_cancel(&events, event.source);
	}
	CHECK_EQUAL(events.count, 0);
}

TEST("a queue is as fast as its slower side, also where the target is cut")
{
	struct program program = queue_program(300000, 600000);
	struct experiment_settings settings = experiment_usual(2, ENGINE_KERNEL, 1);
	struct experiment_truth truth;

	experiment_find_truth(&machine, &program, &settings, &truth);
	CHECK(truth.is_valid);
	CHECK_NEAR(truth.period_ns, 600000, 4000);
	CHECK_NEAR(truth.gain[0], 0.25, 0.01);
	CHECK_NEAR(truth.gain[3], 0.50, 0.01);
}

TEST("on one core the threads of a queue share it")
{
	struct program program = queue_program(300000, 600000);
	struct experiment_settings settings = experiment_usual(1, ENGINE_KERNEL, 1);
	struct experiment_truth truth;

	experiment_find_truth(&machine, &program, &settings, &truth);
	CHECK_NEAR(truth.period_ns, 900000, 9000);
	CHECK_NEAR(truth.gain[3], 2.0 / 3, 0.01);
}

TEST("a program that is printed reads as the same program")
{
	struct program written, read;

	for (uint32_t i = 0; i < pattern_count; i++) {
		FILE *file = tmpfile();
		CHECK(file);
		pattern_program(&patterns[i], 5, 8, &written);
		program_print(&written, file);
		rewind(file);
		CHECK_EQUAL(program_read(file, &read), 0);
		fclose(file);
		memcpy(read.name, written.name, sizeof(read.name));
		CHECK(!memcmp(&read, &written, sizeof(read)));
	}
}

TEST("the same seed gives the same run")
{
	struct experiment_settings settings = experiment_usual(4, ENGINE_KERNEL, 7);
	struct program program;

	pattern_program(pattern_find("random"), 7, 4, &program);
	machine_start(&machine, &settings.machine, &settings.engine, &program);
	machine_start(&other, &settings.machine, &settings.engine, &program);
	engine_set_speedup(&machine, 0.5);
	engine_set_speedup(&other, 0.5);
	machine_run(&machine, machine.now_ns + 50000000);
	machine_run(&other, other.now_ns + 50000000);
	CHECK(machine.events_done > 100);
	CHECK_EQUAL(machine.events_done, other.events_done);
	CHECK_EQUAL(machine.visits, other.visits);
	CHECK_EQUAL(engine_delay(&machine), engine_delay(&other));
}

/* Returns whether the laws held through a run of the pattern. */
static bool laws_hold(const struct pattern *pattern, enum engine_kind kind, double speedup)
{
	struct experiment_settings settings = experiment_usual(4, kind, 3);
	struct program program;
	uint64_t delay, start, start_delay;

	pattern_program(pattern, 3, 4, &program);
	machine_start(&machine, &settings.machine, &settings.engine, &program);
	engine_set_speedup(&machine, speedup);
	start = machine.now_ns;
	start_delay = delay = engine_delay(&machine);
	for (uint32_t i = 0; i < 2000; i++) {
		machine_run(&machine, machine.now_ns + 20000);
		uint64_t next = engine_delay(&machine);
		if (next < delay)
			return false;
		delay = next;
	}
	/* A tick stands for time that has passed, of which the first may lie before the start. */
	return delay - start_delay <= machine.now_ns - start + 2 * settings.engine.period_ns;
}

TEST("G never falls, and grows no faster than time")
{
	for (uint32_t i = 0; i < pattern_count; i++)
		for (enum engine_kind kind = ENGINE_KERNEL; kind <= ENGINE_RUNTIME; kind++) {
			CHECK(laws_hold(&patterns[i], kind, 0));
			CHECK(laws_hold(&patterns[i], kind, 0.5));
			CHECK(laws_hold(&patterns[i], kind, 1));
		}
}

/* Of the pattern's programs: the period that the engine sees without a speedup, by the true one. */
static double period_seen(const char *pattern, enum engine_kind kind)
{
	double sum = 0;

	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct experiment_settings settings = experiment_usual(4, kind, seed);
		struct experiment_truth truth;
		struct experiment_prediction prediction;
		struct program program;

		pattern_program(pattern_find(pattern), seed, 4, &program);
		experiment_find_truth(&machine, &program, &settings, &truth);
		experiment_predict(&machine, &program, &settings, &truth, &prediction);
		sum += prediction.period_ns / truth.period_ns;
	}
	return sum / 5;
}

TEST("without a speedup an engine sees the true period, whatever its ticks cost")
{
	static const char *const names[] = {"single", "queue", "barrier", "ping_pong", "timer"};

	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (enum engine_kind kind = ENGINE_KERNEL; kind <= ENGINE_RUNTIME; kind++)
			CHECK_NEAR(period_seen(names[i], kind), 1, 0.01);
}

/* Mean errors at most, in percentage points. */
struct bound {
	const char *pattern;
	double kernel, runtime;
};

static const struct bound bounds[] = {
	{"single", 1, 1},         {"independent", 1, 1.5},
	{"mutex", 2, 2},          {"brief_lock", 1, 1},
	{"convoy", 4, 1.5},       {"queue", 1, 2},
	{"barrier", 1.5, 1.5},    {"fork_join", 2, 1.5},
	{"pool", 1, 1},           {"pipeline", 1, 1},
	{"ping_pong", 1.5, 1},    {"ring", 1.5, 1},
	{"read_write", 5.5, 4},   {"timer", 1, 1},
	{"housekeeping", 2, 2},   {"crowded_timer", 2, 1.5},
	{"retries", 4.5, 25},     {"io", 1, 1.5},
	{"device", 19.5, 19},     {"spin_lock", 11, 4},
	{"spin_barrier", 2, 8.5}, {"spin_ping_pong", 6.5, 22},
	{"crowd", 1.5, 1},        {"crowded_pool", 1, 2},
	{"random", 1.5, 1.5},     {"set_branches", 1.5, 1},
	{"set_locks", 1.5, 1},    {"set_stages", 1.5, 1},
};

static bool bounds_hold(enum engine_kind kind)
{
	bool hold = true;

	for (uint32_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		const struct bound *bound = &bounds[i];
		double error = pattern_error(bound->pattern, kind, 4);
		double most = kind == ENGINE_KERNEL ? bound->kernel : bound->runtime;
		if (error > most) {
			printf("# %s: mean error %.2f, at most %.1f\n", bound->pattern, error,
			       most);
			hold = false;
		}
	}
	return hold;
}

static struct program program_of(const char *text)
{
	FILE *file = fmemopen((char *)text, strlen(text), "r");
	struct program program = {.name = "text"};

	CHECK_EQUAL(program_read(file, &program), 0);
	fclose(file);
	return program;
}

/* A program of 16 threads; `lines`: what one of them does, and the others. */
static struct program program_of_16(const char *lines)
{
	AUTO(text) char *text = text_format("object 0 16\n%s", lines);
	return program_of(text);
}

TEST("runtime engine: a thread that owes does not keep a lock from the target's for its pause")
{
	struct experiment_settings settings = experiment_usual(2, ENGINE_RUNTIME, 1);
	struct experiment_prediction prediction;
	struct experiment_truth truth;
	AUTO(text) char *text = text_copy("object 0 0\nobject 0 100\nobject 0 1\nthreads 1 ");

	for (int i = 0; i < 10; i++) {
		char *longer = text_format("%s compute*(90) lock(0) post(1) unlock(0)", text);
		free(text);
		text = longer;
	}
	AUTO(text)
	char *all = text_format("%s sleep(1200)\nthreads 1 wait(1) lock(0) post(2) unlock(0) "
				"compute(110) visit\n",
				text);
	struct program program = program_of(all);
	experiment_on_virtual_machine(&settings);
	settings.fixed_period_ns = 350000;
	experiment_find_truth(&machine, &program, &settings, &truth);
	experiment_predict(&machine, &program, &settings, &truth, &prediction);
	CHECK_NEAR(truth.gain[3], 0.41, 0.01);
	CHECK_NEAR(prediction.gain[1], truth.gain[1], 0.02); /* 0.07 for 0.20 if it does */
	CHECK_NEAR(prediction.gain[3], truth.gain[3], 0.02); /* 0.17 for 0.41 */
}

TEST("16 threads that one barrier releases into the target raise G by the time of one")
{
	struct experiment_settings settings = experiment_usual(16, ENGINE_KERNEL, 1);
	struct program program =
		program_of_16("threads 1 compute(300) compute*(600) spin_barrier(0) visit\n"
			      "threads 15 compute*(600) spin_barrier(0)\n");

	settings.engine.overhead_ns = settings.engine.handler_ns = 0;
	machine_start(&machine, &settings.machine, &settings.engine, &program);
	engine_set_speedup(&machine, 0.5);
	uint64_t begin = engine_delay(&machine);
	machine_run(&machine, machine.now_ns + 100000000);
	CHECK(engine_delay(&machine) - begin < 55000000); /* 79 ms without delay_charge_most */
}

TEST("one of 16 threads works on while the others spin: G does not grow by their ticks")
{
	struct experiment_settings settings = experiment_usual(16, ENGINE_KERNEL, 1);
	struct experiment_prediction prediction;
	struct experiment_truth truth;
	struct program program =
		program_of_16("threads 1 compute*(300) compute(600) spin_barrier(0) visit\n"
			      "threads 15 compute(600) spin_barrier(0)\n");

	experiment_on_virtual_machine(&settings);
	experiment_find_truth(&machine, &program, &settings, &truth);
	experiment_predict(&machine, &program, &settings, &truth, &prediction);
	CHECK_NEAR(prediction.gain[1], truth.gain[1], 0.01);
	CHECK_NEAR(prediction.gain[2], truth.gain[2], 0.01);
}

TEST("all patterns have a bound")
{
	CHECK_EQUAL(sizeof(bounds) / sizeof(bounds[0]), pattern_count);
	for (uint32_t i = 0; i < pattern_count; i++)
		CHECK_TEXT(bounds[i].pattern, patterns[i].name);
}

TEST("predictions of the kernel engine are within the bounds of their patterns")
{
	CHECK(bounds_hold(ENGINE_KERNEL));
}

TEST("predictions of the runtime engine are within the bounds of their patterns")
{
	CHECK(bounds_hold(ENGINE_RUNTIME));
}

/* Of all jobs on so many hosts, with messages that take `delay_ns`. */
static double hosts_error(enum engine_arrival arrival, uint32_t count, uint64_t delay_ns)
{
	static struct job job;
	struct hosts *hosts = hosts_new();
	double sum = 0;

	for (uint32_t i = 0; i < job_pattern_count; i++) {
		struct hosts_settings settings = hosts_usual(count, 2);
		struct hosts_outcome truth, prediction;
		uint64_t window;

		settings.delay_ns = delay_ns;
		settings.engine.arrival = arrival;
		job_build(&job_patterns[i], 2, count, &job);
		hosts_find_truth(hosts, &settings, &job, 4, &window, &truth);
		hosts_predict(hosts, &settings, &job, 4, window, &prediction);
		CHECK(truth.is_valid && prediction.is_valid);
		for (uint32_t cut = 0; cut < EXPERIMENT_CUTS; cut++)
			sum += 100 * fabs(prediction.gain[cut] - truth.gain[cut]);
	}
	hosts_free(hosts);
	return sum / (job_pattern_count * EXPERIMENT_CUTS);
}

TEST("messages that carry their sender's delay make a job's predictions right")
{
	CHECK(hosts_error(ARRIVAL_STAMP, 2, 20000) < 2);
	CHECK(hosts_error(ARRIVAL_STAMP, 4, 1000000) < 2);
	CHECK(hosts_error(ARRIVAL_EXTERNAL, 2, 20000) > 5);
}
