/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scheduler - the log of switches and wake-ups, and events about tasks and interrupts.
 *
 * Each core has a ring in memory that both sides map: core c has the records from c * ring_size on.
 * A ring has one writer, since it is written on its core with interrupts off; `head` is raised
 * after the record is complete. The engine reads up to `head` and then raises `tail`. A record that
 * finds no room is counted in `lost`. Rarer events (tasks, interrupts, annotations) go through the
 * BPF ring buffer `events`.
 *
 * The records of a core are in order of time; the reader sorts across cores. Times are nanoseconds
 * of CLOCK_MONOTONIC.
 */
#pragma once

#include "wire/events.h"

#include <linux/types.h>

enum scheduler_kind {
	SCHEDULER_SWITCH = 1, /* `tid` leaves the core, `other` enters */
	SCHEDULER_WAKE = 2,   /* `tid` becomes runnable; `other` was current when it was woken */
};

#define SCHEDULER_TID_OURS 1u   /* tid is a thread of the program */
#define SCHEDULER_OTHER_OURS 2u /* other is */
#define SCHEDULER_PREEMPTED 4u  /* switch: tid stays runnable */
#define SCHEDULER_IO_WAIT 8u    /* switch: tid waits for I/O */
/*
 * wake: by an interrupt, as far as it can be told: the core was idle, or `other` was not in a
 * system call. An interrupt during a system call or in a kernel thread looks like a wake-up by that
 * task.
 */
#define SCHEDULER_INTERRUPT 16u
#define SCHEDULER_OTHER_KERNEL 32u /* other is a kernel thread */

#define SCHEDULER_NO_CALL 0xffff

struct scheduler_event {
	__u64 time_ns;
	__u32 tid, other; /* 0: the idle task */
	__u16 cpu;
	__u16 system_call; /* of tid (switch) or other (wake); SCHEDULER_NO_CALL: none */
	__u8 kind, flags;
	__u8 state; /* switch: low bits of the task state of tid, see linux/sched.h; 0: runnable */
	__u8 pad;
};
_Static_assert(sizeof(struct scheduler_event) == 24, "scheduler_event layout");

/* Rarer events, each beginning with its kind; beside those of wire/events.h. */
enum scheduler_event_kind {
	SCHEDULER_EVENT_FORK = 32, /* tid began; parent made it */
	SCHEDULER_EVENT_EXIT = 33, /* tid is about to end */
	SCHEDULER_EVENT_EXEC = 34,
	SCHEDULER_EVENT_NAME = 35,            /* tid has a new name */
	SCHEDULER_EVENT_INTERRUPT_ENTRY = 36, /* on demand */
	SCHEDULER_EVENT_INTERRUPT_EXIT = 37,
	SCHEDULER_EVENT_TEXT = 38,  /* tid writes to a trace_marker */
	SCHEDULER_EVENT_PROBE = 39, /* tid passes a probe */
	SCHEDULER_EVENT_SENT = 40,  /* tid has sent a message to another host */
	SCHEDULER_EVENT_RECEIVED = 41,
};

struct scheduler_task_event {
	__u32 kind, tid, tgid, parent;
	__u64 time_ns;
	char name[16];
};
_Static_assert(sizeof(struct scheduler_task_event) == 40, "scheduler_task_event layout");

#define SCHEDULER_SOFT_INTERRUPT 0x80000000u
#define SCHEDULER_VECTOR_INTERRUPT 0x40000000u

/* Interrupts of x86 with a vector and tracepoints of their own. */
enum scheduler_vector {
	SCHEDULER_VECTOR_TIMER,
	SCHEDULER_VECTOR_RESCHEDULE,
	SCHEDULER_VECTOR_CALL,
	SCHEDULER_VECTOR_CALL_SINGLE,
	SCHEDULER_VECTOR_WORK,
};

struct scheduler_interrupt_event {
	__u32 kind, cpu;
	__u64 time_ns;
	__u32 number; /* of a hard one; SCHEDULER_SOFT_INTERRUPT | vector of a soft one;
		       * SCHEDULER_VECTOR_INTERRUPT | enum scheduler_vector */
	__u32 tid;    /* the interrupted thread */
};
_Static_assert(sizeof(struct scheduler_interrupt_event) == 24, "scheduler_interrupt_event layout");

#define SCHEDULER_TEXT_BYTES 128

struct scheduler_text_event {
	__u32 kind, tid, tgid;
	__u32 size; /* of text, which is cut */
	__u64 time_ns;
	char text[SCHEDULER_TEXT_BYTES];
};
_Static_assert(sizeof(struct scheduler_text_event) == 152, "scheduler_text_event layout");

struct scheduler_probe_event {
	__u32 kind, tid, tgid;
	__u32 probe; /* by the engine's numbers */
	__u64 time_ns;
};
_Static_assert(sizeof(struct scheduler_probe_event) == 24, "scheduler_probe_event layout");

struct scheduler_message_event {
	__u32 kind, tid, tgid, pad;
	__u64 time_ns; /* when the sender began, when the receiver had it */
	__u64 id;      /* of connection, direction, and position of its last byte */
};
_Static_assert(sizeof(struct scheduler_message_event) == 32, "scheduler_message_event layout");

/* Written by the engine. */
struct scheduler_settings {
	__u32 is_system_wide;
	__u32 is_on; /* nothing is logged before */
};

/* One core. `tail` is written by the engine, the rest by BPF on that core. */
struct scheduler_ring {
	__u64 head, lost;
	__u64 pad[6];
	__u64 tail __attribute__((aligned(64)));
} __attribute__((aligned(64)));

#define SCHEDULER_RINGS_MOST 1024
#define SCHEDULER_RING_EVENTS (1 << 16) /* of a core, a power of two; fewer on large machines */
