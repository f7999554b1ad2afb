/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * sample - what a tick in the program found: code, whether that is the target, and the record.
 *
 * A sample outside the scope belongs to the innermost caller in scope (COZ, section 3.4.2).
 */
#pragma once

#include "bpf/kernel_chain.h"
#include "bpf/latency.h"
#include "bpf/member.h"
#include "bpf/open_spans.h"
#include "bpf/pause.h"
#include "bpf/progress.h"
#include "bpf/system_calls.h"
#include "bpf/user_frames.h"
#include "bpf/waiters.h"

static __always_inline void sample_fill(struct wire_sample *sample, u64 ids, u32 flags, u64 weight,
					u64 kernel_ip, const struct frame_walk *walk)
{
	sample->kind = KERNEL_EVENT_SAMPLE;
	sample->flags = flags;
	sample->tgid = ids >> 32;
	sample->tid = (u32)ids;
	sample->weight_ns = weight;
	sample->time_ns = walk->now;
	sample->leaf_object = walk->leaf.object;
	sample->leaf_offset = walk->leaf.offset;
	sample->scope_object = walk->found.object;
	sample->scope_offset = walk->found.offset;
	sample->kernel_ip = kernel_ip;
	sample->system_call = walk->system_call;
	sample->span = walk->span;
}

static __always_inline void sample_emit(struct kernel_cpu *cpu, u64 ids, u32 flags, u64 weight,
					u64 kernel_ip, const struct frame_walk *walk)
{
	struct wire_sample *sample = bpf_ringbuf_reserve(&events, sizeof(*sample), 0);
	if (!sample) {
		cpu->lost++;
		return;
	}
	sample_fill(sample, ids, flags, weight, kernel_ip, walk);
	bpf_ringbuf_submit(sample, BPF_RB_NO_WAKEUP);
}

/* The same with the kernel's call chain, whose code in scope takes precedence. */
static __always_inline void sample_emit_chain(struct kernel_cpu *cpu, u64 ids, u32 flags,
					      u64 weight, const struct frame_walk *walk,
					      const struct kernel_chain_search *inside)
{
	u32 zero = 0;
	struct kernel_chain *chain = bpf_map_lookup_elem(&kernel_chain_scratches, &zero);
	if (!chain)
		return;
	sample_fill(&chain->sample, ids, flags | WIRE_SAMPLE_CHAIN, weight, chain->addresses[0],
		    walk);
	chain->user_object = walk->is_found ? walk->found.object : WIRE_OBJECT_UNKNOWN;
	chain->user_offset = walk->found.offset;
	chain->pad = chain->pad_user = 0;
	if (inside->is_found) {
		chain->sample.scope_object = inside->found.object;
		chain->sample.scope_offset = inside->found.offset;
	}
	kernel_chain_emit(cpu, chain, inside->count);
}

/* The levels at which the task's system call, open span or process is the target. */
static __always_inline u32 activity_levels(struct task_struct *task, int call, u32 span)
{
	struct location place = {.object = WIRE_OBJECT_SYSTEM_CALLS, .offset = (u32)call};
	u32 levels = 0;

	if (settings.enable_system_calls && call >= 0)
		levels = location_levels(&place);
	if (settings.enable_spans && span != WIRE_SPAN_NONE) {
		place.object = WIRE_OBJECT_SPANS;
		place.offset = span;
		levels |= location_levels(&place);
	}
	if (settings.has_processes) {
		place.object = WIRE_OBJECT_PROCESSES;
		place.offset = process_key(task->group_leader);
		levels |= location_levels(&place);
	}
	return levels;
}

/* Kernel code in scope hides the user's, but not what that calls. */
static __always_inline u32 chain_levels(const struct frame_walk *walk,
					const struct kernel_chain_search *inside)
{
	u32 seen = inside->is_found ? settings.inclusive_levels : ~0u;
	return (walk->levels & seen) | inside->levels;
}

/* A tick is the target's if its code is; waits, of a class or by spinning, are none on CPU. */
static __always_inline u32 sample_levels(struct task_struct *task, const struct frame_walk *walk,
					 const struct kernel_chain_search *inside)
{
	if (walk->is_spinning)
		return 0;
	return (chain_levels(walk, inside) | activity_levels(task, walk->system_call, walk->span)) &
	       settings.code_levels;
}

/* Returns whether the thread spins. `state`: NULL of a task that never pays. */
static __always_inline bool sample_take(struct bpf_perf_event_data *context,
					struct task_struct *task, struct task_state *state, u64 now,
					u64 weight)
{
	struct kernel_cpu *cpu = this_cpu();
	u64 ip = PT_REGS_IP(&context->regs), kernel_ip = ip >> 63 ? ip : 0;
	u32 flags =
		(has_speedup() ? WIRE_SAMPLE_SPEEDUP : 0) | (kernel_ip ? WIRE_SAMPLE_IN_KERNEL : 0);
	struct address_space *space = address_space_of(task);
	bool enable_kernel = kernel_ip && settings.enable_kernel;
	if (!space && !enable_kernel)
		return false;

	struct frame_walk *walk = frame_walk_begin(now);
	struct kernel_chain_search inside = {};
	if (!walk)
		return false;
	walk->enable_callers = callers_are_due();
	if (space) {
		progress_observe_tick(space, now);
		walk->space = space->id;
		frames_walk(context, task, walk);
		if (settings.enable_spans)
			walk->span = open_span_of_current();
	}
	if (enable_kernel)
		kernel_chain_walk(context, &inside);
	if (enable_kernel || settings.enable_system_calls)
		walk->system_call = kernel_ip ? system_call_of(task) : system_call_left(ip);
	cpu->samples++;
	cpu->sampled_ns += weight;
	bool is_spinning = state && (walk->is_spinning || spins(context));
	if (state)
		spin_check(state, is_spinning, weight);
	u32 levels = sample_levels(task, walk, &inside);
	if (walk->is_spinning)
		flags |= WIRE_SAMPLE_SPINS;
	if (levels & settings.target_levels) {
		flags |= WIRE_SAMPLE_TARGET;
		cpu->target_samples++;
		cpu->target_ns += weight;
	}
	if (walk->is_found) {
		int point = walk->is_spinning ? -1 : location_sampled_point(&walk->found);
		bool is_cpu_time = point >= SAMPLED_POINT_ALL && state;
		if (point >= 0)
			progress_add((u32)point % SAMPLED_POINT_ALL,
				     is_cpu_time ? cpu->run_ns : weight, now);
	} else if (!inside.is_found) {
		flags |= WIRE_SAMPLE_NO_SCOPE;
		cpu->unwound_badly += space != NULL;
	}
	if (walk->enable_callers && callers_emit())
		flags |= WIRE_SAMPLE_CALLERS;
	if (enable_kernel)
		sample_emit_chain(cpu, ids_of(task), flags, weight, walk, &inside);
	else
		sample_emit(cpu, ids_of(task), flags, weight, kernel_ip, walk);
	latency_pause(pause_charge(levels, weight, now));
	return is_spinning;
}
