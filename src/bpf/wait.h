/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * wait - time off CPU as time of the code that waits (blocked samples; BCOZ).
 *
 * A wait counts for the line that waits if an external event ends it: I/O, timers, the network. A
 * wait for another task of the program, such as a lock, is that task's work. The waker is known
 * only afterwards, so a wait that is neither I/O nor a plain sleep is expected to end as the
 * task's last such wait did.
 */
#pragma once

#include "bpf/idle_wait.h"
#include "bpf/sample.h"
#include "bpf/waiters.h"

/* Of `task`, which gives up its core. */
static __always_inline u32 wait_class_now(struct task_struct *task, int call)
{
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return WAIT_CLASS_IO;
	return wait_class_of(wait_reason(call));
}

static __always_inline bool wait_is_external(const struct task_state *state, u32 class, int call)
{
	if (class != WAIT_CLASS_OTHER)
		return class == WAIT_CLASS_IO;
	return wait_reason(call) == WAIT_FOR_TIME || state->was_woken_externally;
}

static __always_inline bool class_is_enabled(u32 class)
{
	return settings.enable_classes & WAIT_CLASS_BIT(class);
}

/* The levels at which a wait of this class is the target; `at`: those of the code that waits. */
static __always_inline u32 wait_levels(u32 class, u32 at)
{
	bool is_of_code = class != WAIT_CLASS_LOCK && class != WAIT_CLASS_RUNNABLE;
	u32 levels = is_of_code ? at & settings.code_levels : 0;

	if (settings.classes & WAIT_CLASS_BIT(class))
		levels |= settings.class_levels & (settings.classes_of_code ? at : ~0u);
	return levels;
}

/* Finds the code that waits; returns the levels at which it is the target. */
static __always_inline u32 wait_inspect(void *context, struct task_struct *task,
					struct address_space *space, struct task_state *state,
					int call, u64 now)
{
	struct frame_walk *walk = frame_walk_begin(now);
	struct kernel_chain_search inside = {};

	if (!walk)
		return 0;
	walk->space = space->id;
	walk->enable_callers = callers_are_due();
	frames_walk_user(task, walk);
	if (settings.enable_kernel)
		kernel_chain_walk(context, &inside);
	state->wait_flags = walk->is_found || inside.is_found ? 0 : WIRE_SAMPLE_NO_SCOPE;
	if (settings.enable_callers && callers_emit())
		state->wait_flags |= WIRE_SAMPLE_CALLERS;
	state->wait_leaf = walk->leaf;
	state->wait_found = inside.levels   ? inside.target :
			    inside.is_found ? inside.found :
					      walk->found;
	state->wait_span = settings.enable_spans ? open_span_of_current() : WIRE_SPAN_NONE;
	return chain_levels(walk, &inside) | activity_levels(task, call, state->wait_span);
}

static __always_inline void wait_reset(struct task_state *state)
{
	state->wait_flags = WIRE_SAMPLE_NO_SCOPE;
	state->wait_leaf.object = state->wait_found.object = WIRE_OBJECT_UNKNOWN;
	state->wait_span = WIRE_SPAN_NONE;
}

/* The code that waits for a core is found when the task leaves one. */
static __always_inline bool inspects_runnable(void)
{
	return settings.classes_of_code && class_is_enabled(WAIT_CLASS_RUNNABLE);
}

/* Who waits for a condition has nothing to do, except for a thread that has a request to answer. */
static __always_inline bool is_no_idle_wait(const struct task_state *state)
{
	return state->serves || state->waits_for_lock;
}

/*
 * What the current task begins to wait for. Returns whether that may count. A function of its own:
 * there are many ways through it, and the verifier follows none of them further.
 */
__noinline int wait_decide(struct task_state *state)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!state)
		return false;
	int call = system_call_of(task);
	u32 class = wait_class_now(task, call);
	enum lock_wait lock = class == WAIT_CLASS_LOCK ? lock_wait_of(task, call) : WAIT_NO_LOCK;
	state->waits_for_lock = lock == WAIT_FUTEX_LOCK || lock == WAIT_TOLD_LOCK;
	state->owes_no_timer = lock == WAIT_TOLD_LOCK;
	bool counts =
		(settings.enable_waits && wait_is_external(state, class, call)) ||
		(class == WAIT_CLASS_LOCK && class_is_enabled(class) && is_no_idle_wait(state));
	state->is_housekeeping = 0;
	bool is_idle =
		class != WAIT_CLASS_IO && request_point_count && wait_is_idle(task, state, call);

	state->wait = is_idle && state->serves ? WAIT_FOR_REQUEST : WAIT_NONE;
	state->wait_class = class;
	state->wait_call = call;
	state->delay.lock_levels = 0;
	return counts && !is_idle;
}

/* The current task leaves its core to wait. */
static __always_inline void wait_begin(void *context, struct task_struct *task,
				       struct task_state *state, u64 now)
{
	u32 levels = 0;

	if (state->wait == WAIT_TARGET && !state->delay.lock_levels)
		waiters_leave(state, now); /* nothing has ended that wait: it would count twice */
	int counts = wait_decide(state);
	if (!counts && !inspects_runnable())
		return;
	u32 class = state->wait_class;
	int call = state->wait_call;
	struct address_space *space = address_space_of(task);
	if (!space)
		return;
	wait_reset(state);
	if (class != WAIT_CLASS_LOCK || settings.classes_of_code)
		levels = wait_inspect(context, task, space, state, call, now);
	if (!counts)
		return;
	levels = wait_levels(class, levels);
	state->wait_level = delay_level_of(&settings.delay, levels);
	if (class == WAIT_CLASS_LOCK)
		state->delay.lock_levels = levels;
	else if (levels)
		waiters_join(state, now);
	/* After it has joined: another core may wake it now, and would not let it leave. */
	*(volatile u8 *)&state->wait = levels ? WAIT_TARGET : WAIT_SAMPLED;
}

