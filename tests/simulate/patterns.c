// SPDX-License-Identifier: BSD-2-Clause
/* patterns - simulated programs of well-known shapes, with random lengths, and targets. */
#include "patterns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHORT_NS 60000.0 /* of a computation */
#define LONG_NS 1200000.0

/* ---- building ---- */

static uint32_t length_between(struct random *random, double least, double most)
{
	return (uint32_t)(least * pow(most / least, random_uniform(random)));
}

static uint32_t length(struct random *random)
{
	return length_between(random, SHORT_NS, LONG_NS);
}

static uint32_t between(struct random *random, uint32_t least, uint32_t most)
{
	return most > least ? least + (uint32_t)random_below(random, most - least + 1) : least;
}

static uint8_t object_add(struct program *program, int32_t value, int32_t capacity)
{
	program->objects[program->object_count] =
		(struct object_start){.value = value, .capacity = capacity};
	return (uint8_t)program->object_count++;
}

static void role_begin(struct program *program, uint32_t threads)
{
	program->roles[program->role_count++] =
		(struct role){.first = (uint16_t)program->operation_count,
			      .threads = (uint16_t)threads};
	program->thread_count += threads;
}

static struct operation *add(struct program *program, enum operation_kind kind, uint8_t object)
{
	struct operation *operation = &program->operations[program->operation_count++];

	*operation = (struct operation){.kind = (uint8_t)kind, .object = object};
	program->roles[program->role_count - 1].count++;
	return operation;
}

static struct operation *compute(struct program *program, struct random *random, uint32_t mean_ns)
{
	struct operation *operation = add(program, OPERATION_COMPUTE, 0);

	operation->mean_ns = mean_ns;
	operation->spread_percent = (uint8_t)(5 * random_below(random, 9));
	return operation;
}

/* One of the operations of this kind becomes the target. */
static void choose_target(struct program *program, struct random *random, enum operation_kind kind)
{
	uint32_t count = 0, chosen;

	for (uint32_t i = 0; i < program->operation_count; i++)
		count += program->operations[i].kind == kind;
	chosen = (uint32_t)random_below(random, count);
	for (uint32_t i = 0; i < program->operation_count; i++)
		if (program->operations[i].kind == kind && !chosen--)
			program->operations[i].is_target = true;
}

/* ---- shapes ---- */

static void build_single(struct program *program, struct random *random, uint32_t cores)
{
	(void)cores;
	role_begin(program, 1);
	compute(program, random, length(random));
	compute(program, random, length(random));
	add(program, OPERATION_VISIT, 0);
}

static void build_independent(struct program *program, struct random *random, uint32_t cores)
{
	role_begin(program, between(random, 2, cores > 2 ? cores : 2));
	compute(program, random, length(random));
	compute(program, random, length(random));
	add(program, OPERATION_VISIT, 0);
}

static void build_mutex(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t lock = object_add(program, 0, 0);

	role_begin(program, between(random, 2, cores > 4 ? 4 : cores > 2 ? cores : 2));
	compute(program, random, length(random));
	add(program, OPERATION_LOCK, lock);
	compute(program, random, length(random));
	add(program, OPERATION_UNLOCK, lock);
	add(program, OPERATION_VISIT, 0);
}

/* A lock that is held for less than a sampling period, and mostly free. */
static void build_brief_lock(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t lock = object_add(program, 0, 0);
	uint32_t threads = between(random, 2, cores > 4 ? 4 : cores > 2 ? cores : 2);

	role_begin(program, threads);
	compute(program, random, length_between(random, 30e3, 60e3) * threads)->spread_percent = 40;
	add(program, OPERATION_LOCK, lock);
	compute(program, random, length_between(random, 15e3, 50e3))->is_target = true;
	add(program, OPERATION_UNLOCK, lock);
	add(program, OPERATION_VISIT, 0);
}

/* More threads than a lock can serve: all but one mostly wait for it. */
static void build_convoy(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t lock = object_add(program, 0, 0), second = object_add(program, 0, 0);

	role_begin(program, between(random, 3, cores + 3));
	compute(program, random, length_between(random, SHORT_NS, 4 * SHORT_NS));
	add(program, OPERATION_LOCK, lock);
	compute(program, random, length_between(random, SHORT_NS, 4 * SHORT_NS));
	add(program, OPERATION_UNLOCK, lock);
	compute(program, random, length_between(random, SHORT_NS, 4 * SHORT_NS));
	add(program, OPERATION_LOCK, second);
	compute(program, random, length_between(random, SHORT_NS, 4 * SHORT_NS));
	add(program, OPERATION_UNLOCK, second);
	add(program, OPERATION_VISIT, 0);
}

