/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * annotations - the part of trace.bpf.c for annotations other than those of lever.h: writes to a
 * trace_marker, and probes. Both are attached on demand.
 */
#pragma once

#include "bpf/descriptor.h"
#include "bpf/scheduler.h"
#include "bpf/system_calls.h"

#define TRACEFS_MAGIC 0x74726163 /* include/uapi/linux/magic.h */

/* The file trace_marker of tracefs, or of one of its instances. */
static __always_inline bool is_trace_marker(struct file___open *file)
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

static __always_inline void text_send(struct task_struct *task, const void *text, u64 size)
{
	struct scheduler_text_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	u32 length = size < SCHEDULER_TEXT_BYTES ? (u32)size : SCHEDULER_TEXT_BYTES - 1;

	if (!event) {
		__sync_fetch_and_add(&totals.lost_events, 1);
		return;
	}
	event->kind = SCHEDULER_EVENT_TEXT;
	event->tid = tid_of(task);
	event->tgid = tgid_of(task);
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
	event->tid = tid_of(task);
	event->tgid = tgid_of(task);
	event->probe = probe;
	event->time_ns = bpf_ktime_get_ns();
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}
