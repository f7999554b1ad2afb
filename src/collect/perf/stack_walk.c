/* SPDX-License-Identifier: BSD-2-Clause */
/* stack_walk - the rules of wire/code.h, applied to a copy. */
#include "collect/perf/stack_walk.h"

#include "wire/unwind.h"

#include <string.h>

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
	uint64_t caller_bp, caller_ip, record = frame->bp + (uint64_t)(int64_t)WIRE_RECORD_AT;

	if (!frame->bp)
		frame->ip = 0; /* as the ABI wants it of the outermost frame */
	if (frame->bp < frame->sp || !read_word(copy, &caller_bp, record) ||
	    !read_word(copy, &caller_ip, record + 8))
		return false;
	*frame = (struct stack_frame){.ip = wire_code_address(caller_ip),
				      .sp = WIRE_RECORD_SP(frame->bp),
				      .bp = caller_bp};
	return caller_ip != 0;
}

static bool walk_signal(const struct stack_copy *copy, struct stack_frame *frame)
{
	uint64_t context = frame->sp;

#if WIRE_HAS_LINK
	if (!read_word(copy, &frame->link, context + WIRE_SIGNAL_LINK))
		return false;
#endif
	return read_word(copy, &frame->bp, context + WIRE_SIGNAL_BP) &&
	       read_word(copy, &frame->ip, context + WIRE_SIGNAL_IP) &&
	       read_word(copy, &frame->sp, context + WIRE_SIGNAL_SP);
}

/* The return address into frame->ip. False: it is unknown. */
static bool walk_return(const struct stack_copy *copy, struct stack_frame *frame,
			const struct wire_unwind_row *row, uint64_t cfa)
{
	uint64_t ip = frame->link;

	frame->link = 0;
	if (!wire_unwind_has_link(row) && !read_word(copy, &ip, wire_unwind_return_at(row, cfa)))
		return false;
	frame->ip = wire_code_address(ip);
	frame->sp = cfa;
	return frame->ip != 0;
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
	if (!wire_unwind_cfa(row, frame->ip, frame->sp, frame->bp, (__u64 *)&cfa))
		return false;
	if (wire_unwind_cfa_is_saved(row)) {
		if (!read_word(copy, &cfa, cfa))
			return false;
		cfa += wire_unwind_saved_less(row);
	}
	if (wire_unwind_saves_bp(row) &&
	    !read_word(copy, &frame->bp, cfa + (uint64_t)(int64_t)row->frame_offset))
		return false;
	return walk_return(copy, frame, row, cfa);
}
