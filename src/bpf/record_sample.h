/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* record_sample - a sample of `lever record`: its head, the kernel's chain and the user's chain. */
#pragma once

#include "bpf/descriptor.h"
#include "bpf/mappings.h"
#include "bpf/python.h"
#include "bpf/record.h"
#include "bpf/system_calls.h"
#include "bpf/told_locks.h"
#include "bpf/unwind.h"

/* By MAPPING_CACHE_*: a tick may interrupt the sampling of a switch. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MAPPING_CACHES);
	__type(key, u32);
	__type(value, struct record_sample);
} record_scratches SEC(".maps");

/* Everything but the frames and the weights. */
static __always_inline void sample_begin(struct record_sample *sample, struct task_struct *task,
					 u64 now)
{
	sample->kind = RECORD_EVENT_SAMPLE;
	sample->tgid = tgid_of(task);
	sample->tid = tid_of(task);
	sample->time_ns = now;
	sample->inverse_chance = 1;
	sample->kernel_count = 0;
	sample->user_count = 0;
	sample->system_call = -1;
	sample->argument = 0;
	sample->lock_name = 0;
	sample->file.inode = 0;
	sample->waiter_tgid = 0;
	bpf_probe_read_kernel(sample->command, sizeof(sample->command), task->comm);
	if (task->flags & PF_KTHREAD)
		return;
	struct pt_regs___kernel *saved = (void *)bpf_task_pt_regs(task);
	sample->system_call = system_call_in(saved);
	sample->argument = CALL_FIRST(saved);
}

/* The file for which a task may wait: its call's first argument, if that is a descriptor. */
static __always_inline void sample_file(struct record_sample *sample, struct task_struct *task)
{
	if (sample->system_call < 0 || task->flags & PF_KTHREAD)
		return;
	struct file___open *file = descriptor_file(task, sample->argument);
	struct inode *inode = file ? BPF_CORE_READ(file, f_inode) : NULL;
	if (!inode)
		return;
	sample->file.inode = BPF_CORE_READ(inode, i_ino);
	sample->file.device = BPF_CORE_READ(inode, i_sb, s_dev);
}

/* The lock for which the current task waits, by what it tells. For the verifier no pointer. */
__noinline u64 lock_told_in_points(void)
{
	const u64 pages[] = {POINTS_ADDRESS, POINTS_ADDRESS_OTHER};
	struct task_struct *task = bpf_get_current_task_btf();
	u64 word = 0;
	u32 magic = 0;

	for (u32 i = 0; i < 2; i++)
		if (!bpf_probe_read_user(&magic, sizeof(magic), (void *)pages[i]) &&
		    magic == POINTS_MAGIC)
			return told_lock_name(task, pages[i], &word);
	return 0;
}

static __always_inline void sample_lock(struct record_sample *sample, struct task_struct *task)
{
	if (sample->system_call == __NR_futex &&
	    wait_futex_is_condition(CALL_SECOND((struct pt_regs___kernel *)bpf_task_pt_regs(task))))
		sample->lock_name = lock_told_in_points();
}

static __always_inline void user_frame_of(struct task_struct *task, struct frame *frame)
{
	if (task->flags & PF_KTHREAD)
		return;
	frame_read(frame, task);
}

static __always_inline void kernel_frames_take(void *context, struct record_sample *sample)
{
	long bytes = bpf_get_stack(context, sample->kernel, sizeof(sample->kernel), 0);
	sample->kernel_count = bytes > 0 ? (u32)bytes / 8 : 0;
}

/* Small: Linux 6.1 allows 512 bytes of stack for record_blocked and all that it calls. */
struct user_walk {
	struct frame frame;
	u64 now;
	struct task_struct *other; /* NULL: the current task */
	u32 space;
	u16 which;
	u16 is_caller; /* of the frame before: ip is a return address */
};

/* Adds a frame to the scratch sample. False: the walk ends here. */
static __always_inline bool user_frame_put(struct user_walk *walk, const struct location *location,
					   u64 address)
{
	u32 which = walk->which;
	struct record_sample *sample = bpf_map_lookup_elem(&record_scratches, &which);
	if (!sample)
		return false;
	u32 index = sample->user_count;
	struct record_frame *frame = &sample->user[index & (RECORD_USER_FRAMES_MOST - 1)];
	frame->object = location->object;
	frame->pad = 0;
	frame->offset = location->object == WIRE_OBJECT_UNKNOWN ? address : location->offset;
	sample->user_count = index + 1;
	if (settings.unwinding == RECORD_UNWIND_NONE)
		walk->frame.ip = 0; /* one frame was asked for */
	return walk->frame.ip;
}

