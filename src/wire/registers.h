/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registers - what unwinding needs to know about the processor: where calls and frame records keep
 * the caller's registers, and where the kernel saves the registers that a signal interrupts.
 *
 * "bp" is the frame pointer everywhere: rbp, x29, s0.
 */
#pragma once

#include <linux/types.h>

#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)

#define WIRE_HAS_LINK 0  /* a call pushes its return address */
#define WIRE_RECORD_AT 0 /* of the frame record, from the frame pointer */
#define WIRE_RECORD_SP(bp) ((bp) + 16)
/* struct rt_sigframe: at the restorer, the stack pointer points to the ucontext. */
#define WIRE_SIGNAL_BP 120
#define WIRE_SIGNAL_SP 160
#define WIRE_SIGNAL_IP 168

#elif defined(__TARGET_ARCH_arm64) || defined(__aarch64__)

#define WIRE_HAS_LINK 1 /* a call leaves its return address in a register, which callees save */
#define WIRE_RECORD_AT 0
#define WIRE_RECORD_SP(bp) 0 /* a record is anywhere in its frame: it does not tell */
/* struct rt_sigframe: siginfo, then the ucontext. */
#define WIRE_SIGNAL_BP 544
#define WIRE_SIGNAL_LINK 552
#define WIRE_SIGNAL_SP 560
#define WIRE_SIGNAL_IP 568

#elif defined(__TARGET_ARCH_riscv) || defined(__riscv)

#define WIRE_HAS_LINK 1
#define WIRE_RECORD_AT -16
#define WIRE_RECORD_SP(bp) (bp)
#define WIRE_SIGNAL_IP 304
#define WIRE_SIGNAL_LINK 312
#define WIRE_SIGNAL_SP 320
#define WIRE_SIGNAL_BP 368

#else
#error "unwinding is not known for this processor"
#endif

/*
 * A return address without the bits of pointer authentication (arm64, paciasp). User code lies
 * below 2^48: higher addresses are given only to programs that ask for them by a hint.
 */
static inline __u64 wire_code_address(__u64 word)
{
#if defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
	return word & 0xffffffffffffull;
#else
	return word;
#endif
}
