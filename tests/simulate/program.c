// SPDX-License-Identifier: BSD-2-Clause
/* program - a simulated program: threads that repeat a list of operations on shared objects. */
#include "machine.h"

#include <string.h>

#define OPERATION_COST_NS 60 /* of an operation that neither waits nor wakes */
#define BLOCK_COST_NS 800    /* of the call that blocks */
#define LAG_MOST_NS 20000    /* small costs are run off when they reach this */

static void wait_at(struct object *object, int side, struct task *task)
{
	task->next = NULL;
	if (object->waiters[side])
		object->last_waiter[side]->next = task;
	else
		object->waiters[side] = task;
	object->last_waiter[side] = task;
}

static bool wake_first(struct object *object, int side, struct task *waker)
{
	struct task *woken = object->waiters[side], **end = &waker->to_wake;

	if (!woken)
		return false;
	object->waiters[side] = woken->next;
	while (*end)
		end = &(*end)->wake_next;
	woken->wake_next = NULL;
	*end = woken;
	return true;
}

static void wake_all(struct object *object, int side, struct task *waker)
{
	while (wake_first(object, side, waker))
		continue;
}

static uint64_t draw(const struct machine *machine, struct task *task,
		     const struct operation *operation)
{
	double length = operation->mean_ns;

	if (operation->spread_percent)
		length *= 1 + operation->spread_percent / 100.0 *
				      (2 * random_uniform(&task->random) - 1);
	if (operation->kind == OPERATION_COMPUTE)
		length *= machine->slowness[task->core];
	return (uint64_t)(operation->is_target ? length * machine->target_left : length);
}

static enum step operation_done(struct machine *machine, struct task *task)
{
	const struct role *role = &machine->program->roles[task->role];

	task->stage = 0;
	task->lag_ns += OPERATION_COST_NS;
	if (++task->operation == role->count)
		task->operation = 0;
	return STEP_AGAIN;
}

static enum step block(struct task *task, struct object *object, int side)
{
	if (object)
		wait_at(object, side, task);
	task->lag_ns += BLOCK_COST_NS;
	return STEP_BLOCK;
}

static enum step spin(struct machine *machine, struct task *task, struct object *object)
{
	(void)machine;
	if (!task->is_spinning)
		object->spinners++;
	task->is_spinning = true;
	return STEP_SPIN;
}

static enum step spin_done(struct machine *machine, struct task *task, struct object *object)
{
	if (task->is_spinning)
		object->spinners--;
	task->is_spinning = false;
	return operation_done(machine, task);
}

static enum step step_compute(struct machine *machine, struct task *task,
			      const struct operation *operation)
{
	if (task->stage)
		return operation_done(machine, task);
	task->stage = 1;
	task->left_ns = draw(machine, task, operation) + task->lag_ns;
	task->lag_ns = 0;
	return STEP_COMPUTE;
}

static enum step step_lock(struct machine *machine, struct task *task, struct object *object)
{
	if (object->value)
		return block(task, object, 0);
	object->value = 1;
	return operation_done(machine, task);
}

static enum step step_unlock(struct machine *machine, struct task *task, struct object *object)
{
	object->value = 0;
	wake_first(object, 0, task);
	return operation_done(machine, task);
}

static enum step step_wait(struct machine *machine, struct task *task, struct object *object)
{
	if (object->value <= 0)
		return block(task, object, 0);
	object->value--;
	return operation_done(machine, task);
}

/* Beyond the capacity, if there is one, it is lost. */
static enum step step_post(struct machine *machine, struct task *task, struct object *object)
{
	if (object->capacity && object->value >= object->capacity)
		return operation_done(machine, task);
	object->value++;
	wake_first(object, 0, task);
	return operation_done(machine, task);
}

static enum step step_put(struct machine *machine, struct task *task, struct object *object)
{
	if (object->value >= object->capacity)
		return block(task, object, 1);
	object->value++;
	wake_first(object, 0, task);
	return operation_done(machine, task);
}

static enum step step_take(struct machine *machine, struct task *task, struct object *object)
{
	if (object->value <= 0)
		return block(task, object, 0);
	object->value--;
	wake_first(object, 1, task);
	return operation_done(machine, task);
}

/* Does the task pass the barrier, now or since an earlier step? */
static bool barrier_is_passed(struct task *task, struct object *object, bool *is_last)
{
	*is_last = false;
	if (task->stage)
		return object->round != task->round;
	task->stage = 1;
	task->round = object->round;
	if (++object->value < object->capacity)
		return false;
	object->value = 0;
	object->round++;
	*is_last = true;
	return true;
}

static enum step step_barrier(struct machine *machine, struct task *task, struct object *object)
{
	bool is_last;

	if (!barrier_is_passed(task, object, &is_last))
		return block(task, object, 0);
	if (is_last)
		wake_all(object, 0, task);
	return operation_done(machine, task);
}

