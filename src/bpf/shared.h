/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * shared - the event ring, unwind tables, counters of cores, and events about processes: what the
 * BPF objects of `lever run`, `lever record` and `lever trace` have in common.
 */
#pragma once

#include "bpf/task_ids.h"
#include "wire/kernel.h"

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#ifndef NULL
#define NULL ((void *)0)
#endif

/* Of a file, the offset in it; of other objects see WIRE_OBJECT_*. */
struct location {
	u32 object;
	u32 pad;
	u64 offset;
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 * 1024 * 1024);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WIRE_UNWIND_ROWS_MOST);
	__type(key, u32);
	__type(value, struct wire_unwind_row);
} unwind_rows SEC(".maps");
struct wire_unwind_object unwind_objects[WIRE_OBJECTS_MOST];

struct kernel_cpu cpus[KERNEL_CPUS_MOST];
struct kernel_totals totals;

static __always_inline struct kernel_cpu *this_cpu(void)
{
	return &cpus[bpf_get_smp_processor_id() & (KERNEL_CPUS_MOST - 1)];
}

/* The task's id in the innermost namespace, as the program knows it. */
static __always_inline u32 thread_id_of(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);

	return id_at(pid, level).nr;
}

static __always_inline void process_event(u32 kind, u32 tgid, u32 parent, const char *path)
{
	struct kernel_process_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		totals.lost_events++;
		return;
	}
	event->kind = kind;
	event->tgid = tgid;
	event->parent = parent;
	event->pad = 0;
	event->path[0] = 0;
	if (path)
		bpf_probe_read_kernel_str(event->path, sizeof(event->path), path);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}
