// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * record - the kernel side of `lever record`: samples on CPU by a clock, and blocked samples.
 *
 * Time off CPU is sampled with the same period as time on CPU, at the end of each wait: into a wait
 * of length `off`, with a fresh uniform offset u in [0, period), floor((off + u) / period) sampling
 * points fall. Most waits are short and get none; these cost two accesses to a slot and no stack.
 * The sample is taken at sched_exit, where the woken task is current and its stacks can be read
 * (blocked samples: bperf, OSDI 2024).
 */
#include "bpf/held_samples.h"
#include "bpf/wakeup.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* ---- on CPU ---- */

SEC("perf_event")
int record_tick(struct bpf_perf_event_data *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct record_cpu *cpu = record_this_cpu();
	u64 now = bpf_ktime_get_ns();
	u64 weight = tick_stands_for(cpu, context->sample_period, now);

	if (!task->pid || !record_is_member(tgid_of(task)) || !settings.is_on)
		return 0;
	u32 which = MAPPING_CACHE_TICK;
	struct record_sample *sample = bpf_map_lookup_elem(&record_scratches, &which);
	if (!sample)
		return 0;
	u64 ip = PT_REGS_IP(&context->regs);
	sample_begin(sample, task, now);
	sample->flags = RECORD_ON_CPU;
	sample->weight_ns = weight;
	sample->waiting_ns = 0;
	struct frame frame = {};
	if (ip >> 63) {
		kernel_frames_take(context, sample);
		user_frame_of(task, &frame);
	} else {
		sample->system_call = -1;
		frame_take(&frame, context);
	}
	user_frames_take(sample, task, &frame, which);
	cpu->samples++;
	sample_send(sample, cpu);
	return 0;
}

/* ---- off CPU ---- */

static __always_inline void task_leaves(void *context, struct task_struct *task, u64 now,
					bool is_preempted)
{
	struct record_slot *slot = slot_of(task->pid);

	if (slot->left_ns && slot->tid != (u32)task->pid)
		record_this_cpu()->overwritten++;
	if (!has_exit)
		held_sample_send(task, slot);
	slot->left_ns = now;
	slot->tid = task->pid;
	slot->run_delay_ns = task->sched_info.run_delay;
	slot->is_preempted = is_preempted;
	if (!has_exit && settings.is_on)
		held_sample_take(context, task, slot, now);
}