/* Adds what a native frame stands for. Returns whether to move to its caller now. */
static __always_inline bool user_frame_visit_as(struct user_walk *walk, int kind,
						const struct location *native,
						const struct location *script, u64 address,
						bool *ends)
{
	const struct location *shown = kind == PYTHON_NATIVE ? native : script;

	if (kind != PYTHON_NONE && !user_frame_put(walk, shown, address))
		*ends = true;
	return kind != PYTHON_FRAME;
}

static long user_frame_visit(u32 index, void *context)
{
	struct user_walk *walk = context;
	struct location location = {}, script = {};
	/* A return address may belong to the next line; the byte before is in the call. */
	u64 address = walk->frame.ip - (walk->is_caller ? 1 : 0);
	bool ends = false;

	if (!mapping_locate(walk->space, walk->which, address, walk->now, &location))
		return 1;
	int kind = python_frame(walk->which, address, &location, &script);
	if (!user_frame_visit_as(walk, kind, &location, &script, address, &ends) || ends)
		return ends;
	walk->is_caller = 1;
	if (settings.unwinding == RECORD_UNWIND_POINTERS)
		return unwind_by_frame_pointer(NULL, &walk->frame) ? 0 : 1;
	return unwind(&walk->frame, &location) ? 0 : 1;
}

static __noinline int other_python_frame(struct task_struct *other, u32 which, u64 address,
					 const struct location *native, struct location *script)
{
	/* So that the functions for the current task are not called: their stack would add up. */
	if (!other)
		return PYTHON_NATIVE;
	return python_frame_in(other, which, address, native, script);
}

/* The same in another task's memory; reads may sleep. */
static long other_frame_visit(u32 index, void *context)
{
	struct user_walk *walk = context;
	struct task_struct *other = walk->other;
	struct location location = {}, script = {};
	u64 address = walk->frame.ip - (walk->is_caller ? 1 : 0);
	bool ends = false;

	if (!mapping_locate_in(other, walk->space, walk->which, address, walk->now, &location))
		return 1;
	int kind = other_python_frame(other, walk->which, address, &location, &script);
	if (!user_frame_visit_as(walk, kind, &location, &script, address, &ends) || ends)
		return ends;
	walk->is_caller = 1;
	if (settings.unwinding == RECORD_UNWIND_POINTERS)
		return unwind_by_frame_pointer(other, &walk->frame) ? 0 : 1;
	return unwind_in(other, &walk->frame, &location) ? 0 : 1;
}

static __always_inline void user_frames_finish(struct record_sample *sample,
					       const struct user_walk *walk)
{
	if (walk->frame.ip)
		sample->flags |= RECORD_TRUNCATED;
}

/* The current task's user chain from `frame` on, into scratch sample `which`. */
static __always_inline void user_frames_take(struct record_sample *sample, struct task_struct *task,
					     const struct frame *frame, u32 which)
{
	struct address_space *space = frame->ip ? address_space_of(task) : NULL;
	if (!space)
		return;
	struct user_walk walk = {.frame = *frame,
				 .now = sample->time_ns,
				 .space = space->id,
				 .which = which};
	python_begin(which, space->id);
	bpf_loop(RECORD_USER_FRAMES_MOST, user_frame_visit, &walk, 0);
	user_frames_finish(sample, &walk);
}

static __always_inline void sample_send(struct record_sample *sample, struct record_cpu *cpu)
{
	u32 count = sample->user_count;
	if (count > RECORD_USER_FRAMES_MOST)
		return;
	u64 bytes = __builtin_offsetof(struct record_sample, user) +
		    count * sizeof(struct record_frame);
	if (sample->flags & RECORD_TRUNCATED)
		cpu->truncated++;
	if (bpf_ringbuf_output(&events, sample, bytes, BPF_RB_NO_WAKEUP))
		cpu->lost++;
}