static void build_queue(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t queue = object_add(program, 0, (int32_t)between(random, 1, 16));
	uint32_t most = cores > 7 ? 4 : cores > 3 ? cores / 2 : 1;

	role_begin(program, between(random, 1, most));
	compute(program, random, length(random));
	add(program, OPERATION_PUT, queue);
	role_begin(program, between(random, 1, most));
	add(program, OPERATION_TAKE, queue);
	compute(program, random, length(random));
	add(program, OPERATION_VISIT, 0);
}

/* Threads with work of their own lengths meet after each round. */
static void build_rounds(struct program *program, struct random *random, uint32_t threads,
			 enum operation_kind barrier)
{
	uint32_t roles = threads < 4 ? threads : 4;
	uint8_t done = object_add(program, 0, (int32_t)threads);
	uint8_t begins = object_add(program, 0, (int32_t)threads);
	uint32_t base = length_between(random, 3 * SHORT_NS, LONG_NS);

	for (uint32_t i = 0; i < roles; i++) {
		role_begin(program, i ? (threads - 1) / (roles - 1) : 1);
		compute(program, random, length_between(random, 0.5 * base, 1.5 * base));
		add(program, barrier, done);
		if (!i)
			add(program, OPERATION_VISIT, 0);
		add(program, barrier, begins);
	}
	program->objects[done].capacity = program->objects[begins].capacity =
		(int32_t)program->thread_count;
}

static void build_barrier(struct program *program, struct random *random, uint32_t cores)
{
	build_rounds(program, random, between(random, 2, cores > 2 ? cores : 2), OPERATION_BARRIER);
}

static void build_crowd(struct program *program, struct random *random, uint32_t cores)
{
	build_rounds(program, random, between(random, cores + 1, cores * 4), OPERATION_BARRIER);
}

static void build_spin_barrier(struct program *program, struct random *random, uint32_t cores)
{
	build_rounds(program, random, cores > 2 ? between(random, 2, cores) : cores,
		     OPERATION_SPIN_BARRIER);
}

static void build_spin_lock(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t lock = object_add(program, 0, 0);

	role_begin(program, cores > 2 ? between(random, 2, cores > 4 ? 4 : cores) : cores);
	compute(program, random, length(random));
	add(program, OPERATION_SPIN_LOCK, lock);
	compute(program, random, length(random));
	add(program, OPERATION_SPIN_UNLOCK, lock);
	add(program, OPERATION_VISIT, 0);
}

/* A client and a server, one request at a time. */
static void build_exchange(struct program *program, struct random *random, enum operation_kind wait,
			   enum operation_kind post)
{
	uint8_t request = object_add(program, 0, 0), answer = object_add(program, 0, 0);

	role_begin(program, 1);
	compute(program, random, length(random));
	add(program, post, request);
	add(program, wait, answer);
	add(program, OPERATION_VISIT, 0);
	role_begin(program, 1);
	add(program, wait, request);
	compute(program, random, length(random));
	add(program, post, answer);
}

static void build_ping_pong(struct program *program, struct random *random, uint32_t cores)
{
	(void)cores;
	build_exchange(program, random, OPERATION_WAIT, OPERATION_POST);
}

static void build_spin_ping_pong(struct program *program, struct random *random, uint32_t cores)
{
	if (cores < 2)
		build_ping_pong(program, random, cores);
	else
		build_exchange(program, random, OPERATION_SPIN_WAIT, OPERATION_SPIN_POST);
}

/* A dispatcher hands jobs to workers. */
static void build_workers(struct program *program, struct random *random, uint32_t workers)
{
	uint8_t jobs = object_add(program, 0, (int32_t)between(random, workers, 4 * workers));
	uint32_t work = length(random);

	role_begin(program, 1);
	compute(program, random, (uint32_t)(work / workers * (0.4 + random_uniform(random))));
	add(program, OPERATION_PUT, jobs);
	role_begin(program, workers);
	add(program, OPERATION_TAKE, jobs);
	compute(program, random, work);
	compute(program, random, length_between(random, SHORT_NS, work));
	add(program, OPERATION_VISIT, 0);
}

static void build_pool(struct program *program, struct random *random, uint32_t cores)
{
	build_workers(program, random, cores > 1 ? between(random, 1, cores - 1) : 1);
}

