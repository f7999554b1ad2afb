/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * settings - the experiment and the features that both engines of `lever run` take from the engine
 * process.
 *
 * Writer: the engine process, also while the program runs.
 */
#pragma once

#include "wire/code.h"
#include "wire/delay.h"

#include <linux/types.h>

#define WIRE_PAIRS_MOST 8 /* pairs of points with a latency */

struct wire_settings {
	struct delay_settings delay;
	__u64 window;                  /* number of the open window; 0: none is open */
	__u32 target_bank, scope_bank; /* 0 or 1: added to WIRE_BANK_TARGET and WIRE_BANK_SCOPE */
	__u32 counts[WIRE_BANKS];      /* ranges in each bank */
	__u32 pair_count;
	__u32 enable_callers; /* one of this many samples comes with its callers; 0: none */
	__u32 enable_waits;   /* 1: time off CPU belongs to the code that waits */
	__u32 is_system_wide; /* 1: every process that is not excluded is a member */
	__u32 has_peers;      /* 1: some processes pause with the program and are not its own */
	__u32 filter_by_name; /* 1: membership depends on the process's name (kernel_name) */
	__u32 enable_kernel;  /* 1: kernel code may be in scope or the target */
	__u32 enable_system_calls; /* 1: system calls may be the target; samples contain theirs */
	__u32 enable_classes;      /* WAIT_CLASS_BIT: waits of these classes may be the target */
	__u32 classes_of_code;     /* 1: only waits in the target's code; 0: in any code */
	__u32 classes;             /* WAIT_CLASS_BIT: waits of these are the target */
	__u32 enable_spans;        /* 1: open spans may be the target; samples contain theirs */
	__u32 spin_bank;           /* 0 or 1: added to WIRE_BANK_SPIN */
	__u32 inclusive_levels;    /* levels of ranges of WIRE_TARGET_INCLUSIVE, a bit each */
	__u32 target_levels; /* of the experiment's target; the others stand in controls, too */
	__u32 code_levels;   /* at which code is the target, and not only its waits */
	__u32 class_levels;  /* of the waits of `classes` */
	__u32 has_processes; /* 1: processes of a name are in the target */
	__u32 pad;
	struct {
		__u32 begin, end; /* indices of points */
	} pairs[WIRE_PAIRS_MOST];
};
