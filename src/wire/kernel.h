/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel - what the engine and its BPF programs share: settings, counters, and events.
 *
 * Everything here lies in memory that both sides map. Each field names its one writer. Times are
 * nanoseconds of CLOCK_MONOTONIC (bpf_ktime_get_ns). Fixed-size types, explicit padding.
 */
#pragma once

#include "wire/delay_core.h"
#include "wire/events.h"
#include "wire/span_lengths.h"

#include <linux/types.h>

#define KERNEL_CPUS_MOST 256
#define WIRE_POINTS_MOST 64
#define WIRE_PAIRS_MOST 8
#define WIRE_RANGES_MOST 16384 /* in one bank; a power of two */
/* Banks of ranges: two for what changes while it is read, of which settings names the one in use. */
#define WIRE_BANK_TARGET 0
#define WIRE_BANK_SCOPE 2
#define WIRE_BANK_SAMPLED 4
#define WIRE_BANKS 5

#define WIRE_OBJECT_UNKNOWN 0u               /* a file that the engine has not named yet */
#define WIRE_OBJECT_NO_FILE 0xffffffffu      /* JIT code, vdso: offsets are addresses */
#define WIRE_OBJECT_KERNEL 0xfffffffeu       /* the kernel's own code: offsets are addresses */
#define WIRE_OBJECT_SYSTEM_CALLS 0xfffffffdu /* system calls: offsets are their numbers */
#define WIRE_OBJECT_SPANS 0xfffffffcu        /* open spans: offsets are points that began them */

/* A piece of code; arrays of these are sorted by (object, start) and do not overlap. */
struct wire_range {
	__u32 object;
	__u32 value; /* sampled points: the point's index; else 0 */
	__u64 start, end;
};
_Static_assert(sizeof(struct wire_range) == 24, "kernel_range layout");

/* Written by the engine. */
struct wire_settings {
	struct delay_settings delay;
	__u64 window;                  /* number of the open window; 0 between windows */
	__u32 target_bank, scope_bank; /* 0 or 1 */
	__u32 counts[WIRE_BANKS];      /* ranges in use in each bank */
	__u32 pair_count;
	__u32 enable_callers; /* 1: a KERNEL_EVENT_CALLERS with every sample */
	__u32 enable_waits;   /* 1: time off CPU belongs to the code that waits */
	__u32 is_system_wide; /* 1: every process that is not left out is the program's */
	__u32 filter_by_name; /* 1: whether a process counts depends on its name (kernel_name) */
	__u32 enable_kernel;  /* 1: kernel code may be in scope or the target, with its callers */
	__u32 enable_system_calls; /* 1: system calls may be the target, and samples tell theirs */
	__u32 enable_classes;      /* bits (WAIT_CLASS_BIT): waits of these may be the target */
	__u32 classes_of_code;     /* 1: of the target's code only; 0: whatever code waits */
	__u32 classes; /* bits: the target is waits of these, and no time on CPU; 0: see wait.h */
	__u32 enable_spans; /* 1: open spans may be the target, and samples tell theirs */
	struct {
		__u32 begin, end; /* indices of points */
	} pairs[WIRE_PAIRS_MOST];
};

/*
 * How to get from a frame to its caller (x86-64): symbolize/unwind.h says what the rules mean. Rows
 * of an object are sorted by start, and one holds up to the next. Written by the engine before it
 * writes the object's entry in unwind_objects.
 */
struct wire_unwind_row {
	__u64 start; /* file offset */
	__s32 cfa_offset;
	__s16 frame_offset;
	__u8 rule;
	__u8 pad;
};
_Static_assert(sizeof(struct wire_unwind_row) == 16, "kernel_unwind_row layout");
#define WIRE_UNWIND_SP 1
#define WIRE_UNWIND_BP 2
#define WIRE_UNWIND_PLT 3
#define WIRE_UNWIND_SIGNAL 4
#define WIRE_UNWIND_END 5
#define WIRE_UNWIND_ROWS_MOST (1 << 20) /* of all objects */
#define WIRE_OBJECTS_MOST 4096

struct wire_unwind_object {
	__u32 first, count; /* rows; count 0: follow frame pointers */
};

