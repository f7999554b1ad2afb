/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * idle_wait - waits of a server in which it has nothing to do: for a client's request, or until a
 * background task is due. They are no target, since no code could end them earlier.
 *
 * Known at once: a wait for a connection, or for bytes on one that has brought a request. Of a wait
 * for any of several files (poll, select, epoll) the first message received afterwards tells whose
 * it was; the next such wait is expected to be for the same. One that no message follows was for a
 * timer or a signal. A thread that sleeps is idle if it has never received a request and no task
 * has ever woken it, so that none can wait for it: housekeeping. Who releases a lock hands over no
 * work. One that waits for a condition is a worker without work if it has never received a request,
 * or if the last one that it received has been answered, by whomever.
 *
 * So is what such a thread does when a wait for others has timed out. It owes nothing for that
 * wait: it would pay for all that G grew by, on a core that the threads that serve need.
 */
#pragma once

#include "bpf/requests.h"
#include "bpf/told_locks.h"

/* Arguments of a call that the task is in: number of files, and the descriptor. */
static __always_inline u32 files_polled(struct pt_regs___kernel *saved, int call)
{
	switch (call) {
#ifdef __NR_poll
	case __NR_poll:
#endif
	case __NR_ppoll:
#if defined(__TARGET_ARCH_x86)
		return (u32)BPF_CORE_READ(saved, si);
#elif defined(__TARGET_ARCH_arm64)
		return (u32)BPF_CORE_READ(saved, regs[1]);
#else
		return (u32)BPF_CORE_READ(saved, a1);
#endif
#ifdef __NR_select
	case __NR_select:
#endif
	case __NR_pselect6:
		return descriptor_of(saved); /* the first argument, too */
	default:
		return 1;
	}
}

/*
 * What a call waits for (enum wait_reason). Functions of their own: the verifier follows each case
 * of a switch to the end of a program that has it inlined.
 */
__noinline int wait_reason(int call)
{
	return wait_reason_of_call(call);
}

__noinline int waits_for_messages(int call)
{
	switch (call) {
#ifdef __NR_poll
	case __NR_poll:
	case __NR_select:
	case __NR_epoll_wait:
#endif
	case __NR_ppoll:
	case __NR_pselect6:
	case __NR_epoll_pwait:
#ifdef __NR_epoll_pwait2
	case __NR_epoll_pwait2:
#endif
		return true;
	default:
		return false;
	}
}

static __always_inline bool reads_a_request(struct task_struct *task, int call)
{
	if (call == __NR_accept || call == __NR_accept4 || call == __NR_rt_sigtimedwait)
		return true;
	if (message_direction_of(call) != MESSAGE_RECEIVED)
		return false;
	u64 inode = socket_inode((void *)task, descriptor_of((void *)bpf_task_pt_regs(task)));
	return inode && bpf_map_lookup_elem(&request_sockets, &inode);
}

static __always_inline bool has_request(const struct task_state *state)
{
	u64 inode = state->request;
	struct request_socket *socket =
		inode ? bpf_map_lookup_elem(&request_sockets, &inode) : NULL;

	return socket && socket->pending;
}

enum lock_wait {
	WAIT_NO_LOCK = 0, /* a condition */
	WAIT_FUTEX_LOCK,  /* by the futex's value */
	WAIT_TOLD_LOCK,   /* told_locks.h */
};

/* Of the current task, which waits for a thread. */
static __always_inline enum lock_wait lock_wait_of(struct task_struct *task, int call)
{
	struct pt_regs___kernel *saved = (void *)bpf_task_pt_regs(task);

	if (call != __NR_futex || wait_futex_is_lock(CALL_SECOND(saved), CALL_THIRD(saved)))
		return WAIT_FUTEX_LOCK;
	if (!wait_futex_is_condition(CALL_SECOND(saved)))
		return WAIT_NO_LOCK;
	return told_wait_of(CALL_FIRST(saved)) == TOLD_LOCK ? WAIT_TOLD_LOCK : WAIT_NO_LOCK;
}

/* Of the current task, which is in this system call. */
static __noinline bool wait_is_idle(struct task_struct *task, struct task_state *state, int call)
{
	bool is_poll = waits_for_messages(call);
	int reason = wait_reason(call);
	bool is_for_thread = reason == WAIT_FOR_THREAD;
	bool is_sleep = reason == WAIT_FOR_TIME ||
			(is_poll && !files_polled((void *)bpf_task_pt_regs(task), call));

	state->is_housekeeping = !state->serves && !(is_sleep && state->was_woken_by_task);
	if (is_sleep)
		return state->is_housekeeping;
	if (is_for_thread)
		return !state->waits_for_lock && !has_request(state);
	if (!is_poll)
		return reads_a_request(task, call);
	state->has_polled = 1;
	return !state->waits_for_others;
}

/* A task may be woken before it has left its core: nothing is known of that wait. */
static __always_inline void idle_wait_end(struct task_struct *woken, struct task_state *state,
					  bool by_task)
{
	if (by_task && request_point_count && !woken->on_cpu && !state->waits_for_lock)
		state->was_woken_by_task = 1;
}
