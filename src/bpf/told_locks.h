/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * told_locks - waits for a lock that look like waits for a condition, of which virtual machines and
 * interpreters make their locks: those that a thread tells (points_names.lock_word, written by the
 * Java agent), and those for the lock of a Python interpreter, by its address
 * (docs/decisions.md, "Locks that a virtual machine makes").
 *
 * Such a wait may end by a time-out, after which the thread waits on. All of these are one wait.
 */
#pragma once

#include "bpf/address_space.h"
#include "bpf/python.h"
#include "bpf/system_calls.h"

/* 0: not known. */
static __always_inline u64 thread_pointer_of(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(task, thread.fsbase);
#elif defined(__TARGET_ARCH_arm64)
	return BPF_CORE_READ(task, thread.uw.tp_value);
#else
	return BPF_CORE_READ((struct pt_regs___kernel *)bpf_task_pt_regs(task), tp);
#endif
}

/* Of the current task: the address of the name of the lock that it waits for, or 0. */
static __always_inline u64 told_lock_name(struct task_struct *task, u64 points_page, u64 *word)
{
	u64 name = 0, at = points_page + __builtin_offsetof(struct points_names, lock_word);

	if (bpf_probe_read_user(word, sizeof(*word), (void *)at) || !*word)
		return 0;
	bpf_probe_read_user(&name, sizeof(name), (void *)(thread_pointer_of(task) + *word));
	return name;
}

enum told_wait { TOLD_NOTHING, TOLD_LOCK };

/*
 * What is told of the current task, which waits for a condition by its futex. A function of its
 * own, for the verifier.
 */
__noinline int told_wait_of(u64 futex)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct address_space *space = address_space_of(task);
	u64 word = 0, name = 0;

	if (!space)
		return TOLD_NOTHING;
	if (python_runtime_has(space->id, futex))
		return TOLD_LOCK;
	if (space->points_page)
		name = told_lock_name(task, space->points_page, &word);
	if (!word)
		return TOLD_NOTHING;
	return name ? TOLD_LOCK : TOLD_NOTHING;
}
