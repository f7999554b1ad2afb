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

/* The system call that the task is in; at a fault, a negative number. */
static __always_inline u64 system_call_of(struct task_struct *task)
{
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 call = ~0ull;
#ifdef __TARGET_ARCH_x86
	bpf_probe_read_kernel(&call, sizeof(call), &user->orig_rax);
#else
	u32 number = ~0u; /* of struct pt_regs, which begins with struct user_pt_regs */
	bpf_probe_read_kernel(&number, sizeof(number), (void *)(user + 1) + sizeof(u64));
	call = number;
#endif
	return call;
}

static __always_inline bool wait_is_outside(struct task_struct *task,
					    const struct task_state *state)
{
	u64 call = system_call_of(task);

	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return true;
	for (int i = 0; i < KERNEL_CALLS_MOST; i++)
		if (call == settings.lock_calls[i])
			return false;
	for (int i = 0; i < KERNEL_CALLS_MOST; i++)
		if (call == settings.sleep_calls[i])
			return true;
	return state->woken_from_outside;
}

/* The current task is about to leave its core, blocked. */
static __always_inline void wait_begin(void *context, struct task_struct *task,
				       struct task_state *state, u64 now)
{
	state->wait = WAIT_NONE;
	if (!settings.waits_count || !wait_is_outside(task, state))
		return;
	struct space *space = space_of(task);
	if (!space)
		return;
	struct frame_walk walk = {.now = now, .space = space->id};
	frames_walk_user(task, &walk);
	struct chain_walk inside = {};
	if (settings.sees_kernel)
		chain_look(context, &inside);
	bool is_hit = inside.is_found ? inside.is_hit : walk.is_hit;
	state->wait = is_hit ? WAIT_TARGET : WAIT_SAMPLED;
	state->wait_is_in_scope = walk.is_found || inside.is_found;
	state->wait_leaf = walk.leaf;
	state->wait_found = inside.is_hit   ? inside.hit :
			    inside.is_found ? inside.found :
					      walk.found;
	if (is_hit)
		waiters_join(state, now);
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
				      const struct task_state *state, u64 waited, u64 now)
{
	u64 weight = wait_weight(waited);
	struct frame_walk walk = {.now = now, .leaf = state->wait_leaf, .found = state->wait_found};
	u32 flags = KERNEL_SAMPLE_WAITING | (settings.speed ? KERNEL_SAMPLE_FAST : 0) |
		    (state->wait == WAIT_TARGET ? KERNEL_SAMPLE_HIT : 0) |
		    (state->wait_is_in_scope ? 0 : KERNEL_SAMPLE_NO_SCOPE);
	if (weight)
		sample_emit(cpu, task, flags, weight, 0, &walk);
}

/* The task is being woken. Its credit is what it waited in the target, at the speedup. */
static __always_inline void wait_end(struct kernel_cpu *cpu, struct task_struct *task,
				     struct task_state *state, u64 now)
{
	if (state->wait == WAIT_NONE)
		return;
	u64 waited = now - state->left_ns, since = state->left_ns;
	if ((s64)(settings.generation_ns - since) > 0)
		since = settings.generation_ns;
	cpu->waited_ns += waited;
	if (state->wait == WAIT_TARGET) {
		cpu->target_ns += now - since;
		if (waiters_leave(state, now))
			state->credit_ns =
				((now - state->left_ns) * settings.speed) / KERNEL_SPEED_ONE;
	}
	wait_emit(cpu, task, state, waited, now);
	state->wait = WAIT_NONE;
}
