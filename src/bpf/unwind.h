/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * unwind - from a frame of user code to its caller, without frame pointers.
 *
 * By rows made from .eh_frame (wire/code.h). Code without rows (JIT code, vdso, files without
 * unwind information) is assumed to keep frame pointers.
 */
#pragma once

#include "bpf/shared.h"

#define UNWIND_STEPS_MOST 21 /* 2^21 > WIRE_UNWIND_ROWS_MOST */

struct frame {
	u64 ip, sp, bp;
};

struct row_search {
	u64 offset;
	u32 low, high;
};

static long row_step(u32 index, void *context)
{
	struct row_search *search = context;
	u32 middle = (search->low + search->high) / 2;

	if (search->low >= search->high)
		return 1;
	struct wire_unwind_row *row = bpf_map_lookup_elem(&unwind_rows, &middle);
	if (!row)
		return 1;
	if (row->start <= search->offset)
		search->low = middle + 1;
	else
		search->high = middle;
	return 0;
}

static __always_inline struct wire_unwind_row *unwind_row_at(const struct location *location)
{
	u32 object = location->object;
	if (object >= WIRE_OBJECTS_MOST)
		return NULL;
	u32 first = unwind_objects[object].first, count = unwind_objects[object].count;
	if (!count)
		return NULL;
	struct row_search search = {.offset = location->offset,
				    .low = first,
				    .high = first + count};
	bpf_loop(UNWIND_STEPS_MOST, row_step, &search, 0);
	if (search.low == first)
		return NULL;
	u32 found = search.low - 1;
	return bpf_map_lookup_elem(&unwind_rows, &found);
}

/* `other`: a task whose memory is read by a program that may sleep; NULL: the current task. */
static __always_inline bool read_word(struct task_struct *other, u64 *word, u64 address)
{
	if (other)
		return !bpf_copy_from_user_task(word, sizeof(*word), (void *)address, other, 0);
	return !bpf_probe_read_user(word, sizeof(*word), (void *)address);
}

static __always_inline bool unwind_by_frame_pointer(struct task_struct *other, struct frame *frame)
{
	u64 caller_bp, caller_ip;

	if (!frame->bp)
		frame->ip = 0; /* the outermost frame, by the ABI */
	if (frame->bp < frame->sp || !read_word(other, &caller_bp, frame->bp) ||
	    !read_word(other, &caller_ip, frame->bp + 8))
		return false;
	frame->sp = frame->bp + 16;
	frame->bp = caller_bp;
	frame->ip = caller_ip;
	return caller_ip != 0;
}

/* struct rt_sigframe of x86-64: at the restorer, rsp points to the ucontext. */
#define UCONTEXT_BP 120
#define UCONTEXT_SP 160
#define UCONTEXT_IP 168

static __always_inline bool unwind_signal(struct task_struct *other, struct frame *frame)
{
	u64 context = frame->sp;
	return read_word(other, &frame->bp, context + UCONTEXT_BP) &&
	       read_word(other, &frame->ip, context + UCONTEXT_IP) &&
	       read_word(other, &frame->sp, context + UCONTEXT_SP);
}

static __always_inline bool unwind_in(struct task_struct *other, struct frame *frame,
				      const struct location *location)
{
	struct wire_unwind_row *row = unwind_row_at(location);
	u64 cfa;

	if (!row || !row->rule)
		return unwind_by_frame_pointer(other, frame);
	if (row->rule == WIRE_UNWIND_SIGNAL)
		return unwind_signal(other, frame);
	if (row->rule == WIRE_UNWIND_SP)
		cfa = frame->sp + row->cfa_offset;
	else if (row->rule == WIRE_UNWIND_BP)
		cfa = frame->bp + row->cfa_offset;
	else if (row->rule == WIRE_UNWIND_PLT)
		cfa = frame->sp + 8 + ((s64)(frame->ip & 15) >= row->cfa_offset ? 8 : 0);
	else {
		if (row->rule == WIRE_UNWIND_END)
			frame->ip = 0;
		return false;
	}
	if (row->frame_offset && !read_word(other, &frame->bp, cfa + row->frame_offset))
		return false;
	if (!read_word(other, &frame->ip, cfa - 8))
		return false;
	frame->sp = cfa;
	return frame->ip != 0;
}

/* Moves to the caller. False at the outermost frame, with ip 0, and where the caller is unknown. */
__noinline int unwind(struct frame *frame, const struct location *location)
{
	if (!frame || !location)
		return false;
	return unwind_in(NULL, frame, location);
}
