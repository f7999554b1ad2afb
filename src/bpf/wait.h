/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * wait - time off CPU as time of the code that waits (blocked samples; BCOZ).
 *
 * A wait counts for the line that waits if it ends from outside of the program: I/O, timers, the
 * network. A wait for another task of the program is that task's work, and so is a lock: making it
 * shorter is a matter of that task's code. Who ends a wait is known only afterwards, so waits that are
 * neither I/O nor a plain sleep are taken to end as the task's last such wait did.
 */
#pragma once

#include "bpf/sample.h"
#include "bpf/waiters.h"

static __always_inline bool call_is_among(int call, const u64 *calls)
{
	for (int i = 0; i < KERNEL_CALLS_MOST; i++)
		if (call >= 0 && (u64)call == calls[i])
			return true;
	return false;
}

/* `task` gives up its core, which it can only do for one of these. */
static __always_inline u32 wait_class(struct task_struct *task, int call)
{
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return KERNEL_CLASS_IO;
	return call_is_among(call, settings.lock_calls) ? KERNEL_CLASS_LOCK : KERNEL_CLASS_OTHER;
}

static __always_inline bool wait_is_outside(const struct task_state *state, u32 class, int call)
{
	if (class != KERNEL_CLASS_OTHER)
		return class == KERNEL_CLASS_IO;
	return call_is_among(call, settings.sleep_calls) || state->woken_from_outside;
}

static __always_inline bool class_is_seen(u32 class)
{
	return settings.sees_classes & KERNEL_CLASS_BIT(class);
}

/* Is a wait of this class the target, if the code that waits is (`at_target`)? */
static __always_inline bool wait_is_hit(u32 class, bool at_target)
{
	if (!settings.classes)
		return at_target && class != KERNEL_CLASS_LOCK && class != KERNEL_CLASS_RUNNABLE;
	return settings.classes & KERNEL_CLASS_BIT(class) &&
	       (at_target || !settings.classes_of_code);
}

/* Finds the code that waits; returns whether it is the target. */
static __always_inline bool wait_look(void *context, struct task_struct *task, struct space *space,
				      struct task_state *state, int call, u64 now)
{
	struct frame_walk walk = {.now = now, .space = space->id};
	struct chain_walk inside = {};

	frames_walk_user(task, &walk);
	if (settings.sees_kernel)
		chain_look(context, &inside);
	state->wait_is_in_scope = walk.is_found || inside.is_found;
	state->wait_leaf = walk.leaf;
	state->wait_found = inside.is_hit   ? inside.hit :
			    inside.is_found ? inside.found :
					      walk.found;
	state->wait_span = settings.sees_spans ? span_of_current() : KERNEL_SPAN_NONE;
	return (inside.is_found ? inside.is_hit : walk.is_hit) ||
	       activity_is_target(call, state->wait_span);
}

static __always_inline void wait_forget(struct task_state *state)
{
	state->wait_is_in_scope = 0;
	state->wait_leaf.object = state->wait_found.object = KERNEL_OBJECT_UNKNOWN;
	state->wait_span = KERNEL_SPAN_NONE;
}

/* Where it goes on, for who waits for a core: found when it leaves one. */
static __always_inline bool looks_at_runnable(void)
{
	return settings.classes_of_code && class_is_seen(KERNEL_CLASS_RUNNABLE);
}

/* The current task is about to leave its core, blocked. */
static __always_inline void wait_begin(void *context, struct task_struct *task,
				       struct task_state *state, u64 now)
{
	int call = system_call_of(task);
	u32 class = wait_class(task, call);
	bool counts = (settings.waits_count && wait_is_outside(state, class, call)) ||
		      (class == KERNEL_CLASS_LOCK && class_is_seen(class));
	bool at_target = false;

