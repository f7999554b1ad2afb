/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events - samples, and events about files and processes, that the engine process reads from a
 * ring.
 *
 * Every event begins with its kind. Writer: BPF; of struct wire_sample also the runtime library.
 */
#pragma once

#include "wire/code.h"
#include "wire/wait_class.h"

#include <linux/types.h>

#define WIRE_PIDS_MOST (1 << 22) /* the most that pid_max can be */

enum kernel_event_kind {
	KERNEL_EVENT_SAMPLE = 1,
	KERNEL_EVENT_OBJECT = 2, /* a mapped file without a number */
	KERNEL_EVENT_EXEC = 3,
	KERNEL_EVENT_EXIT = 4, /* a member process ended */
	KERNEL_EVENT_FORK = 5,
	KERNEL_EVENT_CALLERS = 6, /* of a sample that follows; only with settings.enable_callers */
	KERNEL_EVENT_NAME = 7,    /* a new process name, to be decided about */
	KERNEL_EVENT_PYTHON_CODE = 8, /* a Python code object with a new number (wire/python.h) */
};

#define WIRE_SAMPLE_IN_KERNEL 1u  /* the core was in the kernel */
#define WIRE_SAMPLE_TARGET 2u     /* in the target */
#define WIRE_SAMPLE_NO_SCOPE 4u   /* no caller in scope was found */
#define WIRE_SAMPLE_SPEEDUP 8u    /* during a virtual speedup */
#define WIRE_SAMPLE_TRUNCATED 16u /* the chain ends before the outermost frame */
#define WIRE_SAMPLE_WAITING 32u   /* time off CPU */
#define WIRE_SAMPLE_CHAIN 64u     /* it is a kernel_chain */
#define WIRE_SAMPLE_SPINS 128u    /* on CPU, and waiting in a loop */
#define WIRE_SAMPLE_CLASS_SHIFT 8 /* enum wait_class of a wait; 0: on CPU */
#define WIRE_SAMPLE_CLASS_MASK 7u
#define WIRE_SAMPLE_CALLERS 2048u /* its callers were sent before it */

struct wire_sample {
	__u32 kind, flags;
	__u32 tgid, tid;
	__u64 weight_ns;
	__u64 time_ns;
	__u32 leaf_object, scope_object; /* of the leaf, and of the innermost frame in scope */
	__u64 leaf_offset, scope_offset;
	__u64 kernel_ip;   /* 0 in user mode */
	__s32 system_call; /* -1: none, or without enable_system_calls */
	__u32 span;        /* the point that began the innermost open span */
};
#define WIRE_SPAN_NONE (~0u)
_Static_assert(sizeof(struct wire_sample) == 72, "wire_sample layout");

#define KERNEL_CHAIN_MOST 32

/* With settings.enable_kernel, a sample in the kernel: the call chain, innermost first. */
struct kernel_chain {
	struct wire_sample sample;
	__u32 count, pad;
	__u32 user_object,
		pad_user; /* the innermost user code in scope; WIRE_OBJECT_UNKNOWN: none */
	__u64 user_offset;
	__u64 addresses[KERNEL_CHAIN_MOST];
};
_Static_assert(sizeof(struct kernel_chain) == 96 + 8 * KERNEL_CHAIN_MOST, "kernel_chain layout");

#define KERNEL_CALLERS_MOST 24

/* The user's frames of a sample, innermost first; the outermost are left out if there are more. */
struct kernel_callers {
	__u32 kind, count;
	__u32 tid, tgid;
	struct {
		__u32 object, pad;
		__u64 offset;
	} frames[KERNEL_CALLERS_MOST];
};
_Static_assert(sizeof(struct kernel_callers) == 400, "kernel_callers layout");

struct kernel_object_event {
	__u32 kind, tgid;
	struct wire_file file;
	__u64 start, end; /* of the mapping in that process */
};
_Static_assert(sizeof(struct kernel_object_event) == 40, "kernel_object_event layout");

struct kernel_name_event {
	__u32 kind, tgid;
	char name[16];
};
_Static_assert(sizeof(struct kernel_name_event) == 24, "kernel_name_event layout");

struct kernel_process_event {
	__u32 kind, tgid;
	__u32 parent, pad;
	char path[240]; /* exec: as given to execve */
};
_Static_assert(sizeof(struct kernel_process_event) == 256, "kernel_process_event layout");
