/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * record - the parts of record.bpf.c: who is recorded, what a look weighs, and its stacks.
 */
#pragma once

#include "bpf/address_space.h"
#include "bpf/unwind.h"
#include "wire/record.h"

struct record_settings settings __attribute__((aligned(256)));
struct record_cpu record_cpus[KERNEL_CPUS_MOST];
__u64 members[RECORD_PROCESSES_MOST / 64];
struct record_slot slots[RECORD_SLOTS];
__u64 still_blocked; /* looks by record_blocked; written there */

/*
 * Older kernels have no sched_exit_tp, and a task's user stack can only be read when it leaves its
 * core, before it is known whether the wait will be sampled. So only some waits have their look taken
 * then: all where a task's waits usually last a tenth of the period or longer, down to one in
 * RECORD_INVERSE_CHANCE_MOST where they are shorter; the weights make up for it.
 */
const volatile bool has_exit = true;
#define RECORD_INVERSE_CHANCE_MOST 16
#define RECORD_HELD_MOST 2048

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries,
	       RECORD_HELD_MOST); /* the engine makes it small where it is not needed */
	__type(key, u32);
	__type(value, struct record_sample);
} held SEC(".maps");

/* By SPACE_CACHE_*: a tick may come while the look at a switch is being made. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 3);
	__type(key, u32);
	__type(value, struct record_sample);
} record_scratches SEC(".maps");

static __always_inline struct record_cpu *record_this_cpu(void)
{
	return &record_cpus[bpf_get_smp_processor_id() & (KERNEL_CPUS_MOST - 1)];
}

static __always_inline bool record_is_member(u32 tgid)
{
	u64 word = members[(tgid & (RECORD_PROCESSES_MOST - 1)) / 64];
	return word >> (tgid & 63) & 1 || settings.is_system_wide;
}

static __always_inline void member_set(u32 tgid, bool is_member)
{
	u64 *word = &members[(tgid & (RECORD_PROCESSES_MOST - 1)) / 64];
	if (is_member)
		__sync_fetch_and_or(word, 1ull << (tgid & 63));
	else
		__sync_fetch_and_and(word, ~(1ull << (tgid & 63)));
}

static __always_inline struct record_slot *slot_of(u32 tid)
{
	return &slots[tid & (RECORD_SLOTS - 1)];
}

/* Uniform in 0 ... bound - 1, from a seed that never comes twice. A helper call would cost more. */
static __always_inline u64 uniform_below(u64 bound, u64 seed)
{
	u64 mixed = seed * 0x9e3779b97f4a7c15ull;
	mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9ull;
	return ((mixed >> 32) * bound) >> 32;
}

/*
 * Ticks come on a grid of the period, which the kernel keeps: one that is late (the hypervisor had
 * the core, or interrupts were off) stands for all points of the grid since the last one, as far as
 * its task was there at the time, and the next one still comes at its own point. `due_ns` begins at
 * the first tick, which may itself be late; one that is early to it sets the grid right.
 */
static __always_inline u64 tick_stands_for(struct record_cpu *cpu, u64 now)
{
	u64 period = cpu->period_ns, due = cpu->due_ns;

	if (!due || now <= due || !period) {
		cpu->due_ns = now + period;
		return period;
	}
	u64 points = (now - due) / period + 1;
	cpu->due_ns = due + points * period;
	u64 last = cpu->due_ns - period;
	if (cpu->entered_ns <= due)
		return points * period;
	return last > cpu->entered_ns ? ((last - cpu->entered_ns) / period + 1) * period : period;
}

/* How many sampling points fell into the block, and into its end, where the task was runnable. */
static __always_inline void off_weigh(struct record_sample *sample, u64 off, u64 offset,
				      u64 runnable)
{
	u64 period = settings.period_ns;
	if (!period)
		return;
	if (runnable > off)
		runnable = off;
	u64 all = (off + offset) / period, blocked = (off - runnable + offset) / period;
	sample->weight_ns = blocked * period;
	sample->waiting_ns = (all - blocked) * period;
}

/* All that is the same for every look; the frames are still to come. */
static __always_inline void sample_begin(struct record_sample *sample, struct task_struct *task,
					 u64 now)
{
	sample->kind = RECORD_EVENT_SAMPLE;
	sample->tgid = task->tgid;
	sample->tid = task->pid;
	sample->time_ns = now;
	sample->inverse_chance = 1;
	sample->kernel_count = 0;
	sample->user_count = 0;
	sample->system_call = -1;
	sample->argument = 0;
	bpf_probe_read_kernel(sample->command, sizeof(sample->command), task->comm);
	if (task->flags & PF_KTHREAD)
		return;
#ifdef __TARGET_ARCH_x86
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(task);
	u64 call = 0;
	bpf_probe_read_kernel(&call, sizeof(call), &user->orig_rax);
	bpf_probe_read_kernel(&sample->argument, sizeof(sample->argument), &user->rdi);
	sample->system_call = call < 4096 ? (int)call : -1;
#endif
}

static __always_inline void user_frame_of(struct task_struct *task, struct frame *frame)
{
	if (task->flags & PF_KTHREAD)
		return;
	/* As the kernel saved them on entry. */
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(task);
	bpf_probe_read_kernel(&frame->ip, 8, &PT_REGS_IP(user));
	bpf_probe_read_kernel(&frame->sp, 8, &PT_REGS_SP(user));
	bpf_probe_read_kernel(&frame->bp, 8, &PT_REGS_FP(user));
}

static __always_inline void kernel_frames_take(void *context, struct record_sample *sample)
{
	long bytes = bpf_get_stack(context, sample->kernel, sizeof(sample->kernel), 0);
	sample->kernel_count = bytes > 0 ? (u32)bytes / 8 : 0;
}

