/* SPDX-License-Identifier: BSD-2-Clause */
/* engine_rules - what both engines of a simulated machine have in common; for them only. */
#pragma once

#include "machine.h"

/* Brings G up to now while tasks wait in the target. */
void engine_advance(struct machine *machine);
/* G becomes at least `local_ns`, which has just grown by `charge`. Returns by how much G grew. */
uint64_t engine_raise(struct machine *machine, uint64_t local_ns, uint64_t charge);
/* A tick took this. */
void engine_count_tick(struct machine *machine, uint64_t overhead);
void engine_join_waiters(struct machine *machine, struct engine_task *task);
/* Returns whether the wait counted. */
bool engine_leave_waiters(struct machine *machine, struct engine_task *task);
/* A wait that is ended from outside is sampled then, as by bpf/wait.h and runtime/wait.c. */
void engine_count_wait(struct machine *machine, struct engine_task *task);

bool task_computes_in_target(const struct machine *machine, const struct task *task);
/* A timer ends its wait, if it waits. */
bool task_naps(const struct machine *machine, const struct task *task);
/* For a device or a timer. */
bool task_waits_outside(const struct machine *machine, const struct task *task);

static inline bool task_is_member(const struct machine *machine, const struct task *task)
{
	return !machine->program->roles[task->role].is_foreign;
}

/* G has grown: now. */
void engine_note_growth(struct machine *machine);
/* The core pays now, and its task came to it at `since_ns`. */
void engine_count_lag(struct machine *machine, int64_t gap_ns, uint64_t since_ns);

/* One line of the trace. */
void engine_trace(const struct machine *machine, const char *what, const struct task *task,
		  int64_t gap);

/* The hooks of engine.h that belong to the runtime engine. */
uint64_t runtime_engine_tick(struct machine *machine, struct task *task);
bool runtime_engine_before_step(struct machine *machine, struct task *task);
void runtime_engine_after_step(struct machine *machine, struct task *task);
