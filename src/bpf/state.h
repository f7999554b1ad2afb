/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * state - everything the kernel side remembers, and who writes it.
 *
 * The globals are in memory that the engine maps: `settings` and `ranges` it writes (the unused
 * bank first, then the bank number), the rest it reads. Per-task state is written on the
 * task's own core, or by its waker while it sleeps.
 */
#pragma once

#include "bpf/shared.h"
#include "wire/points.h"

enum wait_kind { WAIT_NONE, WAIT_SAMPLED, WAIT_TARGET };

struct task_state {
	u64 gap_ns; /* still to be paid when it runs again */
	u64 delay_at_leave_ns, left_ns;
	u64 delay_at_wake_ns, woken_ns;
	u64 waker_gap_ns; /* of the kernel thread that has woken it, with is_by_kernel_thread */
	u32 generation;
	u8 is_member;
	u8 is_seen, is_blocked, is_woken, is_external;
	u8 is_waiting; /* runnable, without a core */
	u8 wait;       /* enum wait_kind, from when it leaves its core until it is woken */
	u8 wait_is_in_scope, was_woken_externally;
	u8 is_in_tree;   /* of the program's tree: is_member unless its name speaks against it */
	u8 is_excluded;  /* lever itself, and what it runs under */
	u8 is_undecided; /* its name has not been looked at */
	struct location wait_leaf, wait_found; /* where it waits */
	u64 credit_ns;                         /* of the wait that has just ended */
	u32 wait_generation;
	u8 wait_class;                         /* enum wait_class of the last wait */
	u8 is_lock_target, is_runnable_target; /* the wait that ends is the target's (classes.h) */
	u8 is_by_kernel_thread; /* a kernel thread has woken it, and passed on what it owes */
	int wait_call;          /* system call; -1: none */
	u32 wait_span;          /* WIRE_SPAN_NONE */
	u8 is_in_io;            /* a kernel thread that waits for a device */
	u8 owes_more;           /* than one pause: it pays the rest before it goes on (pay_rest) */
	u8 is_spinning;         /* it was, at the last tick */
	u8 pad_last[5];
};
_Static_assert(sizeof(struct task_state) == KERNEL_TASK_STATE_BYTES, "task_state layout");
_Static_assert(
	__builtin_offsetof(struct task_state, is_member) == KERNEL_TASK_STATE_MEMBER &&
		__builtin_offsetof(struct task_state, is_in_tree) == KERNEL_TASK_STATE_IN_TREE &&
		__builtin_offsetof(struct task_state, is_excluded) == KERNEL_TASK_STATE_EXCLUDED &&
		__builtin_offsetof(struct task_state, is_undecided) == KERNEL_TASK_STATE_UNDECIDED,
	"task_state layout");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

/* Engine and kernel write different cache lines. */
__u64 delay_ns __attribute__((aligned(256))); /* G */
struct wire_settings settings __attribute__((aligned(256)));
struct wire_point points[WIRE_POINTS_MOST];
struct kernel_edge edges[KERNEL_CPUS_MOST][WIRE_POINTS_MOST];
struct wire_span_lengths lengths[WIRE_PAIRS_MOST];
struct wire_range ranges[WIRE_BANKS][WIRE_RANGES_MOST];

__s64 waiting_tasks __attribute__((aligned(256))); /* members with is_waiting */
__u64 waiters;    /* tasks that wait in the target, below the generation << 32 (waiters.h) */
__u64 charged_ns; /* G includes it for ticks in the target */
__u64 waiters_updated_ns, waiters_delay_ns; /* G includes them up to then; by how much in all */
/* The open window's latency integral has been added up to here. */
__u64 latency_updated_ns, latency_window;
__u64 latency_updated_delay_ns; /* waiters_delay_ns then */

static __always_inline u64 global_delay(void)
{
	return *(volatile u64 *)&delay_ns;
}
