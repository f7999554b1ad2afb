// SPDX-License-Identifier: BSD-2-Clause
/* jobs - simulated programs of well-known shapes over several hosts, with targets. */
#include "jobs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHORT_NS 50000.0 /* of a computation */
#define LONG_NS 1500000.0
#define SERVER_THREADS 2

static uint32_t length(struct random *random)
{
	return (uint32_t)(SHORT_NS * pow(LONG_NS / SHORT_NS, random_uniform(random)));
}

static uint32_t between(struct random *random, uint32_t least, uint32_t most)
{
	return least + (uint32_t)random_below(random, most - least + 1);
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
	if (object >= program->object_count)
		program->object_count = object + 1;
	return operation;
}

static void compute(struct program *program, struct random *random, uint32_t mean_ns,
		    bool is_target)
{
	struct operation *operation = add(program, OPERATION_COMPUTE, 0);

	operation->mean_ns = mean_ns;
	operation->is_target = is_target;
	operation->spread_percent = (uint8_t)(5 * random_below(random, 9));
}

static void send(struct job *job, uint32_t from, uint32_t to, uint8_t object)
{
	struct program *receiver = &job->programs[to];

	add(&job->programs[from], OPERATION_SEND, object)->host = (uint8_t)to;
	if (object >= receiver->object_count)
		receiver->object_count = object + 1;
}

/* A target on one host, or on all: the same code. */
static uint32_t draw_target(const struct job *job, struct random *random)
{
	return random_below(random, 2) ? job->count : (uint32_t)random_below(random, job->count);
}

static bool has_target(const struct job *job, uint32_t target, uint32_t host)
{
	return target == host || target == job->count;
}

/* A request goes from host to host, and its answer back to the first. */
static void build_chain(struct job *job, struct random *random)
{
	uint32_t target = draw_target(job, random);
	uint32_t clients = between(random, 1, 3);

	for (uint32_t i = 0; i < job->count; i++) {
		role_begin(&job->programs[i], i ? SERVER_THREADS : clients);
		if (i)
			add(&job->programs[i], OPERATION_WAIT, 0);
		compute(&job->programs[i], random, length(random), false);
		compute(&job->programs[i], random, length(random), has_target(job, target, i));
		send(job, i, (i + 1) % job->count, 0);
		if (i)
			continue;
		add(&job->programs[i], OPERATION_WAIT, 0);
		add(&job->programs[i], OPERATION_VISIT, 0);
	}
}

/* Ranks compute and meet: up a tree, and down again. */
static void build_allreduce(struct job *job, struct random *random)
{
	uint32_t target = draw_target(job, random), count = job->count;
	uint32_t own = length(random), rest = length(random);

	for (uint32_t i = 0; i < count; i++) {
		struct program *program = &job->programs[i];
		uint32_t children = (2 * i + 1 < count) + (2 * i + 2 < count);
		role_begin(program, 1);
		compute(program, random, rest / 2 + length(random) / 4, false);
		compute(program, random, own, has_target(job, target, i));
		for (uint32_t k = 0; k < children; k++)
			add(program, OPERATION_WAIT, 0);
		if (i) {
			send(job, i, (i - 1) / 2, 0);
			add(program, OPERATION_WAIT, 1);
		}
		for (uint32_t k = 0; k < children; k++)
			send(job, i, 2 * i + 1 + k, 1);
		if (!i)
			add(program, OPERATION_VISIT, 0);
	}
}

/* Each rank exchanges with two neighbours; visits on all hosts count. */
static void build_halo(struct job *job, struct random *random)
{
	uint32_t target = draw_target(job, random), count = job->count;
	uint32_t own = length(random);

	for (uint32_t i = 0; i < count; i++) {
		struct program *program = &job->programs[i];
		role_begin(program, 1);
		compute(program, random, length(random), false);
		compute(program, random, own, has_target(job, target, i));
		send(job, i, (i + 1) % count, 0);
		send(job, i, (i + count - 1) % count, 1);
		add(program, OPERATION_WAIT, 0);
		add(program, OPERATION_WAIT, 1);
		add(program, OPERATION_VISIT, 0);
	}
}

/* Clients on the first host ask all shards at once, and wait for the slowest. */
static void build_fan_out(struct job *job, struct random *random)
{
	uint32_t target = draw_target(job, random);
	uint32_t shards = job->count - 1 < 8 ? job->count - 1 : 8;

	role_begin(&job->programs[0], 1);
	compute(&job->programs[0], random, length(random) / 2, has_target(job, target, 0));
	for (uint32_t i = 1; i <= shards; i++)
		send(job, 0, i, 0);
	for (uint32_t i = 1; i <= shards; i++)
		add(&job->programs[0], OPERATION_WAIT, (uint8_t)i);
	add(&job->programs[0], OPERATION_VISIT, 0);
	for (uint32_t i = 1; i < job->count; i++) {
		role_begin(&job->programs[i], SERVER_THREADS);
		add(&job->programs[i], OPERATION_WAIT, 0);
		compute(&job->programs[i], random, length(random), has_target(job, target, i));
		if (i <= shards)
			send(job, i, 0, (uint8_t)i);
	}
}

/* Stages in a row, with room for some items between the first and the last. */
static void build_pipeline(struct job *job, struct random *random)
{
	uint32_t target = draw_target(job, random), count = job->count;
	uint32_t room = between(random, 2, 4) * count;

	for (uint32_t i = 0; i < count; i++) {
		struct program *program = &job->programs[i];
		role_begin(program, 1);
		add(program, OPERATION_WAIT, 0);
		compute(program, random, length(random), false);
		compute(program, random, length(random), has_target(job, target, i));
		send(job, i, (i + 1) % count, 0);
		if (i + 1 == count)
			add(program, OPERATION_VISIT, 0);
	}
	job->programs[0].objects[0].value = (int32_t)room;
}

/* Two hosts that compute in turn, most of it in the target. */
static void build_in_turn(struct job *job, struct random *random)
{
	for (uint32_t i = 0; i < job->count; i++) {
		role_begin(&job->programs[i], 1);
		if (i)
			add(&job->programs[i], OPERATION_WAIT, 0);
		compute(&job->programs[i], random, length(random), true);
		compute(&job->programs[i], random, length(random) / 4, false);
		send(job, i, (i + 1) % job->count, 0);
		if (i)
			continue;
		add(&job->programs[i], OPERATION_WAIT, 0);
		add(&job->programs[i], OPERATION_VISIT, 0);
	}
}

const struct job_pattern job_patterns[] = {
	{"chain", build_chain}, {"in_turn", build_in_turn}, {"allreduce", build_allreduce},
	{"halo", build_halo},   {"fan_out", build_fan_out}, {"pipeline", build_pipeline},
};
const uint32_t job_pattern_count = sizeof(job_patterns) / sizeof(*job_patterns);

void job_build(const struct job_pattern *pattern, uint64_t seed, uint32_t hosts, struct job *job)
{
	struct random random = random_seeded(seed * 6364136223 + hosts);

	memset(job, 0, sizeof(*job));
	job->count = hosts;
	snprintf(job->name, sizeof(job->name), "%s", pattern->name);
	pattern->build(job, &random);
}
