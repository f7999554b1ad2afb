/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * task_ids - the ids by which the engine knows tasks: those of its own process namespace, as in a
 * container. `task->pid` is that of the initial namespace; it serves as a key among BPF programs.
 */
#pragma once

#include "bpf/kernel_types.h"

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

/* 0: the initial namespace, which has ids for all tasks. */
__u32 engine_level;
__u64 engine_namespace;

static __always_inline struct upid id_at(struct pid *pid, u32 level)
{
	struct upid id = {};
	u64 place = (u64)&pid->numbers[0] + level * bpf_core_type_size(struct upid);

	bpf_probe_read_kernel(&id, sizeof(id), (void *)place);
	return id;
}

/* The engine runs it once, before the programs are attached. */
SEC("syscall")
int note_engine(void *context)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pid *pid = BPF_CORE_READ(task, thread_pid);

	(void)context;
	engine_level = BPF_CORE_READ(pid, level);
	engine_namespace = (u64)id_at(pid, engine_level).ns;
	return 0;
}

/* 0: the namespace does not have the task, or it is about to vanish. */
static __always_inline u32 id_for_engine(struct pid *pid)
{
	if (!pid || BPF_CORE_READ(pid, level) < engine_level)
		return 0;
	struct upid id = id_at(pid, engine_level);
	return (u64)id.ns == engine_namespace ? id.nr : 0;
}

static __always_inline u32 tid_of(struct task_struct *task)
{
	return engine_level ? id_for_engine(BPF_CORE_READ(task, thread_pid)) : (u32)task->pid;
}

static __always_inline u32 tgid_of(struct task_struct *task)
{
	return engine_level ? id_for_engine(BPF_CORE_READ(task, group_leader, thread_pid)) :
			      (u32)task->tgid;
}

/* Both in one number, for functions that cannot take the task; the process's is the upper half. */
static __always_inline u64 ids_of(struct task_struct *task)
{
	return (u64)tgid_of(task) << 32 | tid_of(task);
}