/* A progress point. `total` is written by BPF (atomically), the rest by whoever defines it. */
struct wire_point {
	__u64 hash; /* of a lever.h point: FNV-1a of kind and name; of others: unique, even */
	__u64 total;
	__u32 kind; /* enum progress_points_kind, or KERNEL_POINT_* */
	__u32 pad;
	char name[48];
};
_Static_assert(sizeof(struct wire_point) == 72, "kernel_point layout");
#define WIRE_POINT_ENGINE 16    /* counted by a uprobe or a tracepoint that the engine attached */
#define WIRE_POINT_SAMPLED 17   /* total is sampled ns */
#define WIRE_POINT_CALL_RATE 18 /* a look at how often something is called */

/* Whose the visits of a point were. Written by BPF; those of more processes are in the total only. */
#define KERNEL_VISIT_KEYS_MOST 8192
struct kernel_visit_key {
	__u32 tgid;
	__u32 point;
};
struct kernel_visits {
	__u64 count;
	char command[16]; /* the process's, at its first visit */
};
_Static_assert(sizeof(struct kernel_visits) == 24, "kernel_visits layout");

/* First and last visit of a point in a window, as seen by one core. Written by BPF. */
struct kernel_edge {
	__u64 window;
	__u64 first_ns, first_delay_ns, first_total;
	__u64 last_ns, last_delay_ns, last_total;
	__u64 pad;
};
_Static_assert(sizeof(struct kernel_edge) == 64, "kernel_edge layout");

/* One core. Written by BPF on that core. */
struct kernel_cpu {
	struct delay_core delay;
	__u64 observed_ns; /* points were last looked at */
	__u64 displaced_ns; /* foreign tasks ran here while a runnable task of the program had no core,
			     * or the hypervisor took this core away from the program */
	__u64 ticks, idle_ticks, foreign_ticks, kernel_ticks;
	__u64 samples;      /* ticks in the program */
	__u64 waits;        /* times one of its tasks gave up the core to wait */
	__u64 task_wakeups; /* times one of its tasks woke another */
	__u64 sampled_ns;   /* weight of those */
	__u64 waited_ns;    /* off CPU, where that counts */
	__u64 target_samples, target_ns;
	__u64 tick_spins, wake_spins, switch_spins;
	__u64 capped;
	__u64 longest_spin_ns;
	__u64 overshoot_ns, spins;
	__u64 lost; /* samples that found the ring full */
	__u64 unwound_badly;
	__u64 failed_lookups; /* addresses whose mapping could not be read at the time */
	__s64 pair_ns
		[WIRE_PAIRS_MOST]; /* begun and not ended, times effective ns, in open windows */
	__s64 pair_weight_ns;
	__u32 hard_interrupts, soft_interrupts;
	__u16 raised_by_task, raised_by_device; /* softirqs, a bit for each vector */
	__u32 owes_more; /* the task on this core owes more than one pause: it pays at sched_exit_tp */
	__u32 is_finishing; /* it does: ticks meanwhile are part of that pause */
	__u32 pad;
	__u64 handled_ns; /* what ticks spent in BPF, without pauses */
} __attribute__((aligned(64)));

/* What did not fit. Written by BPF. */
struct kernel_totals {
	__u64 untracked_tasks; /* no memory for a new task's state: it is not profiled */
	__u64 untracked_spaces;
	__u64 lost_events;        /* process or object events that found the ring full */
	__u64 dropped_points;     /* more than WIRE_POINTS_MOST names */
	__u64 dropped_in_program; /* the program had no room for a name (lever.h) */
	__u32 next_space;         /* address spaces numbered so far */
	__u32 pad;
};
_Static_assert(sizeof(struct kernel_totals) == 48, "kernel_totals layout");

/* struct task_state of bpf/state.h, as far as the engine writes it (a new task's membership). */
#define KERNEL_TASK_STATE_BYTES 128
#define KERNEL_TASK_STATE_MEMBER 72 /* offset of is_member */
#define KERNEL_TASK_STATE_IN_TREE 77
#define KERNEL_TASK_STATE_EXCLUDED 78
#define KERNEL_TASK_STATE_UNDECIDED 79

/* A process's name (comm), and whether those of this name are profiled (enum kernel_name_decision). */
struct kernel_name {
	char text[16]; /* filled up with zeros */
};
enum kernel_name_decision {
	KERNEL_NAME_PENDING = 1,
	KERNEL_NAME_WANTED = 2,
	KERNEL_NAME_UNWANTED = 3
};
