/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * member - which tasks are the program.
 *
 * A program that lever starts is followed from its first task on, over fork and exec. Of a process
 * that runs already the engine marks the first task only. Its other threads, and with
 * is_system_wide all processes of the machine, become members at their first switch, tick or visit.
 *
 * A peer is a process that exchanges messages with the program and waits for its answers. It is no
 * member, but pauses as members do.
 *
 * A process may be excluded by its name: a launcher (mpirun), or a name that --comm does not match.
 * The engine decides about each name once.
 */
#pragma once

#include "bpf/address_space.h"
#include "bpf/state.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct kernel_name);
	__type(value, u32); /* enum kernel_name_decision */
} names SEC(".maps");

static __always_inline u32 name_ask(const struct kernel_name *name, u32 tgid)
{
	struct kernel_name_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	u32 verdict = KERNEL_NAME_PENDING;

	if (!event) {
		totals.lost_events++;
		return KERNEL_NAME_PENDING;
	}
	event->kind = KERNEL_EVENT_NAME;
	event->tgid = tgid;
	__builtin_memcpy(event->name, name->text, sizeof(event->name));
	bpf_ringbuf_submit(event, BPF_RB_FORCE_WAKEUP);
	bpf_map_update_elem(&names, name, &verdict, BPF_NOEXIST);
	return verdict;
}

static __always_inline void name_read(struct kernel_name *name, struct task_struct *process)
{
	__builtin_memset(name, 0, sizeof(*name));
	bpf_probe_read_kernel_str(name->text, sizeof(name->text), process->comm);
}

/* The offset in WIRE_OBJECT_PROCESSES. */
static __always_inline u64 process_key(struct task_struct *process)
{
	struct kernel_name name;

	name_read(&name, process);
	return kernel_name_key(&name);
}

static __always_inline u32 name_verdict(struct task_struct *process)
{
	struct kernel_name name;

	name_read(&name, process);
	u32 *verdict = bpf_map_lookup_elem(&names, &name);
	if (verdict)
		return *verdict;
	return settings.filter_by_name ? name_ask(&name, tgid_of(process)) : KERNEL_NAME_WANTED;
}

static __always_inline void member_decide(struct task_state *state, struct task_struct *process)
{
	u32 verdict = name_verdict(process);

	state->is_undecided = verdict == KERNEL_NAME_PENDING;
	state->is_member = verdict == KERNEL_NAME_WANTED;
}

/* A task without state is a member if its process is. */
static __always_inline struct task_state *member_adopt(struct task_struct *task)
{
	struct task_state *process = bpf_task_storage_get(&tasks, task->group_leader, NULL, 0);

	if (process ? process->is_excluded || !process->is_in_tree : !settings.is_system_wide)
		return NULL;
	struct task_state *state =
		bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!state) {
		totals.untracked_tasks++;
		return NULL;
	}
	if (!process) {
		u64 key = (u64)task->mm; /* may be that of a process that has ended */
		bpf_map_delete_elem(&spaces, &key);
	}
	state->is_in_tree = 1;
	state->is_undecided = 1;
	return state;
}

static __always_inline struct task_state *peer_state_of(struct task_struct *task)
{
	struct task_state *process = bpf_task_storage_get(&tasks, task->group_leader, NULL, 0);

	if (!process || !process->is_peer)
		return NULL;
	struct task_state *state =
		bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (state)
		state->is_peer = 1;
	return state;
}

/* State of a task of a peer; NULL for all others. */
static __noinline struct task_state *peer_state(struct task_struct *task)
{
	return settings.has_peers ? peer_state_of(task) : NULL;
}

static __always_inline bool is_peer(struct task_struct *task)
{
	return peer_state(task) != NULL;
}

/* State of a task of the program; NULL for all others. */
static __noinline struct task_state *member_state(struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, NULL, 0);

	if (!state && !(task->flags & PF_KTHREAD))
		state = member_adopt(task);
	if (state && state->is_undecided)
		member_decide(state, task->group_leader);
	return state && state->is_member ? state : NULL;
}

/* State of a member, a peer or a kernel thread; NULL for other tasks. */
static __always_inline struct task_state *task_state_of(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		return bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct task_state *state = member_state(task);
	return state ? state : peer_state(task);
}

static __always_inline bool is_member(struct task_struct *task)
{
	return member_state(task) != NULL;
}

static __always_inline bool is_pausable(struct task_struct *task)
{
	return task->flags & PF_KTHREAD || is_member(task) || is_peer(task);
}

/* The child inherits membership. Returns its state. */
static __always_inline struct task_state *member_fork(const struct task_state *parent,
						      struct task_struct *child)
{
	struct task_state *born =
		bpf_task_storage_get(&tasks, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!born) {
		totals.untracked_tasks++;
		return NULL;
	}
	born->is_in_tree = 1;
	born->is_member = parent->is_member;
	born->is_undecided = parent->is_undecided;
	return born;
}

/* A process has a new name. NULL if it is not in the program's tree. */
static __always_inline struct task_state *member_exec(struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, NULL, 0);

	if (!state)
		state = member_adopt(task);
	if (!state || !state->is_in_tree)
		return NULL;
	member_decide(state, task);
	return state;
}
