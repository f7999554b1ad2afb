/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel - what the engine process and the BPF programs of the kernel engine share beside the
 * settings: counters of each core, losses, and membership.
 *
 * All of it is in memory that both sides map. Each struct names its writer. Times are nanoseconds
 * of CLOCK_MONOTONIC (bpf_ktime_get_ns). Types have fixed sizes, padding is explicit.
 */
#pragma once

#include "wire/code.h"
#include "wire/delay_budget.h"
#include "wire/delay_run.h"
#include "wire/delay_turn.h"
#include "wire/events.h"
#include "wire/progress.h"
#include "wire/settings.h"
#include "wire/span_lengths.h"

#include <linux/types.h>

#define KERNEL_CPUS_MOST 1024

/* One core. Writer: BPF on that core. */
struct kernel_cpu {
	struct delay_core delay;
	struct delay_turn turn;
	struct delay_run run;
	__u64 run_ns;       /* the program's CPU time since the tick before, in the present one */
	__u64 observed_ns;  /* last poll of the points */
	__u64 displaced_ns; /* a foreign task or another virtual machine had the core, while a
			     * runnable task of the program had none */
	__u64 crowded_ns;   /* weight of samples at which a task of the program waited for a core */
	__u64 unused_ns;    /* the same, while another core was idle; for each core that was */
	__u64 ticks;
	__u64 samples;                   /* ticks in the program */
	__u64 hand_overs;                /* a task of the program woke another, or spinning ended */
	__u64 timed_waits;               /* a timer ended a wait */
	__u64 short_naps, short_naps_ns; /* after which a task went on (delay_turn_nap) */
	struct delay_spin_repeats spin_repeats;
	__u64 sampled_ns; /* weight of the samples */
	__u64 waited_ns;  /* off CPU, with enable_waits */
	__u64 target_samples, target_ns;
	__u64 tick_spins, wake_spins, switch_spins;
	__u64 capped; /* pauses that ended at cap_ns */
	__u64 longest_spin_ns;
	__u64 overshoot_ns, spins;
	__u64 lost;                             /* samples that found the ring full */
	__u64 unwound_badly;                    /* samples without a caller in scope */
	__u64 failed_lookups;                   /* addresses whose mapping was locked at the time */
	__s64 pair_ns[WIRE_PAIRS_MOST];         /* open spans x effective ns, in open windows */
	__s64 pair_weight_ns;                   /* effective ns in open windows */
	__u32 hard_interrupts, soft_interrupts; /* being handled */
	__u16 raised_by_task, raised_by_device; /* softirqs, a bit for each vector */
	__u32 owes_more; /* the current task owes more than one pause; it pays at sched_exit_tp */
	__u32 is_finishing;     /* it pays there; ticks meanwhile are part of that pause */
	__u8 is_receiving;      /* packets are being handled */
	__u8 is_expiring;       /* a timer of high resolution is */
	__u8 has_user_task;     /* neither idle nor a kernel thread is current */
	__u8 has_message;       /* the packet handled last was another host's (wire/hosts.h) */
	__u32 is_idle, pad;     /* no task is current */
	__u64 message_delay_ns; /* which it carried */
	__u64 handled_ns;       /* time of ticks in BPF, without pauses */
	struct delay_budget budget;
} __attribute__((aligned(64)));

/* Losses. Writer: BPF. */
struct kernel_totals {
	__u64 untracked_tasks; /* no memory for a task's state: it is not profiled */
	__u64 untracked_spaces;
	__u64 lost_events;        /* events about processes or objects that found the ring full */
	__u64 dropped_points;     /* names beyond WIRE_POINTS_MOST */
	__u64 dropped_in_program; /* names beyond POINTS_MOST in a program (lever.h) */
	__u32 next_space;         /* address spaces numbered so far */
	__u32 has_deep_spans;     /* a thread had more open spans than SPAN_TRACKER_DEPTH */
};
_Static_assert(sizeof(struct kernel_totals) == 48, "kernel_totals layout");

/*
 * struct task_state of bpf/state.h; the engine writes these bytes to make a running task a member.
 */
#define KERNEL_TASK_STATE_BYTES 160
#define KERNEL_TASK_STATE_MEMBER 96 /* offsets */
#define KERNEL_TASK_STATE_PEER 99
#define KERNEL_TASK_STATE_IN_TREE 101
#define KERNEL_TASK_STATE_EXCLUDED 102
#define KERNEL_TASK_STATE_UNDECIDED 103

/* A process's name (comm), and the engine's decision about it. */
struct kernel_name {
	char text[16]; /* filled up with zeros */
};
/* An offset in WIRE_OBJECT_PROCESSES. */
static inline __u64 kernel_name_key(const struct kernel_name *name)
{
	__u64 halves[2];

	__builtin_memcpy(halves, name->text, sizeof(halves));
	return (halves[0] ^ halves[1] * 0x9e3779b97f4a7c15ull) & ~(1ull << 63);
}

enum kernel_name_decision {
	KERNEL_NAME_PENDING = 1,
	KERNEL_NAME_WANTED = 2,
	KERNEL_NAME_UNWANTED = 3
};