	state->wait = WAIT_NONE;
	state->wait_class = class;
	state->wait_call = call;
	state->is_lock_hit = 0;
	if (!counts && !looks_at_runnable())
		return;
	struct space *space = space_of(task);
	if (!space)
		return;
	wait_forget(state);
	if (class != KERNEL_CLASS_LOCK || settings.classes_of_code)
		at_target = wait_look(context, task, space, state, call, now);
	if (!counts)
		return;
	bool is_hit = wait_is_hit(class, at_target);
	state->wait = is_hit ? WAIT_TARGET : WAIT_SAMPLED;
	if (class == KERNEL_CLASS_LOCK)
		state->is_lock_hit = is_hit;
	else if (is_hit)
		waiters_join(state, now);
}

/* The current task has been preempted. */
static __always_inline void runnable_begin(void *context, struct task_struct *task,
					   struct task_state *state, u64 now)
{
	struct space *space = looks_at_runnable() ? space_of(task) : NULL;

	state->wait_call = settings.sees_calls ? system_call_of(task) : -1;
	if (space)
		wait_look(context, task, space, state, -1, now);
}

/* Short waits are drawn with a probability, so that each sample stands for a period at least. */
static __always_inline u64 wait_weight(u64 waited)
{
	u64 period = settings.period_ns;

	if (waited >= period || !period)
		return waited;
	return bpf_get_prandom_u32() % period < waited ? period : 0;
}

static __always_inline void wait_emit(struct kernel_cpu *cpu, struct task_struct *task,
				      const struct task_state *state, u32 class, bool is_hit,
				      u64 waited, u64 now)
{
	u64 weight = wait_weight(waited);
	struct frame_walk walk = {.now = now,
				  .leaf = state->wait_leaf,
				  .found = state->wait_found,
				  .system_call = state->wait_call,
				  .span = state->wait_span};
	u32 flags = KERNEL_SAMPLE_WAITING | class << KERNEL_SAMPLE_CLASS_SHIFT |
		    (speeds_up() ? KERNEL_SAMPLE_FAST : 0) | (is_hit ? KERNEL_SAMPLE_HIT : 0) |
		    (state->wait_is_in_scope ? 0 : KERNEL_SAMPLE_NO_SCOPE);
	if (weight)
		sample_emit(cpu, task, flags, weight, 0, &walk);
}

/* What of a wait from `since` to `now` lies in this generation. */
static __always_inline u64 in_generation(u64 since, u64 now)
{
	return now - ((s64)(settings.generation_ns - since) > 0 ? settings.generation_ns : since);
}

/* The task is being woken. Its credit is what it waited in the target, at the speedup. */
static __always_inline void wait_end(struct kernel_cpu *cpu, struct task_struct *task,
				     struct task_state *state, u64 now)
{
	if (state->wait == WAIT_NONE)
		return;
	u64 waited = now - state->left_ns;
	bool is_hit = state->wait == WAIT_TARGET;
	cpu->waited_ns += waited;
	if (is_hit) {
		cpu->target_ns += in_generation(state->left_ns, now);
		if (!state->is_lock_hit && waiters_leave(state, now))
			state->credit_ns = (waited * settings.speed) / KERNEL_SPEED_ONE;
	}
	wait_emit(cpu, task, state, state->wait_class, is_hit, waited, now);
	state->wait = WAIT_NONE;
}

/* The task enters a core for which it waited since it was woken, or since it was preempted. */
static __always_inline void runnable_end(struct kernel_cpu *cpu, struct task_struct *task,
					 struct task_state *state, u64 now)
{
	state->is_runnable_hit = 0;
	if (!class_is_seen(KERNEL_CLASS_RUNNABLE) || !state->is_member || !state->is_seen)
		return;
	if (!settings.classes_of_code)
		wait_forget(state);
	u64 since = state->is_woken && state->is_blocked ? state->woken_ns : state->left_ns;
	bool at_target = settings.classes_of_code &&
			 (location_is_target(&state->wait_found) ||
			  activity_is_target(state->wait_call, state->wait_span));
	bool is_hit = wait_is_hit(KERNEL_CLASS_RUNNABLE, at_target);

	cpu->waited_ns += now - since;
	if (is_hit)
		cpu->target_ns += in_generation(since, now);
	state->is_runnable_hit = is_hit;
	wait_emit(cpu, task, state, KERNEL_CLASS_RUNNABLE, is_hit, now - since, now);
}
