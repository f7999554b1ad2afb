/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * state - the state of the kernel side, and its writers.
 *
 * The globals are in memory that the engine maps: `settings` and `ranges` it writes (the unused
 * bank first, then the bank number), the rest it reads. Per-task state is written on the
 * task's own core, or by its waker while it sleeps.
 */
#pragma once

#include "bpf/shared.h"
#include "wire/delay_waiters.h"
#include "wire/points.h"

enum wait_kind { WAIT_NONE, WAIT_SAMPLED, WAIT_TARGET, WAIT_FOR_REQUEST };

/* A task that is runnable without a core. */
enum core_wait { HAS_CORE, WAITS_FOR_CORE, WAITS_AFTER_TIMER };

struct task_state {
	struct delay_task delay;
	u8 is_member;
	u8 waiting; /* enum core_wait */
	/* enum wait_kind, from when it leaves its core until it is woken. A byte of its own: the
	 * core that it leaves and the one that wakes it may write at the same time. */
	u8 wait;
	u8 is_peer; /* no member, but it pauses with them: a client in their loop */
	u8 was_woken_externally : 1;
	u8 waits_for_lock : 1; /* the wait is for a lock: its releaser hands over no work */
	u8 waits_for_core : 1; /* it is woken, but its wait ends with the way onto a core */
	/* idle_wait.h */
	u8 serves : 1;            /* it has received a request */
	u8 has_polled : 1;        /* it waited for a message, and has received none since */
	u8 waits_for_others : 1;  /* the first message after its last such wait was no client's */
	u8 was_woken_by_task : 1; /* at least once */
	u8 is_housekeeping : 1;   /* no task waits for what it does when its wait times out */
	u8 is_in_tree;   /* of the program's tree: is_member unless its name speaks against it */
	u8 is_excluded;  /* lever itself, and what it runs under */
	u8 is_undecided; /* its name has not been looked at */
	struct location wait_leaf, wait_found; /* where it waits */
	u32 wait_generation;                   /* in which it has joined the waiters */
	int wait_call;                         /* system call; -1: none */
	u32 wait_span;                         /* WIRE_SPAN_NONE */
	u8 wait_class : 3;                     /* enum wait_class of the last wait */
	u8 owes_no_timer : 1;                  /* if one ends the wait (told_locks.h) */
	u8 wait_level : 4;                     /* of a wait in the target */
	u8 owes_more;   /* than one pause: it pays the rest before it goes on (pay_rest) */
	u16 wait_flags; /* WIRE_SAMPLE_* of its sample */
	u64 request; /* inode of the socket of the last one that it received; 0: it has answered */
};
_Static_assert(sizeof(struct task_state) == KERNEL_TASK_STATE_BYTES, "task_state layout");
_Static_assert(__builtin_offsetof(struct task_state, is_member) == KERNEL_TASK_STATE_MEMBER &&
		       __builtin_offsetof(struct task_state, is_in_tree) ==
			       KERNEL_TASK_STATE_IN_TREE &&
		       __builtin_offsetof(struct task_state, is_excluded) ==
			       KERNEL_TASK_STATE_EXCLUDED &&
		       __builtin_offsetof(struct task_state, is_undecided) ==
			       KERNEL_TASK_STATE_UNDECIDED &&
		       __builtin_offsetof(struct task_state, is_peer) == KERNEL_TASK_STATE_PEER,
	       "task_state layout");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

/* Engine and kernel write different cache lines. */
__u64 delay_ns __attribute__((aligned(256))); /* G */
__u64 tick_slot_ns;                           /* delay_tick_slot */
__u64 charge_slot_ns;                         /* delay_charge_slot */
struct wire_settings settings __attribute__((aligned(256)));
struct wire_point points[WIRE_POINTS_MOST];
struct kernel_edge edges[KERNEL_CPUS_MOST][WIRE_POINTS_MOST];
struct wire_span_lengths lengths[WIRE_PAIRS_MOST];
struct wire_range ranges[WIRE_BANKS][WIRE_RANGES_MOST];

__s64 waiting_tasks __attribute__((aligned(256))); /* members that wait for a core */
__s64 wanted_cores;    /* the same without those that a timer has woken */
__u64 displaced_at_ns; /* the last tick of a foreign task while one of them waited */
__u64 waiters;         /* delay_waiters.h */
__u64 charged_ns;      /* sum of the target's charges */
__u64 waiters_updated_ns, waiters_delay_ns; /* G includes waits up to then; by how much in all */
/* The open window's latency integral has been added up to here. */
__u64 latency_updated_ns, latency_window;
__u64 latency_updated_delay_ns; /* waiters_delay_ns then */

static __always_inline u64 global_delay(void)
{
	return *(volatile u64 *)&delay_ns;
}

/* The number of the highest bit that is set; 0 of 0. A function of its own: it has 64 ways. */
__noinline u32 highest_bit(u64 value)
{
	u32 bits = 0;

	for (u32 step = 32; step; step /= 2)
		if (value >> (bits + step))
			bits += step;
	return bits;
}
