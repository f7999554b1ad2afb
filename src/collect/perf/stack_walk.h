/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_walk - from a frame to its caller in a copy of a stack, by unwind rows. bpf/unwind.h does
 * the same in the kernel; this is for samples that come without BPF.
 */
#pragma once

#include "wire/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_frame {
	uint64_t ip, sp, bp;
	uint64_t link; /* the register of that name, of the innermost frame; else 0 */
};

struct stack_copy {
	uint64_t start; /* address of the first byte */
	const unsigned char *bytes;
	uint64_t count;
};

/*
 * Moves to the caller. False at the outermost frame, whose ip is then 0; false also where the copy
 * ends or no rule is known. `rows` are those of the frame's object, and `offset` is the ip's offset
 * in it; without rows the frame pointer is followed.
 */
bool stack_walk(const struct stack_copy *copy, struct stack_frame *frame,
		const struct wire_unwind_row *rows, size_t count, uint64_t offset);
