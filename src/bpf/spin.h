/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * spin - whether a thread waits without giving up its core, by the instructions made for that.
 */
#pragma once

#include "bpf/shared.h"

#define SPIN_BYTES 24 /* of code, around the instruction pointer */

#if defined(__TARGET_ARCH_arm64)
static __always_inline bool is_pause_word(u32 word)
{
	return word == 0xd503203f || word == 0xd5033fdf || word == 0xd503205f; /* yield, isb, wfe */
}
#elif !defined(__TARGET_ARCH_x86)
static __always_inline bool is_pause_word(u32 word)
{
	return word == 0x0100000f; /* riscv: pause */
}
#endif

/*
 * Whether the thread is at a pause instruction or its like. A thread in a loop around one mostly
 * is, since the instruction takes far longer than the rest of the loop. A function of its own, so
 * that the verifier checks it once.
 */
__noinline int is_at_pause(u64 address)
{
	u8 code[SPIN_BYTES] __attribute__((aligned(8)));

	if (bpf_probe_read_user(code, sizeof(code), (void *)(address - SPIN_BYTES / 2)))
		return false;
#if defined(__TARGET_ARCH_x86)
	for (int i = 0; i + 1 < SPIN_BYTES; i++)
		if (code[i] == 0xf3 && code[i + 1] == 0x90) /* pause */
			return true;
#else
	for (int i = 0; i + 3 < SPIN_BYTES; i += 4)
		if (is_pause_word(*(u32 *)&code[i]))
			return true;
#endif
	return false;
}

/* The thread that a tick interrupts. */
static __always_inline bool spins(struct bpf_perf_event_data *context)
{
	u64 ip = PT_REGS_IP(&context->regs);

	return !(ip >> 63) && is_at_pause(ip);
}
