/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record - what `lever record` and its BPF programs share: settings, tasks off CPU, and samples.
 *
 * Unwind tables, files and processes are in the structs of `lever run`. Times are nanoseconds of
 * CLOCK_MONOTONIC. Each struct names its writer.
 */
#pragma once

#include "wire/events.h"

#include <linux/types.h>

#define RECORD_EVENT_SAMPLE 16 /* beside enum kernel_event_kind */
#define RECORD_EVENT_WAKEUP 17

#define RECORD_ON_CPU 1u
#define RECORD_PREEMPTED 2u /* the task left its core runnable */
#define RECORD_IO_WAIT 4u
#define RECORD_TRUNCATED 8u      /* the user chain ends before the outermost frame */
#define RECORD_STILL_BLOCKED 16u /* the wait goes on */

#define RECORD_KERNEL_FRAMES_MOST 32
#define RECORD_USER_FRAMES_MOST 128 /* a power of two */

struct record_frame {
	__u32 object, pad; /* WIRE_OBJECT_UNKNOWN: the offset is an address */
	__u64 offset;      /* of a caller: in its call instruction */
};
_Static_assert(sizeof(struct record_frame) == 16, "record_frame layout");

/*
 * A wake-up is the sample of a thread that ends the wait of another one for a futex: weight_ns is
 * that of the wait, `argument` the waiter's futex, `waiter_tgid` its process.
 *
 * A sample of a wait stands for all sampling points that fell into the wait; its frames are those
 * in which the task blocked. Only `user_count` user frames are sent. Written by BPF.
 */
struct record_sample {
	__u32 kind, flags;
	__u32 tgid, tid;
	__u64 time_ns;
	__u64 weight_ns;  /* on CPU, or blocked */
	__u64 waiting_ns; /* off CPU, runnable */
	__u64 argument;   /* first argument of the call: the futex, the descriptor */
	__u64 lock_name;  /* off CPU: address of the name of the lock, if the thread tells it */
	struct wire_file file; /* off CPU: that of the descriptor; inode 0: none */
	__s32 system_call;     /* -1: none */
	__u32 inverse_chance;  /* one of so many waits is sampled; a factor of the weights */
	__u32 kernel_count, user_count; /* innermost first */
	__u32 waiter_tgid, pad;         /* of a wake-up */
	char command[16];
	__u64 kernel[RECORD_KERNEL_FRAMES_MOST]; /* addresses */
	struct record_frame user[RECORD_USER_FRAMES_MOST];
};
_Static_assert(sizeof(struct record_sample) == 112 + 8 * 32 + 16 * 128, "record_sample layout");

enum record_unwinding { RECORD_UNWIND_NONE, RECORD_UNWIND_POINTERS, RECORD_UNWIND_TABLES };

/* Written by the engine. */
struct record_settings {
	__u64 period_ns;
	__u32 unwinding; /* enum record_unwinding */
	__u32 is_system_wide;
	__u32 is_on; /* nothing is sampled before */
	__u32 pad;
};

/*
 * A task off CPU, at its id modulo the number of slots. Written by BPF, on the core that the task
 * leaves or enters. Collisions are counted.
 */
#define RECORD_SLOTS 65536 /* a power of two */
struct record_slot {
	__u64 left_ns; /* 0: on CPU, or unknown */
	__u64 run_delay_ns;
	__u32 tid;
	__u32 is_preempted;
	/* Without sched_exit_tp only: moving averages of waits and preemptions, */
	__u64 usual_ns[2];
	__u64 ended_ns, ended_offset_ns; /* and a sampled wait that has ended; 0: none */
};
_Static_assert(sizeof(struct record_slot) == 56, "record_slot layout");

/* Without sched_exit_tp: sampled tasks that are off CPU at the same time. */
#define RECORD_HELD_MOST 2048

/*
 * Sampling clocks of a core, with different periods that are drawn anew all the time: a clock's
 * interrupt ends sleeps that may end a little later (timer slack), so a program that sleeps briefly
 * falls into step with a single clock, and its ticks miss what follows the sleep.
 */
#define RECORD_CLOCKS 5
struct record_clock {
	__u64 opened_ns; /* the period it was opened with, by which a tick tells its clock */
	__u64 period_ns; /* now; both by the engine */
	__u64 due_ns;    /* the next point of the clock's grid */
};

/* One core. Written by BPF on that core. */
struct record_cpu {
	/* From sched_switch to sched_exit. */
	__u64 off_ns, offset_ns, run_delay_ns;
	__u32 tid, is_preempted;
	__u64 entered_ns; /* of the current task */
	__u64 samples;
	__u64 lost; /* samples that found the ring full */
	__u64 truncated;
	__u64 overwritten; /* slots taken by a task with another id */
	__u64 not_held;    /* sampled waits without room in `held` */
	struct record_clock clocks[RECORD_CLOCKS];
} __attribute__((aligned(64)));