static enum step step_spin_barrier(struct machine *machine, struct task *task,
				   const struct operation *operation)
{
	struct object *object = &machine->objects[operation->object];
	bool is_last;

	if (!barrier_is_passed(task, object, &is_last))
		return spin(machine, task, object);
	if (is_last)
		machine_object_changed(machine, operation->object);
	return spin_done(machine, task, object);
}

/* The lock is handed to all readers that wait; they have it when they are woken. */
static void hand_to_readers(struct object *object, struct task *waker)
{
	for (struct task *reader = object->waiters[0]; reader; reader = reader->next) {
		reader->stage = 1;
		object->value++;
	}
	wake_all(object, 0, waker);
}

static void hand_to_writer(struct object *object, struct task *waker)
{
	if (!object->waiters[1])
		return;
	object->waiters[1]->stage = 1;
	object->value = -1;
	wake_first(object, 1, waker);
}

/*
 * value: readers; -1: a writer. Waiters 0 are readers, 1 writers. As in glibc, readers join readers
 * even where a writer waits, and whoever leaves last hands the lock over.
 */
static enum step step_read_write(struct machine *machine, struct task *task,
				 const struct operation *operation)
{
	struct object *object = &machine->objects[operation->object];

	switch (operation->kind) {
	case OPERATION_READ_LOCK:
		if (!task->stage && object->value < 0)
			return block(task, object, 0);
		object->value += !task->stage;
		break;
	case OPERATION_WRITE_LOCK:
		if (!task->stage && object->value)
			return block(task, object, 1);
		object->value = -1;
		break;
	case OPERATION_READ_UNLOCK:
		if (!--object->value)
			hand_to_writer(object, task);
		break;
	default:
		object->value = 0;
		if (object->waiters[0])
			hand_to_readers(object, task);
		else
			hand_to_writer(object, task);
	}
	return operation_done(machine, task);
}

static enum step step_spin(struct machine *machine, struct task *task,
			   const struct operation *operation)
{
	struct object *object = &machine->objects[operation->object];

	switch (operation->kind) {
	case OPERATION_SPIN_LOCK:
		if (object->value)
			return spin(machine, task, object);
		object->value = 1;
		return spin_done(machine, task, object);
	case OPERATION_SPIN_WAIT:
		if (object->value <= 0)
			return spin(machine, task, object);
		object->value--;
		return spin_done(machine, task, object);
	case OPERATION_SPIN_UNLOCK:
		object->value = 0;
		break;
	default:
		object->value++;
	}
	machine_object_changed(machine, operation->object);
	return operation_done(machine, task);
}

static enum step step_sleep(struct machine *machine, struct task *task,
			    const struct operation *operation)
{
	if (task->stage)
		return operation_done(machine, task);
	uint64_t length = draw(machine, task, operation);
	if (!length)
		return operation_done(machine, task);
	task->stage = 1;
	machine_wake_at(machine, task, machine->now_ns + length);
	return block(task, NULL, 0);
}

/* Tries the lock, and sleeps before each next try. */
static enum step step_retry_lock(struct machine *machine, struct task *task,
				 const struct operation *operation)
{
	struct object *object = &machine->objects[operation->object];

	if (!object->value) {
		object->value = 1;
		return operation_done(machine, task);
	}
	task->stage = 1;
	machine_wake_at(machine, task, machine->now_ns + draw(machine, task, operation));
	return block(task, NULL, 0);
}

/* A device with capacity 1 serves one request after the other. */
static enum step step_io(struct machine *machine, struct task *task,
			 const struct operation *operation)
{
	struct object *device = &machine->objects[operation->object];
	uint64_t begin = machine->now_ns;

	if (task->stage)
		return operation_done(machine, task);
	uint64_t length = draw(machine, task, operation);
	if (!length)
		return operation_done(machine, task);
	if (device->capacity && device->busy_ns > begin)
		begin = device->busy_ns;
	device->busy_ns = begin + length;
	task->stage = 1;
	machine_wake_at(machine, task, begin + length);
	return block(task, NULL, 0);
}

static enum step flushed(struct machine *machine, struct task *task, struct object *log)
{
	log->value = 0;
	log->round++;
	wake_all(log, 0, task);
	return operation_done(machine, task);
}

/*
 * Who finds the log free flushes all that has been written. The others sleep until it is released,
 * and find their part flushed, or flush in turn. value: somebody flushes; round: flushes so far.
 */
