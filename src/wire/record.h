/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record - what `lever record` and its BPF programs share: settings, tasks off CPU, and samples.
 *
 * Unwind tables, files and processes are those of wire/kernel.h and wire/events.h. Times are
 * nanoseconds of CLOCK_MONOTONIC. Each struct names its writer.
 */
#pragma once

#include <linux/types.h>

#define RECORD_EVENT_SAMPLE 16 /* beside enum kernel_event_kind */

#define RECORD_ON_CPU 1u
#define RECORD_PREEMPTED 2u /* it left its core although it could have run on */
#define RECORD_IO_WAIT 4u
#define RECORD_TRUNCATED 8u      /* the user chain ends before its root */
#define RECORD_STILL_BLOCKED 16u /* not over yet: looked at from outside */

#define RECORD_KERNEL_FRAMES_MOST 32
#define RECORD_USER_FRAMES_MOST 128 /* a power of two */

struct record_frame {
	__u32 object, pad; /* WIRE_OBJECT_UNKNOWN: the offset is an address */
	__u64 offset;      /* of a caller: within its call */
};
_Static_assert(sizeof(struct record_frame) == 16, "record_frame layout");

/*
 * One look at one task. A look at time off CPU stands for all sampling points that fell into it, so
 * it has a weight; its frames are those in which the task blocked. Only `user_count` frames are sent.
 */
struct record_sample {
	__u32 kind, flags;
	__u32 tgid, tid;
	__u64 time_ns;
	__u64 weight_ns;   /* on CPU, or blocked */
	__u64 waiting_ns;  /* off CPU: runnable, waiting for a core */
	__u64 argument;    /* first of the system call: the futex, the descriptor */
	__s32 system_call; /* -1: none */
	__u32 inverse_chance; /* one of so many waits is looked at; the weights have been raised by it */
	__u32 kernel_count, user_count; /* frames, innermost first */
	char command[16];
	__u64 kernel[RECORD_KERNEL_FRAMES_MOST]; /* addresses */
	struct record_frame user[RECORD_USER_FRAMES_MOST];
};
_Static_assert(sizeof(struct record_sample) == 80 + 8 * 32 + 16 * 128, "record_sample layout");

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
 * A task that is off CPU, at its id modulo the number of slots. Written by BPF, on the core that the
 * task leaves or enters; a namesake that takes the slot is counted.
 */
#define RECORD_SLOTS 65536 /* a power of two */
struct record_slot {
	__u64 left_ns; /* 0: on CPU, or unknown */
	__u64 run_delay_ns;
	__u32 tid;
	__u32 is_preempted;
	/* Without sched_exit_tp only: how long blocks, and preemptions, lasted of late; */
	__u64 usual_ns[2];
	__u64 ended_ns, ended_offset_ns; /* a sampled wait that is over and not sent yet; 0: none */
};
_Static_assert(sizeof(struct record_slot) == 56, "record_slot layout");

/* Processes that are recorded: a bit each. Set by the engine and by BPF at forks, atomically. */
#define RECORD_PROCESSES_MOST (1 << 22) /* the most that pid_max can be */

/* One core. Written by BPF on that core. */
struct record_cpu {
	/* What sched_switch has found and sched_exit takes up. */
	__u64 off_ns, offset_ns, run_delay_ns;
	__u32 tid, is_preempted;
	__u64 entered_ns, due_ns; /* its task came; the next point of the clock's grid */
	__u64 samples, looks;     /* on CPU; at time off CPU */
	__u64 lost, lost_ns;      /* those that found the ring full, and what they stood for */
	__u64 truncated;
	__u64 overwritten; /* slots taken by a task with another id */
	__u64 period_ns;   /* of its clock; written by the engine */
	__u64 reserved[2];
} __attribute__((aligned(64)));
