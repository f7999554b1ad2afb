// SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only)
/*
 * trace - the kernel side of `lever trace`: a log of switches, wake-ups, threads and, on demand,
 * interrupts; and annotations that go through the kernel. No stacks, no pauses.
 */
#include "bpf/annotations.h"
#include "bpf/trace_messages.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tp_btf/sched_switch")
int BPF_PROG(trace_switch, bool preempt, struct task_struct *previous, struct task_struct *next,
	     unsigned int previous_state)
{
	bool leaves = is_ours(previous), enters = is_ours(next);

	if ((!leaves && !enters) || !settings.is_on)
		return 0;
	struct scheduler_event event = {
		.time_ns = bpf_ktime_get_ns(),
		.tid = tid_of(previous),
		.other = tid_of(next),
		.cpu = bpf_get_smp_processor_id(),
		.system_call = SCHEDULER_NO_CALL,
		.kind = SCHEDULER_SWITCH,
		.flags = (leaves ? SCHEDULER_TID_OURS : 0) | (enters ? SCHEDULER_OTHER_OURS : 0),
	};
	if (leaves) {
		event.system_call = call_of(previous);
		event.state = preempt ? 0 : (u8)previous_state;
		if (preempt || !previous_state)
			event.flags |= SCHEDULER_PREEMPTED;
		else if (BPF_CORE_READ_BITFIELD(previous, in_iowait))
			event.flags |= SCHEDULER_IO_WAIT;
	}
	ring_put(&event);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(trace_waking, struct task_struct *task)
{
	struct task_struct *waker = bpf_get_current_task_btf();

	/* A task that wakes itself does not wait yet; interrupts may be on there (ring_put). */
	if (!is_ours(task) || !settings.is_on || task == waker)
		return 0;
	struct scheduler_event event = {
		.time_ns = bpf_ktime_get_ns(),
		.tid = tid_of(task),
		.other = tid_of(waker),
		.cpu = bpf_get_smp_processor_id(),
		.system_call = call_of(waker),
		.kind = SCHEDULER_WAKE,
		.flags = SCHEDULER_TID_OURS | (is_ours(waker) ? SCHEDULER_OTHER_OURS : 0),
	};
	if (waker->flags & PF_KTHREAD && waker->pid)
		event.flags |= SCHEDULER_OTHER_KERNEL;
	else if (event.system_call == SCHEDULER_NO_CALL)
		event.flags |= SCHEDULER_INTERRUPT;
	ring_put(&event);
	return 0;
}

/* ---- tasks ---- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(trace_fork, struct task_struct *parent, struct task_struct *child)
{
	if (!is_ours(parent))
		return 0;
	if (child->tgid != parent->tgid)
		member_set(tgid_of(child), true);
	task_send(SCHEDULER_EVENT_FORK, child, tid_of(parent), child->comm);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(trace_exec, struct task_struct *task, int old_pid, struct linux_binprm *binary)
{
	if (is_ours(task))
		task_send(SCHEDULER_EVENT_EXEC, task, old_pid, task->comm);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(trace_rename, struct task_struct *task, const char *name)
{
	if (is_ours(task))
		task_send(SCHEDULER_EVENT_NAME, task, 0, name);
	return 0;
}

/* The process stays a member: a last switch follows, and other threads may run. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(trace_exit, struct task_struct *task)
{
	if (is_ours(task))
		task_send(SCHEDULER_EVENT_EXIT, task, 0, task->comm);
	return 0;
}

/* The id may be reused from now on. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(trace_free, struct task_struct *task)
{
	if (task->pid == task->tgid)
		member_set(tgid_of(task), false);
	return 0;
}

/* ---- interrupts, attached on demand ---- */

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(trace_interrupt_entry, int number)
{
	interrupt_send(SCHEDULER_EVENT_INTERRUPT_ENTRY, number);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(trace_interrupt_exit, int number)
{
	interrupt_send(SCHEDULER_EVENT_INTERRUPT_EXIT, number);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(trace_soft_entry, unsigned int vector)
{
	interrupt_send(SCHEDULER_EVENT_INTERRUPT_ENTRY, SCHEDULER_SOFT_INTERRUPT | vector);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(trace_soft_exit, unsigned int vector)
{
	interrupt_send(SCHEDULER_EVENT_INTERRUPT_EXIT, SCHEDULER_SOFT_INTERRUPT | vector);
	return 0;
}

/* Loaded where the kernel has the tracepoint of this name. */
#define VECTOR(name, number)                                         \
	SEC("tp_btf/" #name "_entry")                                \
	int BPF_PROG(vector_##name##_entry)                          \
	{                                                            \
		interrupt_send(SCHEDULER_EVENT_INTERRUPT_ENTRY,      \
			       SCHEDULER_VECTOR_INTERRUPT | number); \
		return 0;                                            \
	}                                                            \
	SEC("tp_btf/" #name "_exit")                                 \
	int BPF_PROG(vector_##name##_exit)                           \
	{                                                            \
		interrupt_send(SCHEDULER_EVENT_INTERRUPT_EXIT,       \
			       SCHEDULER_VECTOR_INTERRUPT | number); \
		return 0;                                            \
	}

VECTOR(local_timer, SCHEDULER_VECTOR_TIMER)
VECTOR(reschedule, SCHEDULER_VECTOR_RESCHEDULE)
VECTOR(call_function, SCHEDULER_VECTOR_CALL)
VECTOR(call_function_single, SCHEDULER_VECTOR_CALL_SINGLE)
VECTOR(irq_work, SCHEDULER_VECTOR_WORK)

/* ---- annotations other than lever.h, attached on demand ---- */

SEC("tp_btf/sys_enter")
int BPF_PROG(trace_write, struct pt_regs *registers, long call)
{
	if (call != __NR_write || !settings.is_on)
		return 0;
	struct task_struct *task = bpf_get_current_task_btf();
	if (!is_ours(task))
		return 0;
	struct pt_regs___kernel *arguments = (void *)registers;
	if (is_trace_marker(descriptor_file(task, (u32)CALL_FIRST(arguments))))
		text_send(task, (const void *)CALL_SECOND(arguments), CALL_THIRD(arguments));
	return 0;
}

SEC("uprobe")
int trace_probe(struct pt_regs *registers)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (settings.is_on && is_ours(task))
		probe_send(task, (u32)bpf_get_attach_cookie(registers));
	return 0;
}

/* ---- messages between hosts, attached on demand: since Linux 6.3 ---- */

SEC("tp_btf/sys_enter")
int BPF_PROG(trace_send_begin, struct pt_regs *registers, long call)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!is_send_call((int)call) || !settings.is_on || !is_ours(task))
		return 0;
	u32 tid = tid_of(task);
	u64 now = bpf_ktime_get_ns();
	bpf_map_update_elem(&senders, &tid, &now, BPF_ANY);
	return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(trace_sent, struct sock *socket, int length)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (length <= 0 || !settings.is_on || !is_ours(task))
		return 0;
	u32 tid = tid_of(task);
	u64 *began = bpf_map_lookup_elem(&senders, &tid);
	if (began && is_send_call(call_of(task)))
		message_send(task, socket, SCHEDULER_EVENT_SENT, *began);
	return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(trace_received, struct sock *socket, int length, int flags)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (length > 0 && !(flags & MSG_PEEK) && settings.is_on && is_ours(task))
		message_send(task, socket, SCHEDULER_EVENT_RECEIVED, bpf_ktime_get_ns());
	return 0;
}