static enum step step_flush(struct machine *machine, struct task *task,
			    const struct operation *operation)
{
	struct object *log = &machine->objects[operation->object];

	if (task->stage == FLUSH_WAITS)
		return flushed(machine, task, log);
	if (!task->stage)
		task->round = log->round + 1 + (uint32_t)log->value;
	task->stage = FLUSH_ASKS;
	if ((int32_t)(log->round - task->round) >= 0)
		return operation_done(machine, task);
	if (log->value)
		return block(task, log, 0);
	uint64_t length = draw(machine, task, operation);
	if (!length)
		return flushed(machine, task, log);
	log->value = 1;
	task->stage = FLUSH_WAITS;
	machine_wake_at(machine, task, machine->now_ns + length);
	return block(task, NULL, 0);
}

static enum step step_visit(struct machine *machine, struct task *task)
{
	if (!machine->visits) {
		machine->first_visit_ns = machine->now_ns;
		machine->first_delay_ns = engine_delay(machine);
	}
	machine->visits++;
	machine->cores[task->core].engine.turn.has_acted = true;
	machine->last_visit_ns = machine->now_ns;
	machine->last_delay_ns = engine_delay(machine);
	return operation_done(machine, task);
}

static enum step step_send(struct machine *machine, struct task *task,
			   const struct operation *operation)
{
	machine->send(machine, operation, task);
	return operation_done(machine, task);
}

struct task *program_post_from_outside(struct machine *machine, uint8_t index)
{
	struct object *object = &machine->objects[index];
	struct task *woken = object->waiters[0];

	object->value++;
	if (woken)
		object->waiters[0] = woken->next;
	return woken;
}

enum step program_step(struct machine *machine, struct task *task)
{
	const struct operation *operation = task_operation(machine, task);
	struct object *object = &machine->objects[operation->object];

	if (task->lag_ns > LAG_MOST_NS) {
		task->left_ns = task->lag_ns;
		task->lag_ns = 0;
		return STEP_COMPUTE;
	}
	switch (operation->kind) {
	case OPERATION_COMPUTE:
		return step_compute(machine, task, operation);
	case OPERATION_LOCK:
		return step_lock(machine, task, object);
	case OPERATION_UNLOCK:
		return step_unlock(machine, task, object);
	case OPERATION_WAIT:
		return step_wait(machine, task, object);
	case OPERATION_POST:
		return step_post(machine, task, object);
	case OPERATION_PUT:
		return step_put(machine, task, object);
	case OPERATION_TAKE:
		return step_take(machine, task, object);
	case OPERATION_BARRIER:
		return step_barrier(machine, task, object);
	case OPERATION_SPIN_BARRIER:
		return step_spin_barrier(machine, task, operation);
	case OPERATION_READ_LOCK:
	case OPERATION_WRITE_LOCK:
	case OPERATION_READ_UNLOCK:
	case OPERATION_WRITE_UNLOCK:
		return step_read_write(machine, task, operation);
	case OPERATION_SLEEP:
		return step_sleep(machine, task, operation);
	case OPERATION_RETRY_LOCK:
		return step_retry_lock(machine, task, operation);
	case OPERATION_IO:
		return step_io(machine, task, operation);
	case OPERATION_FLUSH:
		return step_flush(machine, task, operation);
	case OPERATION_VISIT:
		return step_visit(machine, task);
	case OPERATION_SEND:
		return step_send(machine, task, operation);
	}
	return step_spin(machine, task, operation);
}

bool program_must_wait(const struct machine *machine, const struct task *task)
{
	const struct operation *operation = task_operation(machine, task);
	const struct object *object = &machine->objects[operation->object];

	switch (operation->kind) {
	case OPERATION_LOCK:
	case OPERATION_SPIN_LOCK:
	case OPERATION_WRITE_LOCK:
	case OPERATION_RETRY_LOCK:
		return object->value != 0;
	case OPERATION_WAIT:
	case OPERATION_TAKE:
		return object->value <= 0;
	case OPERATION_PUT:
		return object->value >= object->capacity;
	case OPERATION_READ_LOCK:
		return object->value < 0;
	case OPERATION_FLUSH:
		return task->stage != FLUSH_WAITS;
	case OPERATION_BARRIER:
	case OPERATION_SLEEP:
	case OPERATION_IO:
		return !task->stage;
	}
	return false;
}

void program_start(struct machine *machine, const struct program *program)
{
	uint32_t count = 0;

	machine->program = program;
	for (uint32_t i = 0; i < program->object_count; i++)
		machine->objects[i] = (struct object){.value = program->objects[i].value,
						      .capacity = program->objects[i].capacity};
	for (uint32_t i = 0; i < program->role_count; i++)
		for (uint32_t k = 0; k < program->roles[i].threads; k++) {
			struct task *task = &machine->tasks[count];

			*task = (struct task){.id = (uint16_t)count, .role = (uint16_t)i};
			task->core = (uint16_t)(count % machine->settings.cores);
			task->random = random_seeded(machine->settings.seed * 1000003 + count);
			count++;
		}
	machine->task_count = count;
}