static __always_inline void task_enters(struct record_cpu *cpu, struct task_struct *task, u64 now)
{
	struct record_slot *slot = slot_of(task->pid);
	u64 left = slot->left_ns, period = settings.period_ns;

	cpu->entered_ns = now;
	cpu->tid = 0;
	if (slot->tid != (u32)task->pid || !left || !settings.is_on)
		return;
	slot->left_ns = 0;
	u64 off = now > left ? now - left : 0;
	u64 offset = grid_offset(task, left);
	if (!has_exit) {
		held_sample_end(task, slot, off, offset);
		return;
	}
	if (off + offset < period)
		return;
	cpu->off_ns = off;
	cpu->offset_ns = offset;
	cpu->run_delay_ns = slot->run_delay_ns;
	cpu->is_preempted = slot->is_preempted;
	cpu->tid = task->pid;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(record_switch, bool preempt, struct task_struct *previous, struct task_struct *next,
	     unsigned int previous_state)
{
	bool leaves = previous->pid && record_is_member(tgid_of(previous));
	bool enters = next->pid && record_is_member(tgid_of(next));

	if (!leaves && !enters)
		return 0;
	u64 now = bpf_ktime_get_ns();
	if (leaves)
		task_leaves(ctx, previous, now, preempt || !previous_state);
	if (enters)
		task_enters(record_this_cpu(), next, now);
	return 0;
}

SEC("tp_btf/sched_exit_tp")
int BPF_PROG(record_exit)
{
	struct record_cpu *cpu = record_this_cpu();
	if (!cpu->tid)
		return 0;
	struct task_struct *task = bpf_get_current_task_btf();
	bool is_ours = cpu->tid == (u32)task->pid;
	cpu->tid = 0;
	u32 which = MAPPING_CACHE_SWITCH;
	struct record_sample *sample = bpf_map_lookup_elem(&record_scratches, &which);
	if (!is_ours || !sample)
		return 0;
	sample_begin(sample, task, bpf_ktime_get_ns());
	sample->flags = cpu->is_preempted ? RECORD_PREEMPTED : 0;
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		sample->flags |= RECORD_IO_WAIT;
	sample_file(sample, task);
	sample_lock(sample, task);
	off_weigh(sample, cpu->off_ns, cpu->offset_ns,
		  cpu->is_preempted ? cpu->off_ns : task->sched_info.run_delay - cpu->run_delay_ns);
	kernel_frames_take(ctx, sample);
	struct frame frame = {};
	user_frame_of(task, &frame);
	user_frames_take(sample, task, &frame, which);
	sample_send(sample, cpu);
	return 0;
}

/*
 * The task is woken: the waker's stack is taken for waits of a futex that will be sampled. Waits of
 * a lock end in the code that releases it.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(record_waking, struct task_struct *task)
{
	if (!task->pid || !record_is_member(tgid_of(task)) || !settings.is_on)
		return 0;
	struct record_slot *slot = slot_of(task->pid);
	u64 left = slot->left_ns, period = settings.period_ns;
	if (!left || slot->tid != (u32)task->pid || slot->is_preempted || !period)
		return 0;
	u64 now = bpf_ktime_get_ns(), points = now - left + grid_offset(task, left);
	if (now > left && points >= period)
		wakeup_take(task, points - points % period, now);
	return 0;
}

/* ---- still off CPU: sampled when the engine reads the iterator over tasks ---- */

SEC("iter.s/task")
int record_blocked(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	u32 which = MAPPING_CACHE_OTHER;
	struct record_sample *sample = bpf_map_lookup_elem(&record_scratches, &which);

	if (!task || !sample || !record_is_member(tgid_of(task)))
		return 0;
	struct record_slot *slot = slot_of(task->pid);
	u64 now = bpf_ktime_get_ns(), left = slot->left_ns;
	if (!has_exit)
		held_sample_send(task, slot);
	if (!left || slot->tid != (u32)task->pid || now <= left)
		return 0;
	sample_begin(sample, task, now);
	sample->flags = RECORD_STILL_BLOCKED | (slot->is_preempted ? RECORD_PREEMPTED : 0);
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		sample->flags |= RECORD_IO_WAIT;
	sample_file(sample, task);
	off_weigh(sample, now - left, uniform_below(settings.period_ns, now ^ left << 7),
		  slot->is_preempted ? now - left : 0);
	/* The rest of the wait begins now. If it has just ended, the next wait overwrites this. */
	slot->left_ns = now;
	if (!sample->weight_ns && !sample->waiting_ns)
		return 0;
	long bytes = bpf_get_task_stack(task, sample->kernel, sizeof(sample->kernel), 0);
	sample->kernel_count = bytes > 0 ? (u32)bytes / 8 : 0;
	struct user_walk walk = {.now = now, .which = which, .other = task};
	user_frame_of(task, &walk.frame);
	struct address_space *space = walk.frame.ip ? address_space_of(task) : NULL;
	if (space) {
		walk.space = space->id;
		python_begin(which, space->id);
		bpf_loop(RECORD_USER_FRAMES_MOST, other_frame_visit, &walk, 0);
		user_frames_finish(sample, &walk);
	}
	struct record_cpu *cpu = record_this_cpu();
	sample_send(sample, cpu);
	return 0;
}

/* ---- processes ---- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(record_fork, struct task_struct *parent, struct task_struct *child)
{
	struct record_slot *slot = slot_of(child->pid);

	if (slot->tid == (u32)child->pid)
		slot->left_ns = slot->ended_ns = 0; /* of an earlier task with this id */
	if (!record_is_member(tgid_of(parent)))
		return 0;
	if (address_space_key(child) != address_space_key(parent))
		address_space_fork(parent, child);
	if (child->tgid != parent->tgid) {
		member_set(tgid_of(child), true);
		process_event(KERNEL_EVENT_FORK, tgid_of(child), tgid_of(parent), NULL);
	}
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(record_exec, struct task_struct *task, int old_pid, struct linux_binprm *binary)
{
	if (!record_is_member(tgid_of(task)))
		return 0;
	address_space_exec(task);
	process_event(KERNEL_EVENT_EXEC, tgid_of(task), 0, binary->filename);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(record_exit_process, struct task_struct *task)
{
	if (!record_is_member(tgid_of(task)))
		return 0;
	if (!has_exit)
		held_sample_send(task, slot_of(task->pid));
	if (BPF_CORE_READ(task, signal, live.counter) > 0)
		return 0;
	member_set(tgid_of(task), false);
	process_event(KERNEL_EVENT_EXIT, tgid_of(task), 0, NULL);
	return 0;
}
