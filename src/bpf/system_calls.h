/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* system_calls - the system call that a task is in, or has just left. */
#pragma once

#include "bpf/shared.h"

#define CALLS_MOST 4096 /* larger numbers are no system calls */

/* Registers saved by a system call, with the kernel's names; those of user space differ. */
#ifdef __TARGET_ARCH_x86
struct pt_regs___kernel {
	unsigned long di, si, dx; /* its first arguments */
	unsigned long orig_ax;
} __attribute__((preserve_access_index));
#else
struct user_pt_regs___kernel {
	unsigned long pc;
} __attribute__((preserve_access_index));
struct pt_regs___kernel {
	u64 regs[31];
	u64 orig_x0; /* the first argument, until the call has ended */
	int syscallno;
} __attribute__((preserve_access_index));
#endif

/* The system call that saved these registers; -1: none. */
static __always_inline int system_call_in(const struct pt_regs___kernel *saved)
{
#ifdef __TARGET_ARCH_x86
	u64 call = saved->orig_ax;
#else
	u64 call = (u64)saved->syscallno;
#endif
	return call < CALLS_MOST ? (int)call : -1;
}

/* The system call that the task is in; -1 at a fault, in an interrupt, in a kernel thread. */
static __always_inline int system_call_of(struct task_struct *task)
{
	return task->flags & PF_KTHREAD ? -1 : system_call_in((void *)bpf_task_pt_regs(task));
}

/*
 * The system call that has just returned to `ip`, in user code; -1: none. The kernel is left with
 * interrupts off, so a tick that is due then hits the instruction after the call. The number is
 * read from the instructions before, in the form of compilers and libc: mov $NUMBER,%eax (or xor
 * %eax,%eax); syscall.
 */
static __always_inline int system_call_left(u64 ip)
{
#ifdef __TARGET_ARCH_x86
	u8 code[7] = {};
	u32 number;

	if (bpf_probe_read_user(code, sizeof(code), (void *)(ip - sizeof(code))) ||
	    code[5] != 0x0f || code[6] != 0x05)
		return -1;
	if (code[3] == 0x31 && code[4] == 0xc0)
		return 0;
	if (code[0] != 0xb8)
		return -1;
	number = code[1] | code[2] << 8 | code[3] << 16 | (u32)code[4] << 24;
	return number < CALLS_MOST ? (int)number : -1;
#else
	return -1;
#endif
}