static void build_crowded_pool(struct program *program, struct random *random, uint32_t cores)
{
	build_workers(program, random, between(random, cores + 1, 3 * cores));
}

static void build_pipeline(struct program *program, struct random *random, uint32_t cores)
{
	uint32_t stages = between(random, 3, cores > 3 ? cores > 8 ? 8 : cores : 3);
	uint8_t input = 0;

	for (uint32_t i = 0; i < stages; i++) {
		uint8_t output = 0;
		role_begin(program, cores >= 2 * stages ? between(random, 1, 2) : 1);
		if (i)
			add(program, OPERATION_TAKE, input);
		compute(program, random, length(random));
		if (i == stages - 1)
			add(program, OPERATION_VISIT, 0);
		else
			output = object_add(program, 0, (int32_t)between(random, 1, 8));
		if (i < stages - 1)
			add(program, OPERATION_PUT, output);
		input = output;
	}
}

/* A thread that sleeps and one that computes meet after each round. */
static void build_timer(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t done = object_add(program, 0, 2), begins = object_add(program, 0, 2);
	struct operation *sleep;

	(void)cores;
	role_begin(program, 1);
	compute(program, random, length(random));
	sleep = add(program, OPERATION_SLEEP, 0);
	sleep->mean_ns = length_between(random, 200e3, 3e6);
	sleep->spread_percent = 10;
	add(program, OPERATION_BARRIER, done);
	add(program, OPERATION_VISIT, 0);
	add(program, OPERATION_BARRIER, begins);
	role_begin(program, 1);
	compute(program, random, length_between(random, 200e3, 3e6));
	add(program, OPERATION_BARRIER, done);
	add(program, OPERATION_BARRIER, begins);
	choose_target(program, random,
		      random_below(random, 2) ? OPERATION_SLEEP : OPERATION_COMPUTE);
}

/* Rounds that need all cores, beside threads that a timer wakes for a few microseconds. */
static void build_housekeeping(struct program *program, struct random *random, uint32_t cores)
{
	struct operation *sleep;

	build_rounds(program, random, cores, OPERATION_BARRIER);
	choose_target(program, random, OPERATION_COMPUTE);
	role_begin(program, between(random, 1, 8));
	sleep = add(program, OPERATION_SLEEP, 0);
	sleep->mean_ns = length_between(random, 5e6, 50e6);
	sleep->spread_percent = 10;
	compute(program, random, length_between(random, 3e3, 20e3));
}

/* Threads with timers of their own that work under a lock, beside others: more than cores. */
static void build_crowded_timer(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t lock = object_add(program, 0, 0);
	struct operation *sleep;

	role_begin(program, between(random, 1, cores < 8 ? cores : 8));
	add(program, OPERATION_LOCK, lock);
	compute(program, random, length_between(random, 60e3, 400e3));
	add(program, OPERATION_UNLOCK, lock);
	compute(program, random, length(random));
	add(program, OPERATION_VISIT, 0);
	role_begin(program, between(random, 2, cores < 8 ? cores + 1 : 8));
	sleep = add(program, OPERATION_SLEEP, 0);
	sleep->mean_ns = length_between(random, 2e6, 20e6);
	sleep->spread_percent = 10;
	add(program, OPERATION_LOCK, lock);
	compute(program, random, length_between(random, 60e3, 600e3));
	add(program, OPERATION_UNLOCK, lock);
}

/* Two threads that try a lock again after a short nap. */
static void build_retries(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t lock = object_add(program, 0, 0);
	struct operation *retry;

	role_begin(program, cores < 2 ? 1 : 2);
	retry = add(program, OPERATION_RETRY_LOCK, lock);
	retry->mean_ns = length_between(random, 120e3, 400e3);
	retry->spread_percent = 10;
	compute(program, random, length_between(random, 100e3, 600e3));
	add(program, OPERATION_VISIT, 0);
	add(program, OPERATION_UNLOCK, lock);
	compute(program, random, length_between(random, 100e3, 600e3));
	choose_target(program, random, OPERATION_COMPUTE);
}

/* A server: threads that read from a device which serves all at once, and one that answers. */
static void build_io(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t device = object_add(program, 0, 0);
	uint8_t answers = object_add(program, 0, (int32_t)between(random, 1, 8));
	struct operation *reading;

	role_begin(program, between(random, 1, cores > 3 ? 4 : cores));
	compute(program, random, length(random));
	reading = add(program, OPERATION_IO, device);
	reading->mean_ns = length_between(random, 100e3, 2e6);
	reading->spread_percent = 20;
	add(program, OPERATION_PUT, answers);
	role_begin(program, 1);
	add(program, OPERATION_TAKE, answers);
	compute(program, random, length(random));
	add(program, OPERATION_VISIT, 0);
	choose_target(program, random, random_below(random, 2) ? OPERATION_IO : OPERATION_COMPUTE);
}

