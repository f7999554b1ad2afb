/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * held_samples - blocked samples on kernels without sched_exit_tp.
 *
 * There a task's user stack can be read only when it leaves its core, before it is known whether
 * the wait will be sampled. So a part of the waits is sampled in advance, and held until the wait
 * ends: all where the task's waits usually last a tenth of the period or longer, down to one in
 * RECORD_INVERSE_CHANCE_MOST where they are shorter. The weights are multiplied accordingly.
 */
#pragma once

#include "bpf/record_sample.h"

const volatile bool has_exit = true;
#define RECORD_INVERSE_CHANCE_MOST 16

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries,
	       RECORD_HELD_MOST); /* the engine makes it small where it is not needed */
	__type(key, u32);
	__type(value, struct record_sample);
} held SEC(".maps");

static __always_inline u32 inverse_chance_of(const struct record_slot *slot)
{
	u64 usual = slot->usual_ns[slot->is_preempted & 1] * 10;
	if (usual * RECORD_INVERSE_CHANCE_MOST <= settings.period_ns)
		return RECORD_INVERSE_CHANCE_MOST;
	return usual >= settings.period_ns ? 1 : settings.period_ns / usual;
}

/* The task leaves its core: samples it with the probability 1 / inverse_chance. */
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
	sample_file(sample, task);
	kernel_frames_take(context, sample);
	struct frame frame = {};
	user_frame_of(task, &frame);
	user_frames_take(sample, task, &frame, which);
	if (bpf_map_update_elem(&held, &tid, sample, BPF_ANY))
		record_this_cpu()->not_held++;
}

/*
 * The wait has ended. If a sampling point fell into it, the sample is sent when the task leaves its
 * core again: the kernel adds the wait for a core to run_delay after this tracepoint.
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
	sample_send(sample, cpu);
	bpf_map_delete_elem(&held, &tid);
}
