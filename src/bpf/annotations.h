/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * annotations - the part of trace.bpf.c for annotations other than those of lever.h: writes to a
 * trace_marker, and probes. Both are attached on demand.
 */
#pragma once

#include "bpf/scheduler.h"

#define TRACEFS_MAGIC 0x74726163 /* include/uapi/linux/magic.h */
#ifdef __TARGET_ARCH_x86
#define CALL_WRITE 1
#else
#define CALL_WRITE 64
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct qstr___marks {
	const unsigned char *name;
};
struct dentry___marks {
	struct qstr___marks d_name;
};
struct path___marks {
	struct dentry___marks *dentry;
};
struct file___marks {
	struct path___marks f_path;
	struct inode *f_inode;
};
struct fdtable___marks {
	unsigned int max_fds;
	struct file___marks **fd;
};
struct files_struct___marks {
	struct fdtable___marks *fdt;
};
struct task_struct___marks {
	struct files_struct___marks *files;
};
#pragma clang attribute pop

/* The task's open file, or NULL. */
static __always_inline struct file___marks *file_of(struct task_struct *task, u64 descriptor)
{
	struct task_struct___marks *owner = (void *)task;
	struct fdtable___marks *table = BPF_CORE_READ(owner, files, fdt);
	struct file___marks *file = NULL;

	if (!table || descriptor >= BPF_CORE_READ(table, max_fds))
		return NULL;
	struct file___marks **files = BPF_CORE_READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), files + descriptor);
	return file;
}

/* The file trace_marker of tracefs, or of one of its instances. */
static __always_inline bool is_trace_marker(struct file___marks *file)
{
	const char wanted[] = "trace_marker";
	char name[sizeof(wanted) + 1] = {};

	if (!file || BPF_CORE_READ(file, f_inode, i_sb, s_magic) != TRACEFS_MAGIC)
		return false;
	bpf_probe_read_kernel_str(name, sizeof(name),
				  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	for (unsigned i = 0; i < sizeof(wanted); i++)
		if (name[i] != wanted[i])
			return false;
	return true;
}

#ifdef __TARGET_ARCH_x86
#define CALL_FIRST(registers) BPF_CORE_READ(registers, di)
#define CALL_SECOND(registers) BPF_CORE_READ(registers, si)
#define CALL_THIRD(registers) BPF_CORE_READ(registers, dx)
#else
#define CALL_FIRST(registers) BPF_CORE_READ(registers, regs[0])
#define CALL_SECOND(registers) BPF_CORE_READ(registers, regs[1])
#define CALL_THIRD(registers) BPF_CORE_READ(registers, regs[2])
#endif

static __always_inline void text_send(struct task_struct *task, const void *text, u64 size)
{
	struct scheduler_text_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	u32 length = size < SCHEDULER_TEXT_BYTES ? (u32)size : SCHEDULER_TEXT_BYTES - 1;

	if (!event) {
		__sync_fetch_and_add(&totals.lost_events, 1);
		return;
	}
	event->kind = SCHEDULER_EVENT_TEXT;
	event->tid = task->pid;
	event->tgid = task->tgid;
	event->size = length;
	event->time_ns = bpf_ktime_get_ns();
	asm volatile("" : "+r"(length)); /* keeps the mask below, which the verifier needs */
	length &= SCHEDULER_TEXT_BYTES - 1;
	if (bpf_probe_read_user(event->text, length, text)) {
		__sync_fetch_and_add(&totals.lost_events, 1);
		bpf_ringbuf_discard(event, BPF_RB_NO_WAKEUP);
		return;
	}
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

static __always_inline void probe_send(struct task_struct *task, u32 probe)
{
	struct scheduler_probe_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (!event) {
		__sync_fetch_and_add(&totals.lost_events, 1);
		return;
	}
	event->kind = SCHEDULER_EVENT_PROBE;
	event->tid = task->pid;
	event->tgid = task->tgid;
	event->probe = probe;
	event->time_ns = bpf_ktime_get_ns();
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}
