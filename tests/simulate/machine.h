/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine - a simulated machine: cores, a scheduler, interrupts, and the tasks that run on it.
 *
 * The scheduler is fair by virtual run time, as CFS and EEVDF are: a queue per core, slices,
 * preemption at wake-ups, placement of woken tasks on idle cores, and balancing. An engine
 * (engine.h) is told of ticks, wake-ups and switches, and answers with pauses.
 */
#pragma once

#include "engine.h"
#include "events.h"
#include "program.h"

#include "stats/random.h"

#define MACHINE_CORES_MOST 1024
#define MACHINE_TASKS_MOST (PROGRAM_THREADS_MOST + 16)

/* Sources of events. */
#define SOURCE_CORE 0
#define SOURCE_TICK MACHINE_CORES_MOST
#define SOURCE_TASK (2 * MACHINE_CORES_MOST)
#define SOURCE_BALANCE (SOURCE_TASK + MACHINE_TASKS_MOST)

/* Costs and lengths of a machine, in ns. */
struct machine_settings {
	uint64_t seed;
	uint32_t cores;
	uint32_t switch_ns;    /* from one task to the next */
	uint32_t call_ns;      /* of a wake-up, for the waker */
	uint32_t idle_exit_ns; /* from a wake-up until an idle core runs the task */
	uint32_t interrupt_ns;
	uint32_t late_most_ns; /* timers and ticks are late by 0 to this */
	uint32_t slice_ns, preempt_ns, scheduler_tick_ns;
};

enum task_status { TASK_BLOCKED, TASK_RUNNABLE, TASK_RUNNING };

struct task {
	uint16_t id, role, core;    /* core: where it runs, waits, or ran last */
	uint16_t operation;         /* index within its role */
	uint8_t status;             /* enum task_status */
	uint8_t stage;              /* of an operation that goes on after a wait */
	bool is_spinning;           /* now, at operation->object */
	bool has_changed;           /* its object, since it spins there */
	bool is_blocking;           /* it waits in the middle of an operation */
	bool has_paid;              /* kernel engine: before the wake-up that comes next */
	bool is_paying, is_pausing; /* runtime engine: pays, sleeps for that */
	uint32_t round;             /* of the barrier that it waits at */
	uint64_t left_ns;           /* of the computation */
	uint64_t pause_ns;          /* runtime engine: left of a pause that spins */
	uint64_t lag_ns;            /* small costs, added to the next computation */
	int64_t runtime_ns;         /* virtual; while blocked, relative to its core's least */
	uint64_t cpu_ns;            /* on a core, without what interrupts took */
	struct task *next;          /* in a run queue, or among the waiters of an object */
	struct task *to_wake;       /* whom it is about to wake; linked by wake_next */
	struct task *wake_next;
	struct random random;
	struct engine_task engine;
};

struct core {
	struct task *current; /* NULL: idle */
	struct task *queue;   /* by virtual run time */
	uint32_t waiting;     /* tasks in the queue */
	bool must_switch;
	uint64_t since_ns;   /* the task's work is accounted up to here, and goes on from here */
	uint64_t masked_ns;  /* no interrupt before this */
	uint64_t locked_ns;  /* no switch before this */
	uint64_t entered_ns; /* the task came */
	int64_t least_runtime_ns;
	struct engine_core engine;
};

/* What threads meet at: a lock, a semaphore, a queue, a barrier, a device. */
struct object {
	int32_t value, capacity;
	uint32_t round;
	uint64_t busy_ns;        /* a device's: until then */
	struct task *waiters[2]; /* first in, first out */
	struct task *last_waiter[2];
	uint32_t spinners; /* how many tasks */
};

struct machine {
	struct machine_settings settings;
	/* Of several hosts (hosts.h): takes a message of a task that runs on this machine. */
	void (*send)(struct machine *machine, const struct operation *message, struct task *sender);
	void *hosts;
	uint32_t host;
	uint64_t now_ns;
	uint64_t idle[MACHINE_CORES_MOST /
		      64]; /* a bit per core without a task and none on its way */
	uint64_t visits, first_visit_ns, last_visit_ns, first_delay_ns, last_delay_ns;
	uint64_t events_done;
	uint64_t busy_ns, hand_overs; /* of the program, since they were last set to 0 */
	uint64_t short_naps, short_naps_ns;
	double target_left;                  /* of the target's work: 1 - cut */
	double slowness[MACHINE_CORES_MOST]; /* of computations that begin on this core; 1 */
	uint32_t task_count;
	const struct program *program;
	struct random random;
	struct events events;
	struct engine engine;
	struct core cores[MACHINE_CORES_MOST];
	struct task tasks[MACHINE_TASKS_MOST];
	struct object objects[PROGRAM_OBJECTS_MOST];
};

void machine_start(struct machine *machine, const struct machine_settings *settings,
		   const struct engine_settings *engine, const struct program *program);
void machine_run(struct machine *machine, uint64_t until_ns);

/* Visits are counted anew. */
void machine_begin_window(struct machine *machine);

/* For programs: the task's timer ends its wait at this time, by an interrupt. */
void machine_wake_at(struct machine *machine, struct task *task, uint64_t time_ns);
/*
 * A message of another host arrives and posts a semaphore, by an interrupt. Returns 0, or the time
 * before which no interrupt is taken.
 */
uint64_t machine_receive(struct machine *machine, uint8_t object,
			 const struct engine_message *message);
/* The object has changed: tasks that spin at it look again. */
void machine_object_changed(struct machine *machine, uint32_t object);

static inline const struct operation *task_operation(const struct machine *machine,
						     const struct task *task)
{
	const struct role *role = &machine->program->roles[task->role];

	return &machine->program->operations[role->first + task->operation];
}