/* Threads that compute and ask one device, which serves one after the other. */
static void build_device(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t device = object_add(program, 0, 1);
	struct operation *request;

	role_begin(program, between(random, 2, cores > 6 ? 6 : cores + 1));
	compute(program, random, length(random));
	request = add(program, OPERATION_IO, device);
	request->mean_ns = length(random);
	request->spread_percent = 20;
	add(program, OPERATION_VISIT, 0);
	choose_target(program, random, OPERATION_COMPUTE);
}

static void build_read_write(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t lock = object_add(program, 0, 0);

	role_begin(program, between(random, 1, cores > 4 ? 4 : cores));
	compute(program, random, length(random));
	add(program, OPERATION_READ_LOCK, lock);
	compute(program, random, length_between(random, SHORT_NS, 5 * SHORT_NS));
	add(program, OPERATION_READ_UNLOCK, lock);
	add(program, OPERATION_VISIT, 0);
	role_begin(program, 1);
	compute(program, random, length(random));
	add(program, OPERATION_WRITE_LOCK, lock);
	compute(program, random, length(random));
	add(program, OPERATION_WRITE_UNLOCK, lock);
}

/* A token goes around. */
static void build_ring(struct program *program, struct random *random, uint32_t cores)
{
	uint32_t threads = between(random, 3, cores > 6 ? 8 : 4);
	uint32_t tokens = between(random, 1, 2);

	for (uint32_t i = 0; i < threads; i++)
		object_add(program, i < tokens ? 1 : 0, 0);
	for (uint32_t i = 0; i < threads; i++) {
		role_begin(program, 1);
		add(program, OPERATION_WAIT, (uint8_t)i);
		compute(program, random, length(random));
		if (!i)
			add(program, OPERATION_VISIT, 0);
		add(program, OPERATION_POST, (uint8_t)((i + 1) % threads));
	}
}

/* One thread starts many at once and waits for all of them. */
static void build_fork_join(struct program *program, struct random *random, uint32_t cores)
{
	uint32_t workers = between(random, 2, cores > 30 ? 30 : cores > 2 ? cores : 2);
	uint8_t begin = object_add(program, 0, 0), done = object_add(program, 0, 0);

	role_begin(program, 1);
	compute(program, random, length(random));
	for (uint32_t i = 0; i < workers; i++)
		add(program, OPERATION_POST, begin);
	for (uint32_t i = 0; i < workers; i++)
		add(program, OPERATION_WAIT, done);
	add(program, OPERATION_VISIT, 0);
	role_begin(program, workers);
	add(program, OPERATION_WAIT, begin);
	compute(program, random, length(random));
	add(program, OPERATION_POST, done);
}

/* Threads without an order: each has random sections under random locks, and some meet a queue. */
static void build_random(struct program *program, struct random *random, uint32_t cores)
{
	uint32_t locks = between(random, 1, 4), roles = between(random, 2, 5);
	uint8_t queue = 0;

	for (uint32_t i = 0; i < locks; i++)
		object_add(program, 0, 0);
	queue = object_add(program, 0, (int32_t)between(random, 1, 8));
	for (uint32_t i = 0; i < roles; i++) {
		role_begin(program, between(random, 1, 1 + cores / roles));
		if (i == 1)
			add(program, OPERATION_TAKE, queue);
		for (uint32_t sections = between(random, 1, 3); sections; sections--) {
			uint8_t lock = (uint8_t)random_below(random, locks);
			compute(program, random, length(random));
			add(program, OPERATION_LOCK, lock);
			compute(program, random, length_between(random, SHORT_NS, 4 * SHORT_NS));
			add(program, OPERATION_UNLOCK, lock);
		}
		if (!i)
			add(program, OPERATION_PUT, queue);
		if (i == 1 || (i > 1 && random_below(random, 2)))
			add(program, OPERATION_VISIT, 0);
	}
}

/* ---- sets: several targets, sped up together ---- */