/* The current task has been preempted. */
static __always_inline void runnable_begin(void *context, struct task_struct *task,
					   struct task_state *state, u64 now)
{
	struct address_space *space = inspects_runnable() ? address_space_of(task) : NULL;

	state->wait_call = settings.enable_system_calls ? system_call_of(task) : -1;
	if (space)
		wait_inspect(context, task, space, state, -1, now);
}

/* Short waits are sampled at random, so that each sample stands for a period at least. */
static __always_inline u64 wait_weight(u64 waited)
{
	u64 period = settings.delay.period_ns;

	if (waited >= period || !period)
		return waited;
	return bpf_get_prandom_u32() % period < waited ? period : 0;
}

#define WAIT_OF_TARGET 16u /* beside the class */

/* `ids`: ids_of the task. `what`: its class. A function of its own, for the verifier. */
__noinline int wait_emit(const struct task_state *state, u64 ids, u32 what, u64 waited, u64 now)
{
	u64 weight = wait_weight(waited);
	if (!state || !weight)
		return 0;
	struct frame_walk walk = {.now = now,
				  .leaf = state->wait_leaf,
				  .found = state->wait_found,
				  .system_call = state->wait_call,
				  .span = state->wait_span};
	u32 flags = WIRE_SAMPLE_WAITING |
		    (what & WIRE_SAMPLE_CLASS_MASK) << WIRE_SAMPLE_CLASS_SHIFT |
		    (has_speedup() ? WIRE_SAMPLE_SPEEDUP : 0) |
		    (what & WAIT_OF_TARGET ? WIRE_SAMPLE_TARGET : 0) | state->wait_flags;
	sample_emit(this_cpu(), ids, flags, weight, 0, &walk);
	return 0;
}

/*
 * The way back onto a core that is idle, or that the waker leaves, is a part of the wait: it goes
 * with it. But a nap made shorter is no nap taken away.
 */
static __always_inline bool wait_lasts_until_core(struct task_struct *woken,
						  const struct task_state *state)
{
	return state->wait != WAIT_NONE && state->wait != WAIT_FOR_REQUEST &&
	       state->wait_class != WAIT_CLASS_LOCK && !state->delay.lock_levels &&
	       wait_reason(state->wait_call) != WAIT_FOR_TIME &&
	       !cpus[woken->thread_info.cpu & (KERNEL_CPUS_MOST - 1)].has_user_task;
}

/* The task is woken. A function of its own, for the verifier. */
__noinline int wait_end(struct task_state *state, u64 ids, u64 now)
{
	struct kernel_cpu *cpu = this_cpu();

	if (!state || state->wait == WAIT_NONE)
		return 0;
	/* Of two cores: the waker may have read its clock before the task left. */
	u64 waited = delay_not_negative(now - state->delay.left_ns);
	if (state->wait == WAIT_FOR_REQUEST) {
		__sync_fetch_and_add(&serving.waited_ns, waited);
		state->wait = WAIT_NONE;
		return 0;
	}
	u32 levels = state->wait == WAIT_TARGET ? 1u << (state->wait_level & 31) : 0;
	bool is_target = levels & settings.target_levels;
	cpu->waited_ns += waited;
	if (is_target)
		cpu->target_ns += delay_in_generation(&settings.delay, state->delay.left_ns, now);
	if (levels && !state->delay.lock_levels && waiters_leave(state, now))
		state->delay.credit_ns =
			delay_wait_credit(&settings.delay, state->wait_level, waited);
	wait_emit(state, ids, state->wait_class | (is_target ? WAIT_OF_TARGET : 0), waited, now);
	state->wait = WAIT_NONE;
	return 0;
}

/*
 * The task enters a core, or a tick finds it there. If no wake-up ended its wait, as its event came
 * before that of the switch, the wait ends here: else the task would be a waiter for the rest of
 * the generation, and all others would pause. No sample: Linux 6.1 refuses a larger program.
 */
static __always_inline void wait_end_unseen(struct task_state *state, u64 now)
{
	if (state->wait == WAIT_NONE)
		return;
	if (state->wait == WAIT_TARGET && !state->delay.lock_levels && waiters_leave(state, now))
		state->delay.credit_ns = delay_wait_credit(&settings.delay, state->wait_level,
							   now - state->delay.left_ns);
	state->wait = WAIT_NONE;
}

/* The task enters a core for which it waited since it was woken, or since it was preempted. */
static __always_inline void runnable_end(struct task_struct *task, struct task_state *state,
					 u64 now)
{
	struct kernel_cpu *cpu = this_cpu();

	state->delay.runnable_levels = 0;
	if (!class_is_enabled(WAIT_CLASS_RUNNABLE) || !state->is_member || !state->delay.is_seen)
		return;
	if (!settings.classes_of_code)
		wait_reset(state);
	u64 since = state->delay.is_woken && state->delay.is_blocked ? state->delay.woken_ns :
								       state->delay.left_ns;
	u32 levels = settings.classes_of_code ?
			     location_levels(&state->wait_found) |
				     activity_levels(task, state->wait_call, state->wait_span) :
			     0;
	levels = wait_levels(WAIT_CLASS_RUNNABLE, levels);
	bool is_target = levels & settings.target_levels;
	u64 waited = delay_not_negative(now - since);

	cpu->waited_ns += waited;
	if (is_target)
		cpu->target_ns += delay_in_generation(&settings.delay, since, now);
	state->delay.runnable_levels = levels;
	wait_emit(state, ids_of(task), WAIT_CLASS_RUNNABLE | (is_target ? WAIT_OF_TARGET : 0),
		  waited, now);
}
