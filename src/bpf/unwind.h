/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * unwind - from a frame of user code to its caller, without frame pointers.
 *
 * By rows made from .eh_frame (wire/code.h). Code without rows (JIT code, vdso, files without
 * unwind information) is assumed to keep frame pointers.
 */
#pragma once

#include "bpf/shared.h"
#include "bpf/system_calls.h"
#include "wire/unwind.h"

#define UNWIND_STEPS_MOST 21 /* 2^21 > WIRE_UNWIND_ROWS_MOST */

struct frame {
	u64 ip, sp, bp;
#if WIRE_HAS_LINK
	u64 link; /* 0: of a caller, and so unknown */
#endif
};

/*
 * The innermost frame of a task that is in the kernel. An instruction that faulted is shown by
 * itself, not by the next one as in a sample (symbolize/skid.h): its second byte is told.
 */
static __always_inline void frame_read(struct frame *frame, struct task_struct *task)
{
	const struct pt_regs *registers = (void *)bpf_task_pt_regs(task);

	bpf_probe_read_kernel(&frame->ip, 8, &PT_REGS_IP(registers));
	bpf_probe_read_kernel(&frame->sp, 8, &PT_REGS_SP(registers));
	bpf_probe_read_kernel(&frame->bp, 8, &PT_REGS_FP(registers));
#if WIRE_HAS_LINK
	bpf_probe_read_kernel(&frame->link, 8, &PT_REGS_RET(registers));
#endif
	frame->ip += frame->ip && system_call_of(task) < 0;
}

static __always_inline void frame_take(struct frame *frame, struct bpf_perf_event_data *context)
{
	frame->ip = PT_REGS_IP(&context->regs);
	frame->sp = PT_REGS_SP(&context->regs);
	frame->bp = PT_REGS_FP(&context->regs);
#if WIRE_HAS_LINK
	frame->link = PT_REGS_RET(&context->regs);
#endif
}

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
	u64 caller_bp, caller_ip, record = frame->bp + WIRE_RECORD_AT;

	if (!frame->bp)
		frame->ip = 0; /* the outermost frame, by the ABI */
	if (frame->bp < frame->sp || !read_word(other, &caller_bp, record) ||
	    !read_word(other, &caller_ip, record + 8))
		return false;
	frame->sp = WIRE_RECORD_SP(frame->bp);
	frame->bp = caller_bp;
	frame->ip = wire_code_address(caller_ip);
	return caller_ip != 0;
}

static __always_inline bool unwind_signal(struct task_struct *other, struct frame *frame)
{
	u64 context = frame->sp;
#if WIRE_HAS_LINK
	if (!read_word(other, &frame->link, context + WIRE_SIGNAL_LINK))
		return false;
#endif
	return read_word(other, &frame->bp, context + WIRE_SIGNAL_BP) &&
	       read_word(other, &frame->ip, context + WIRE_SIGNAL_IP) &&
	       read_word(other, &frame->sp, context + WIRE_SIGNAL_SP);
}

/* The return address into frame->ip. False: it is unknown. */
static __always_inline bool unwind_return(struct task_struct *other, struct frame *frame,
					  const struct wire_unwind_row *row, u64 cfa)
{
#if WIRE_HAS_LINK
	u64 link = frame->link;

	frame->link = 0;
	if (wire_unwind_has_link(row)) {
		frame->ip = wire_code_address(link);
		return true;
	}
#endif
	if (!read_word(other, &frame->ip, wire_unwind_return_at(row, cfa)))
		return false;
	frame->ip = wire_code_address(frame->ip);
	return true;
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
	if (!wire_unwind_cfa(row, frame->ip, frame->sp, frame->bp, &cfa)) {
		if (row->rule == WIRE_UNWIND_END)
			frame->ip = 0;
		return false;
	}
	if (wire_unwind_cfa_is_saved(row)) {
		if (!read_word(other, &cfa, cfa))
			return false;
		cfa += wire_unwind_saved_less(row);
	}
	if (wire_unwind_saves_bp(row) && !read_word(other, &frame->bp, cfa + row->frame_offset))
		return false;
	if (!unwind_return(other, frame, row, cfa))
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
