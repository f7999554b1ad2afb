/* SPDX-License-Identifier: BSD-2-Clause */
/* stack_walk - the rules of wire/code.h, applied to a copy. */
#include "collect/perf/stack_walk.h"

#include <string.h>

/* struct rt_sigframe of x86-64: at the restorer, rsp points to the ucontext. */
#define UCONTEXT_BP 120
#define UCONTEXT_SP 160
#define UCONTEXT_IP 168

static bool read_word(const struct stack_copy *copy, uint64_t *word, uint64_t address)
{
	uint64_t at = address - copy->start;

	if (address < copy->start || at > copy->count || copy->count - at < sizeof(*word))
		return false;
	memcpy(word, copy->bytes + at, sizeof(*word));
	return true;
}

/* The last row that begins at or before the offset; NULL if there is none. */
static const struct wire_unwind_row *row_at(const struct wire_unwind_row *rows, size_t count,
					    uint64_t offset)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (rows[middle].start <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &rows[low - 1] : NULL;
}

static bool walk_by_pointer(const struct stack_copy *copy, struct stack_frame *frame)
{
	uint64_t caller_bp, caller_ip;

	if (!frame->bp)
		frame->ip = 0; /* as the ABI wants it of the outermost frame */
	if (frame->bp < frame->sp || !read_word(copy, &caller_bp, frame->bp) ||
	    !read_word(copy, &caller_ip, frame->bp + 8))
		return false;
	*frame = (struct stack_frame){.ip = caller_ip, .sp = frame->bp + 16, .bp = caller_bp};
	return caller_ip != 0;
}

static bool walk_signal(const struct stack_copy *copy, struct stack_frame *frame)
{
	uint64_t context = frame->sp;
	return read_word(copy, &frame->bp, context + UCONTEXT_BP) &&
	       read_word(copy, &frame->ip, context + UCONTEXT_IP) &&
	       read_word(copy, &frame->sp, context + UCONTEXT_SP);
}

static bool cfa_of(const struct wire_unwind_row *row, const struct stack_frame *frame,
		   uint64_t *cfa)
{
	uint64_t shift = (uint64_t)(int64_t)row->cfa_offset;

	if (row->rule == WIRE_UNWIND_SP)
		*cfa = frame->sp + shift;
	else if (row->rule == WIRE_UNWIND_BP)
		*cfa = frame->bp + shift;
	else if (row->rule == WIRE_UNWIND_PLT)
		*cfa = frame->sp + 8 + ((int32_t)(frame->ip & 15) >= row->cfa_offset ? 8 : 0);
	else
		return false;
	return true;
}

bool stack_walk(const struct stack_copy *copy, struct stack_frame *frame,
		const struct wire_unwind_row *rows, size_t count, uint64_t offset)
{
	const struct wire_unwind_row *row = row_at(rows, count, offset);
	uint64_t cfa;

	if (!row || !row->rule)
		return walk_by_pointer(copy, frame);
	if (row->rule == WIRE_UNWIND_SIGNAL)
		return walk_signal(copy, frame);
	if (row->rule == WIRE_UNWIND_END)
		frame->ip = 0;
	if (!cfa_of(row, frame, &cfa))
		return false;
	if (row->frame_offset &&
	    !read_word(copy, &frame->bp, cfa + (uint64_t)(int64_t)row->frame_offset))
		return false;
	if (!read_word(copy, &frame->ip, cfa - 8))
		return false;
	frame->sp = cfa;
	return frame->ip != 0;
}
