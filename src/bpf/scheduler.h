/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * scheduler - the parts of trace.bpf.c: the tasks that are logged, and the rings
 * (wire/scheduler.h).
 */
#pragma once

#include "bpf/process_set.h"
#include "bpf/system_calls.h"
#include "wire/scheduler.h"

struct scheduler_settings settings __attribute__((aligned(256)));
struct scheduler_ring rings[SCHEDULER_RINGS_MOST];

/* Records of one core, a power of two; set before loading, as is the size of the array. */
const volatile __u32 ring_size = SCHEDULER_RING_EVENTS;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, SCHEDULER_RING_EVENTS); /* the engine: ring_size times the cores */
	__type(key, u32);
	__type(value, struct scheduler_event);
} logs SEC(".maps");

static __always_inline bool is_ours(struct task_struct *task)
{
	return tid_of(task) && (member_get(tgid_of(task)) || settings.is_system_wide);
}

/* The system call that the task is in; SCHEDULER_NO_CALL: none. */
static __always_inline u16 call_of(struct task_struct *task)
{
	int call = task->pid ? system_call_of(task) : -1;

	return call < 0 ? SCHEDULER_NO_CALL : (u16)call;
}

/*
 * Interrupts are off, so the ring of this core has one writer. The atomic addition orders the
 * record before the head that includes it.
 */
static __always_inline void ring_put(const struct scheduler_event *event)
{
	u32 cpu = event->cpu & (SCHEDULER_RINGS_MOST - 1);
	struct scheduler_ring *ring = &rings[cpu];
	u64 head = ring->head;

	if (head - *(volatile u64 *)&ring->tail >= ring_size) {
		ring->lost++;
		return;
	}
	u32 index = cpu * ring_size + ((u32)head & (ring_size - 1));
	struct scheduler_event *slot = bpf_map_lookup_elem(&logs, &index);
	if (!slot) {
		ring->lost++;
		return;
	}
	*slot = *event;
	__sync_fetch_and_add(&ring->head, 1);
}

static __always_inline void task_send(u32 kind, struct task_struct *task, u32 parent,
				      const char *name)
{
	struct scheduler_task_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&totals.lost_events, 1);
		return;
	}
	event->kind = kind;
	event->tid = tid_of(task);
	event->tgid = tgid_of(task);
	event->parent = parent;
	event->time_ns = bpf_ktime_get_ns();
	bpf_probe_read_kernel(event->name, sizeof(event->name), name);
	event->name[sizeof(event->name) - 1] = 0;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

static __always_inline void interrupt_send(u32 kind, u32 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	if (!settings.is_on)
		return;
	struct scheduler_interrupt_event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&totals.lost_events, 1);
		return;
	}
	event->kind = kind;
	event->cpu = bpf_get_smp_processor_id();
	event->time_ns = bpf_ktime_get_ns();
	event->number = number;
	event->tid = tid_of(task);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}
