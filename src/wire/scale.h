/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale - what `lever scale` and its BPF programs share: threads by state, and the time for each
 * number of active threads.
 *
 * The kernel adds up at each change, so no rate of changes loses time. Times are nanoseconds of
 * CLOCK_MONOTONIC. Each struct names its writer.
 */
#pragma once

#include <linux/bpf.h>
#include <linux/types.h>

#define SCALE_CPUS_MOST 1024
#define SCALE_LEVELS 128 /* active threads; the last level includes all above. A power of two */

enum scale_state {
	SCALE_NONE, /* not of the program, or ended */
	SCALE_RUNNING,
	SCALE_RUNNABLE,
	SCALE_LOCK, /* blocked from here on; as enum parallel_wait (stats/parallel.h) */
	SCALE_IO,
	SCALE_TIMER,
	SCALE_CONDITION,
	SCALE_OTHER,
	SCALE_STATES, /* a power of two */
};
#define SCALE_WAITS (SCALE_STATES - SCALE_LOCK)

/* The time with one number of active threads. */
struct scale_level {
	__u64 wall_ns;
	__u64 running_ns;   /* thread-time on a core */
	__u64 displaced_ns; /* core-time that the program wanted and other programs had */
	__u64 waiting_ns[SCALE_WAITS]; /* thread-time blocked, by reason */
};
_Static_assert(sizeof(struct scale_level) == 64, "scale_level layout");

/*
 * Written by BPF under the lock; the engine reads it as a whole, with BPF_F_LOCK. The fields of
 * each change come first, on one cache line.
 */
struct scale_totals {
	struct bpf_spin_lock lock;
	__u32 foreign; /* of the program's cores: occupied by other programs */
	__u64 last_ns; /* time is added up to here */
	__u32 counts[SCALE_STATES];
	__u64 begin_ns, end_ns;                 /* of the program; 0 before */
	__u64 overwritten;                      /* slots with a collision of ids */
	__u32 threads, processes, most_threads; /* created; created; at the same time */
	__u32 pad;
	struct scale_level levels[SCALE_LEVELS];
};
_Static_assert(sizeof(struct scale_totals) == 88 + 64 * SCALE_LEVELS, "scale_totals layout");

/* One core. Written by BPF on that core with interrupts off, but for is_allowed. */
struct scale_counts {
	__u64 switches, wakes; /* of the program's threads */
	__u64 yields;          /* sched_yield gave the core to another thread; an estimate */
	__u64 escapes;         /* a thread ran here although the core is not the program's */
	__u64 samples;         /* of running threads, by the core's clock */
	__u64 spinning;   /* of the samples: in a loop with the processor's pause instruction */
	__u64 stays;      /* a thread left the core runnable, and was not preempted */
	__u32 is_allowed; /* the core is the program's; by the engine, before the start */
	__u32 is_foreign; /* the core is the program's, and another program has it */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct scale_counts) == 64, "scale_counts layout");

/*
 * Reading a thread's system call takes as long as the rest of a switch without the lock. So one of
 * so many `stays` is sampled for sched_yield. A power of two.
 */
#define SCALE_STAYS_PER_SAMPLE 8

/* Written by the engine before the program starts. */
struct scale_settings {
	__u32 cores; /* the program's */
	__u32 root;  /* the process whose end is the program's end */
};

/* A thread, at its id modulo the number of slots. Written under the lock. */
#define SCALE_SLOTS 65536 /* a power of two */
struct scale_slot {
	__u32 tid;
	__u32 state; /* enum scale_state */
} __attribute__((aligned(8)));
_Static_assert(sizeof(struct scale_slot) == 8, "scale_slot layout");
