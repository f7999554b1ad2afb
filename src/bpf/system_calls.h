/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* system_calls - the system call that a task is in, or has just left. */
#pragma once

#include "bpf/shared.h"

#define CALLS_MOST 4096 /* larger numbers are no system calls */

/* Registers saved by a system call, with the kernel's names; those of user space differ. */
#if defined(__TARGET_ARCH_x86)
struct pt_regs___kernel {
	unsigned long di, si, dx;
	unsigned long orig_ax;
} __attribute__((preserve_access_index));
#define CALL_FIRST(saved) ((saved)->di)
#define CALL_SECOND(saved) ((saved)->si)
#define CALL_THIRD(saved) ((saved)->dx)
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs___kernel {
	unsigned long pc;
} __attribute__((preserve_access_index));
struct pt_regs___kernel {
	u64 regs[31];
	u64 orig_x0; /* the first argument, also when the call has ended */
	int syscallno;
} __attribute__((preserve_access_index));
#define CALL_FIRST(saved) ((saved)->orig_x0)
#define CALL_SECOND(saved) ((saved)->regs[1])
#define CALL_THIRD(saved) ((saved)->regs[2])
#else
struct pt_regs___kernel {
	unsigned long orig_a0, a1, a2, a7, cause, tp;
} __attribute__((preserve_access_index));
#define CALL_FIRST(saved) ((saved)->orig_a0)
#define CALL_SECOND(saved) ((saved)->a1)
#define CALL_THIRD(saved) ((saved)->a2)
#define CAUSE_CALL 8
#endif

/* The system call that saved these registers; -1: none. */
static __always_inline int system_call_in(const struct pt_regs___kernel *saved)
{
#if defined(__TARGET_ARCH_x86)
	u64 call = saved->orig_ax;
#elif defined(__TARGET_ARCH_arm64)
	u64 call = (u64)saved->syscallno;
#else
	u64 call = saved->cause == CAUSE_CALL ? saved->a7 : -1;
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
 * read from the instructions before, in the form of compilers and libc.
 */
#if defined(__TARGET_ARCH_x86)
static __always_inline int system_call_left(u64 ip)
{
	u8 code[7] = {}; /* mov $NUMBER,%eax (or xor %eax,%eax); syscall */
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
}
#elif defined(__TARGET_ARCH_arm64)
static __always_inline int system_call_left(u64 ip)
{
	u32 code[4] = {}; /* mov x8, #NUMBER, up to two others; svc #0 */

	if (bpf_probe_read_user(code, sizeof(code), (void *)(ip - sizeof(code))) ||
	    code[3] != 0xd4000001)
		return -1;
	for (int i = 2; i >= 0; i--)
		if ((code[i] & 0x7fe0001f) == 0x52800008)
			return code[i] >> 5 & 0xffff;
	return -1;
}
#else
static __always_inline int system_call_left(u64 ip)
{
	return -1;
}
#endif
