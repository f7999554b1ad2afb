/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * user_frames - walks the user's frames to the innermost one in scope, and collects callers in
 * scope.
 */
#pragma once

#include "bpf/mappings.h"
#include "bpf/python.h"
#include "bpf/ranges.h"
#include "bpf/unwind.h"

#define SAMPLE_FRAMES_MOST 48

struct frame_walk {
	struct frame frame;
	u64 now;
	struct location leaf, found;
	u32 space;
	u32 span;        /* WIRE_SPAN_NONE */
	s16 system_call; /* -1: none, or not asked for */
	u8 depth;
	u8 levels; /* at which it is the target, a bit each */
	bool is_found : 1, is_complete : 1, enable_callers : 1;
	bool is_spinning : 1, is_in_spin_helper : 1;
	bool is_caller : 1; /* of the frame before: ip is a return address */
};

/* In a map: the stacks of the programs that walk are full on Linux 6.1. */
struct sample_scratch {
	struct frame_walk walk;
	struct kernel_callers callers;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct sample_scratch);
} sample_scratches SEC(".maps");

/* NULL: never. Ticks and switches of a core do not interrupt each other. */
static __always_inline struct frame_walk *frame_walk_begin(u64 now)
{
	u32 zero = 0;
	struct sample_scratch *scratch = bpf_map_lookup_elem(&sample_scratches, &zero);

	if (!scratch)
		return NULL;
	__builtin_memset(&scratch->walk, 0, sizeof(scratch->walk));
	scratch->walk.now = now;
	scratch->walk.system_call = -1;
	scratch->walk.span = WIRE_SPAN_NONE;
	return &scratch->walk;
}

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

/* What a frame's location is. */
#define FRAME_IN_SCOPE 0x100u /* beside WIRE_TARGET_* */
#define FRAME_SPIN_SHIFT 9    /* WIRE_SPIN_LOOP or _HELPER */

/* Is the frame in a spin loop, or in code that one calls? */
static __always_inline void spin_visit(struct frame_walk *walk, u32 index, u32 spin)
{
	walk->is_in_spin_helper = false;
	if (index >= WIRE_SPIN_FRAMES || walk->is_spinning)
		return;
	walk->is_spinning = spin == WIRE_SPIN_LOOP;
	walk->is_in_spin_helper = spin == WIRE_SPIN_HELPER;
}

/*
 * Takes the frame in scope, and the target, which counts also outside of the scope. Returns whether
 * nothing more is to be found in the callers. A function of its own, which calls none: for the
 * verifier of Linux 6.1.
 */
__noinline int frame_match(struct frame_walk *walk, const struct location *location, u32 index,
			   u32 kind)
{
	if (!walk || !location)
		return 1;
	u32 own = WIRE_TARGET_OWN_LEVELS(kind);
	bool is_in_scope = own || kind & FRAME_IN_SCOPE;

	if (!index)
		walk->leaf = *location;
	walk->depth = index + 1;
	spin_visit(walk, index, kind >> FRAME_SPIN_SHIFT);
	if (is_in_scope && !walk->is_found) {
		walk->found = *location;
		walk->is_found = true;
		walk->levels |= own;
	}
	walk->levels |= WIRE_TARGET_INCLUSIVE_LEVELS(kind);
	if (walk->enable_callers)
		callers_add(location);
	return walk->is_found && !walk->enable_callers && !walk->is_in_spin_helper &&
	       !(settings.inclusive_levels & ~walk->levels);
}

/* What the location is. `depth`: of its native frame; spin loops are looked for in the first. */
static __always_inline u32 frame_kind(const struct location *location, u32 depth)
{
	u32 kind = location_target(location);
	if (location_is_in_scope(location))
		kind |= FRAME_IN_SCOPE;
	if (depth < WIRE_SPIN_FRAMES)
		kind |= (u32)location_spin(location) << FRAME_SPIN_SHIFT;
	return kind;
}

/* Visits one frame; ends the walk at the innermost one in scope, or in an inclusive target. */
static long frame_visit(u32 index, void *context)
{
	u32 zero = 0;
	struct sample_scratch *scratch = bpf_map_lookup_elem(&sample_scratches, &zero);
	if (!scratch)
		return 1;
	struct frame_walk *walk = &scratch->walk;
	struct location location = {}, script = {};

	/* A return address may belong to the next line: the byte before it is in the call. */
	u64 address = walk->frame.ip - (walk->is_caller ? 1 : 0);
	if (!mapping_locate(walk->space, MAPPING_CACHE_TICK, address, walk->now, &location))
		return 1;
	int shown = python_frame(MAPPING_CACHE_TICK, address, &location, &script);
	if (shown == PYTHON_NATIVE) {
		if (frame_match(walk, &location, walk->depth, frame_kind(&location, walk->depth)))
			return 1;
	} else if (shown != PYTHON_NONE) {
		if (frame_match(walk, &script, walk->depth, frame_kind(&script, ~0u)))
			return 1;
	}
	if (shown == PYTHON_FRAME)
		return 0;
	walk->is_caller = true;
	return unwind(&walk->frame, &location) ? 0 : 1;
}

/* The user's registers as the kernel saved them on entry: the same layout. */
static __always_inline void frames_walk_user(struct task_struct *task, struct frame_walk *walk)
{
	python_begin(MAPPING_CACHE_TICK, walk->space);
	frame_read(&walk->frame, task);
	bpf_loop(SAMPLE_FRAMES_MOST, frame_visit, NULL, 0);
}

static __always_inline void frames_walk(struct bpf_perf_event_data *context,
					struct task_struct *task, struct frame_walk *walk)
{
	if (PT_REGS_IP(&context->regs) >> 63) {
		frames_walk_user(task, walk);
		return;
	}
	python_begin(MAPPING_CACHE_TICK, walk->space);
	frame_take(&walk->frame, context);
	bpf_loop(SAMPLE_FRAMES_MOST, frame_visit, NULL, 0);
}

/* Of the current task. Returns whether they were sent. */
__noinline int callers_emit(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 zero = 0;
	struct sample_scratch *scratch = bpf_map_lookup_elem(&sample_scratches, &zero);
	if (!scratch || !scratch->callers.count)
		return 0;
	u64 size = 16 + 16 * (scratch->callers.count & 31);
	scratch->callers.kind = KERNEL_EVENT_CALLERS;
	scratch->callers.tid = tid_of(task);
	scratch->callers.tgid = tgid_of(task);
	if (size > sizeof(scratch->callers))
		size = sizeof(scratch->callers);
	long failed = bpf_ringbuf_output(&events, &scratch->callers, size, BPF_RB_NO_WAKEUP);
	scratch->callers.count = 0;
	return !failed;
}

static __always_inline bool callers_are_due(void)
{
	u32 one_of = settings.enable_callers;
	return one_of && (one_of == 1 || bpf_get_prandom_u32() % one_of == 0);
}