struct user_walk {
	struct frame frame;
	u64 now;
	struct task_struct *other; /* NULL: the current task's */
	u32 space, which;
	u32 count;
	u32 pad;
};

/* Puts a frame into the scratch sample; false if it cannot be located. */
static __always_inline bool user_frame_put(struct user_walk *walk, u32 index,
					   const struct location *location, u64 address)
{
	u32 which = walk->which;
	struct record_sample *sample = bpf_map_lookup_elem(&record_scratches, &which);
	if (!sample)
		return false;
	struct record_frame *frame = &sample->user[index & (RECORD_USER_FRAMES_MOST - 1)];
	frame->object = location->object;
	frame->pad = 0;
	frame->offset = location->object == WIRE_OBJECT_UNKNOWN ? address : location->offset;
	walk->count = index + 1;
	if (settings.unwinding == RECORD_UNWIND_NONE)
		walk->frame.ip = 0; /* as far as was asked for */
	return walk->frame.ip;
}

static long user_frame_visit(u32 index, void *context)
{
	struct user_walk *walk = context;
	struct location location = {};
	/* A return address may already belong to the next line: one back is in the call. */
	u64 address = walk->frame.ip - (index ? 1 : 0);

	if (!address_space_locate(walk->space, walk->which, address, walk->now, &location) ||
	    !user_frame_put(walk, index, &location, address))
		return 1;
	if (settings.unwinding == RECORD_UNWIND_POINTERS)
		return unwind_by_frame_pointer(NULL, &walk->frame) ? 0 : 1;
	return unwind(&walk->frame, &location) ? 0 : 1;
}

/* The same in another task's memory, where reading may sleep. */
static long other_frame_visit(u32 index, void *context)
{
	struct user_walk *walk = context;
	struct task_struct *other = walk->other;
	struct location location = {};
	u64 address = walk->frame.ip - (index ? 1 : 0);

	if (!address_space_locate_in(other, walk->space, walk->which, address, walk->now,
				     &location) ||
	    !user_frame_put(walk, index, &location, address))
		return 1;
	if (settings.unwinding == RECORD_UNWIND_POINTERS)
		return unwind_by_frame_pointer(other, &walk->frame) ? 0 : 1;
	return unwind_in(other, &walk->frame, &location) ? 0 : 1;
}

static __always_inline void user_frames_finish(struct record_sample *sample,
					       const struct user_walk *walk)
{
	sample->user_count = walk->count;
	if (walk->frame.ip)
		sample->flags |= RECORD_TRUNCATED;
}

/* The current task's user chain from `frame` on, into the scratch sample of this number. */
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
	if (bpf_ringbuf_output(&events, sample, bytes, BPF_RB_NO_WAKEUP)) {
		cpu->lost++;
		cpu->lost_ns += sample->weight_ns + sample->waiting_ns;
	}
}

static __always_inline u32 inverse_chance_of(const struct record_slot *slot)
{
	u64 usual = slot->usual_ns[slot->is_preempted & 1] * 10;
	if (usual * RECORD_INVERSE_CHANCE_MOST <= settings.period_ns)
		return RECORD_INVERSE_CHANCE_MOST;
	return usual >= settings.period_ns ? 1 : settings.period_ns / usual;
}

/* Without sched_exit_tp: the look at a task that leaves its core, kept until it comes back. */
static __always_inline void held_sample_take(void *context, struct task_struct *task,
					     struct record_slot *slot, u64 now)
{
	u32 which = MAPPING_CACHE_SWITCH, tid = task->pid, inverse = inverse_chance_of(slot);
	struct record_sample *sample = bpf_map_lookup_elem(&record_scratches, &which);

	if (!sample || uniform_below(inverse, now + tid))
		return;
	sample_begin(sample, task, now);
	sample->inverse_chance = inverse;
	sample->flags = slot->is_preempted ? RECORD_PREEMPTED : 0;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		sample->flags |= RECORD_IO_WAIT;
	kernel_frames_take(context, sample);
	struct frame frame = {};
	user_frame_of(task, &frame);
	user_frames_take(sample, task, &frame, which);
	bpf_map_update_elem(&held, &tid, sample, BPF_ANY);
}

/*
 * It is back. If a sampling point fell into the wait, the look is sent later, when the task leaves
 * again: run_delay is added up after this, and so tells only then what the wait ended with.
 */
static __always_inline void held_sample_end(struct task_struct *task, struct record_slot *slot,
					    u64 off, u64 offset)
{
	u32 tid = task->pid;
	u64 *usual = &slot->usual_ns[slot->is_preempted & 1];

	*usual = *usual ? (*usual * 7 + off) / 8 : off;
	if (off + offset >= settings.period_ns) {
		slot->ended_ns = off;
		slot->ended_offset_ns = offset;
	} else {
		bpf_map_delete_elem(&held, &tid);
	}
}

static __always_inline void held_sample_send(struct task_struct *task, struct record_slot *slot)
{
	u32 tid = task->pid;
	u64 off = slot->ended_ns;
	struct record_cpu *cpu = record_this_cpu();

	if (!off || slot->tid != tid)
		return;
	slot->ended_ns = 0;
	struct record_sample *sample = bpf_map_lookup_elem(&held, &tid);
	if (!sample)
		return;
	off_weigh(sample, off, slot->ended_offset_ns,
		  sample->flags & RECORD_PREEMPTED ?
			  off :
			  task->sched_info.run_delay - slot->run_delay_ns);
	sample->weight_ns *= sample->inverse_chance;
	sample->waiting_ns *= sample->inverse_chance;
	cpu->looks++;
	sample_send(sample, cpu);
	bpf_map_delete_elem(&held, &tid);
}
