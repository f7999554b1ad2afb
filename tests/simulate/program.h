/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program - a simulated program: threads that repeat a list of operations on shared objects.
 *
 * An operation computes, waits, wakes, or counts a visit. Where an operation must wait, the thread
 * blocks or spins, and tries the same operation again when it is woken, as with futexes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_OPERATIONS_MOST 96
#define PROGRAM_OBJECTS_MOST 96
#define PROGRAM_THREADS_MOST 4096
#define PROGRAM_ROLES_MOST 32

enum operation_kind {
	OPERATION_COMPUTE,
	OPERATION_LOCK,
	OPERATION_UNLOCK,
	OPERATION_WAIT, /* a semaphore's */
	OPERATION_POST, /* lost where the object has a capacity, and holds that */
	OPERATION_PUT,  /* into a bounded queue */
	OPERATION_TAKE,
	OPERATION_BARRIER,
	OPERATION_READ_LOCK,
	OPERATION_WRITE_LOCK,
	OPERATION_READ_UNLOCK,
	OPERATION_WRITE_UNLOCK,
	OPERATION_SPIN_LOCK,
	OPERATION_SPIN_UNLOCK,
	OPERATION_SPIN_WAIT, /* a semaphore's, without leaving the core */
	OPERATION_SPIN_POST,
	OPERATION_SPIN_BARRIER,
	OPERATION_SLEEP,
	OPERATION_RETRY_LOCK, /* tries a lock, and sleeps before each next try */
	OPERATION_IO,
	OPERATION_FLUSH, /* of a log that all write: one wait for a device is for all before it */
	OPERATION_VISIT, /* of the progress point */
	OPERATION_SEND,  /* a message to another host, where it posts a semaphore (hosts.h) */
};

/* Stages of a flush. */
enum { FLUSH_ASKS = 1, FLUSH_WAITS };

struct operation {
	uint8_t kind;
	uint8_t object;
	uint8_t spread_percent; /* lengths are uniform in mean -+ this */
	bool is_target;
	uint8_t host; /* of a message */
	uint32_t mean_ns;
};

/* Threads that do the same: operations first to first + count - 1, again and again. */
struct role {
	uint16_t first, count;
	uint16_t threads;
	bool is_foreign; /* another program's */
};

struct object_start {
	int32_t value, capacity;
};

struct program {
	char name[24];
	uint32_t operation_count, object_count, role_count, thread_count;
	struct operation operations[PROGRAM_OPERATIONS_MOST];
	struct object_start objects[PROGRAM_OBJECTS_MOST];
	struct role roles[PROGRAM_ROLES_MOST];
};

struct machine;
struct task;

/* What a task does next. */
enum step {
	STEP_AGAIN,   /* the operation is done, or begins anew: ask again */
	STEP_COMPUTE, /* task->left_ns */
	STEP_SPIN,    /* until its object changes */
	STEP_BLOCK,   /* until it is woken */
};

void program_start(struct machine *machine, const struct program *program);
enum step program_step(struct machine *machine, struct task *task);

/* A message posts this semaphore; returns the task that it wakes, or NULL. */
struct task *program_post_from_outside(struct machine *machine, uint8_t object);

/* Would the task's operation block now? */
bool program_must_wait(const struct machine *machine, const struct task *task);

/* Does the operation wake others by a call that the runtime engine sees? */
static inline bool operation_may_wake(const struct operation *operation)
{
	switch (operation->kind) {
	case OPERATION_FLUSH:
	case OPERATION_UNLOCK:
	case OPERATION_POST:
	case OPERATION_PUT:
	case OPERATION_TAKE:
	case OPERATION_READ_UNLOCK:
	case OPERATION_WRITE_UNLOCK:
	case OPERATION_SPIN_UNLOCK:
		return true;
	}
	return false;
}
