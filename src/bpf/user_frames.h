/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * user_frames - walks the user's frames to the innermost one in scope, and collects callers in
 * scope.
 */
#pragma once

#include "bpf/mappings.h"
#include "bpf/ranges.h"
#include "bpf/unwind.h"

#define SAMPLE_FRAMES_MOST 48

struct sample_scratch {
	struct kernel_callers callers;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sample_scratch);
} sample_scratches SEC(".maps");

struct frame_walk {
	struct frame frame;
	u64 now;
	struct location leaf, found;
	u32 space;
	u32 depth;
	bool is_found, is_target, is_complete, enable_callers;
	int system_call; /* -1: none, or not asked for */
	u32 span;        /* WIRE_SPAN_NONE */
	bool is_spinning, is_in_spin_helper;
	u16 pad;
};

static __always_inline void callers_add(const struct location *location)
{
	u32 zero = 0;
	struct sample_scratch *scratch = bpf_map_lookup_elem(&sample_scratches, &zero);

	if (!scratch || scratch->callers.count >= KERNEL_CALLERS_MOST)
		return;
	u32 count = scratch->callers.count;
	scratch->callers.frames[count].object = location->object;
	scratch->callers.frames[count].offset = location->offset;
	scratch->callers.count = count + 1;
}

/* Is the frame in a spin loop, or in code that one calls? */
static __always_inline void spin_visit(struct frame_walk *walk, u32 index,
				       const struct location *location)
{
	walk->is_in_spin_helper = false;
	if (index >= WIRE_SPIN_FRAMES || walk->is_spinning)
		return;
	int spin = location_spin(location);
	walk->is_spinning = spin == WIRE_SPIN_LOOP;
	walk->is_in_spin_helper = spin == WIRE_SPIN_HELPER;
}

/* Visits one frame; ends the walk at the innermost one in scope. */
static long frame_visit(u32 index, void *context)
{
	struct frame_walk *walk = context;
	struct location location = {};

	/* A return address may belong to the next line: the byte before it is in the call. */
	u64 address = walk->frame.ip - (index ? 1 : 0);
	if (!mapping_locate(walk->space, MAPPING_CACHE_TICK, address, walk->now, &location))
		return 1;
	if (!index)
		walk->leaf = location;
	walk->depth = index + 1;
	spin_visit(walk, index, &location);
	/* A target that the user named counts also outside of the scope. */
	bool is_target = location_is_target(&location);
	bool is_in_scope = is_target || location_is_in_scope(&location);
	if (is_in_scope && !walk->is_found) {
		walk->found = location;
		walk->is_found = true;
		walk->is_target = is_target;
	}
	if (is_in_scope && walk->enable_callers)
		callers_add(&location);
	if (walk->is_found && !walk->enable_callers && !walk->is_in_spin_helper)
		return 1;
	return unwind(&walk->frame, &location) ? 0 : 1;
}

/* The user's registers as the kernel saved them on entry: the same layout. */
static __always_inline void frames_walk_user(struct task_struct *task, struct frame_walk *walk)
{
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(task);

	bpf_probe_read_kernel(&walk->frame.ip, 8, &PT_REGS_IP(user));
	bpf_probe_read_kernel(&walk->frame.sp, 8, &PT_REGS_SP(user));
	bpf_probe_read_kernel(&walk->frame.bp, 8, &PT_REGS_FP(user));
	bpf_loop(SAMPLE_FRAMES_MOST, frame_visit, walk, 0);
}

static __always_inline void frames_walk(struct bpf_perf_event_data *context,
					struct task_struct *task, struct frame_walk *walk)
{
	if (PT_REGS_IP(&context->regs) >> 63) {
		frames_walk_user(task, walk);
		return;
	}
	walk->frame.ip = PT_REGS_IP(&context->regs);
	walk->frame.sp = PT_REGS_SP(&context->regs);
	walk->frame.bp = PT_REGS_FP(&context->regs);
	bpf_loop(SAMPLE_FRAMES_MOST, frame_visit, walk, 0);
}

static __always_inline void callers_emit(void)
{
	u32 zero = 0;
	struct sample_scratch *scratch = bpf_map_lookup_elem(&sample_scratches, &zero);
	if (!scratch)
		return;
	scratch->callers.kind = KERNEL_EVENT_CALLERS;
	bpf_ringbuf_output(&events, &scratch->callers, sizeof(scratch->callers), BPF_RB_NO_WAKEUP);
	scratch->callers.count = 0;
}