/* Branches of equal mean that meet: each alone gains almost nothing. */
static void build_set_branches(struct program *program, struct random *random, uint32_t cores)
{
	uint32_t threads = cores > 3 ? 4 : 2, mean = length_between(random, 3 * SHORT_NS, LONG_NS);
	uint8_t done = object_add(program, 0, (int32_t)threads);
	uint8_t begins = object_add(program, 0, (int32_t)threads);

	for (uint32_t i = 0; i < threads; i++) {
		role_begin(program, 1);
		compute(program, random, mean)->is_target = true;
		if (random_below(random, 2))
			compute(program, random, length_between(random, 0.1 * mean, 0.5 * mean));
		add(program, OPERATION_BARRIER, done);
		if (!i)
			add(program, OPERATION_VISIT, 0);
		add(program, OPERATION_BARRIER, begins);
	}
}

/* Two critical sections that all threads pass through. */
static void build_set_locks(struct program *program, struct random *random, uint32_t cores)
{
	role_begin(program, between(random, 2, cores > 4 ? 4 : cores > 2 ? cores : 2));
	for (int i = 0; i < 2; i++) {
		uint8_t lock = object_add(program, 0, 0);
		add(program, OPERATION_LOCK, lock);
		compute(program, random, length(random))->is_target = true;
		add(program, OPERATION_UNLOCK, lock);
	}
	compute(program, random, length_between(random, SHORT_NS, 4 * SHORT_NS));
	add(program, OPERATION_VISIT, 0);
}

/* Both stages of a pipeline. */
static void build_set_stages(struct program *program, struct random *random, uint32_t cores)
{
	uint8_t queue = object_add(program, 0, (int32_t)between(random, 1, 16));
	uint32_t most = cores > 7 ? 4 : cores > 3 ? cores / 2 : 1;

	for (int i = 0; i < 2; i++) {
		role_begin(program, between(random, 1, most));
		if (i)
			add(program, OPERATION_TAKE, queue);
		compute(program, random, length(random))->is_target = true;
		compute(program, random, length_between(random, SHORT_NS, 4 * SHORT_NS));
		add(program, i ? OPERATION_VISIT : OPERATION_PUT, i ? 0 : queue);
	}
}

const struct pattern patterns[] = {
	{"single", build_single},
	{"independent", build_independent},
	{"mutex", build_mutex},
	{"brief_lock", build_brief_lock},
	{"convoy", build_convoy},
	{"queue", build_queue},
	{"barrier", build_barrier},
	{"fork_join", build_fork_join},
	{"pool", build_pool},
	{"pipeline", build_pipeline},
	{"ping_pong", build_ping_pong},
	{"ring", build_ring},
	{"read_write", build_read_write},
	{"timer", build_timer},
	{"housekeeping", build_housekeeping},
	{"crowded_timer", build_crowded_timer},
	{"retries", build_retries},
	{"io", build_io},
	{"device", build_device},
	{"spin_lock", build_spin_lock},
	{"spin_barrier", build_spin_barrier},
	{"spin_ping_pong", build_spin_ping_pong},
	{"crowd", build_crowd},
	{"crowded_pool", build_crowded_pool},
	{"random", build_random},
	{"set_branches", build_set_branches},
	{"set_locks", build_set_locks},
	{"set_stages", build_set_stages},
};
const uint32_t pattern_count = sizeof(patterns) / sizeof(patterns[0]);

void pattern_program(const struct pattern *pattern, uint64_t seed, uint32_t cores,
		     struct program *program)
{
	struct random random = random_seeded(seed * 7919 + cores);
	bool has_target = false;

	memset(program, 0, sizeof(*program));
	snprintf(program->name, sizeof(program->name), "%s", pattern->name);
	pattern->build(program, &random, cores);
	for (uint32_t i = 0; i < program->operation_count; i++)
		has_target = has_target || program->operations[i].is_target;
	if (!has_target)
		choose_target(program, &random, OPERATION_COMPUTE);
}

void pattern_add_foreign(struct program *program, uint32_t tasks)
{
	if (!tasks)
		return;
	role_begin(program, tasks < 16 ? tasks : 16);
	program->roles[program->role_count - 1].is_foreign = true;
	add(program, OPERATION_COMPUTE, 0)->mean_ns = 1000000;
	struct operation *sleep = add(program, OPERATION_SLEEP, 0);
	sleep->mean_ns = 4000000;
	sleep->spread_percent = 60;
}

const struct pattern *pattern_find(const char *name)
{
	for (uint32_t i = 0; i < pattern_count; i++)
		if (!strcmp(patterns[i].name, name))
			return &patterns[i];
	return NULL;
}
