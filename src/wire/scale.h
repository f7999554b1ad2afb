/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scale - what `lever scale` and its BPF programs share: how many threads of the program are in which
 * state, and for how long so many were.
 *
 * All is added up in the kernel at each change, so that no rate of changes loses anything. Times are
 * nanoseconds of CLOCK_MONOTONIC. Each struct names its writer.
 */
#pragma once

#include <linux/bpf.h>
#include <linux/types.h>

#define SCALE_CPUS_MOST 256
#define SCALE_LEVELS \
	128 /* active threads; the last level stands for all above, too. A power of two */

enum scale_state {
	SCALE_NONE, /* not of the program, or dead */
	SCALE_RUNNING,
	SCALE_RUNNABLE,
	SCALE_LOCK, /* from here on blocked: in the order of enum parallel_wait (stats/parallel.h) */
	SCALE_IO,
	SCALE_TIMER,
	SCALE_CONDITION,
	SCALE_OTHER,
	SCALE_STATES, /* a power of two */
};
#define SCALE_WAITS (SCALE_STATES - SCALE_LOCK)

/* The time with so many threads active. */
struct scale_level {
	__u64 wall_ns;
	__u64 running_ns;              /* times the threads on a core */
	__u64 displaced_ns;            /* times the cores wanted that other programs had */
	__u64 waiting_ns[SCALE_WAITS]; /* times the threads blocked for that reason */
};
_Static_assert(sizeof(struct scale_level) == 64, "scale_level layout");

/*
 * Written by BPF under the lock; the engine reads it as a whole, with BPF_F_LOCK. What each change
 * needs comes first, and together.
 */
struct scale_totals {
	struct bpf_spin_lock lock;
	__u32 foreign; /* of the program's cores: occupied by other programs now */
	__u64 last_ns; /* up to where time is added up */
	__u32 counts[SCALE_STATES];
	__u64 begin_ns, end_ns;                 /* the program's exec; its end, 0 before */
	__u64 overwritten;                      /* slots taken by a thread with another id */
	__u32 threads, processes, most_threads; /* made; made; at the same time */
	__u32 pad;
	struct scale_level levels[SCALE_LEVELS];
};
_Static_assert(sizeof(struct scale_totals) == 88 + 64 * SCALE_LEVELS, "scale_totals layout");

/* What happened on one core; written by BPF there, with interrupts off. */
struct scale_counts {
	__u64 switches, wakes; /* of the program's threads */
	__u64 yields; /* a thread gave up the core by sched_yield, and another got it: an estimate */
	__u64 escapes;  /* a thread got the core although it was not the program's */
	__u64 looks;    /* at a thread of the program, by the core's clock */
	__u64 spinning; /* of them: at code that waits by the processor's pause instruction */
	__u64 stays; /* a thread left the core though it could have gone on, and nobody took it */
	__u32 is_allowed; /* is the core the program's; written by the engine, before */
	__u32 is_foreign; /* is it, and does another program have it now */
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct scale_counts) == 64, "scale_counts layout");

/*
 * To find the call of a thread that leaves takes as long as all else at a switch that needs no lock. So
 * one of so many that stay ready is looked at, and stands for all. A power of two.
 */
#define SCALE_STAYS_PER_LOOK 8

/* Written by the engine before the program starts. */
struct scale_settings {
	__u32 cores; /* that the program may use */
	__u32 root;  /* process whose end is the program's */
};

/* A thread, at its id modulo the number of slots. Written under the lock. */
#define SCALE_SLOTS 65536 /* a power of two */
struct scale_slot {
	__u32 tid;
	__u32 state; /* enum scale_state */
} __attribute__((aligned(8)));
_Static_assert(sizeof(struct scale_slot) == 8, "scale_slot layout");
