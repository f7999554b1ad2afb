/* SPDX-License-Identifier: BSD-2-Clause */
/* stack_walk - callers by rows and by frame pointers, and what a copy that ends does. */
#include "check.h"

#include "collect/perf/stack_walk.h"
#include "wire/registers.h"

#define START 0x7ffc00001000u

/* Of the return address at CFA - 8, beside no saved register or the frame pointer. */
#define RETURN_ALONE .frame_offset = WIRE_HAS_LINK ? -8 : 0
#define RETURN_BESIDE .frame_offset = -16, .return_slot = WIRE_HAS_LINK

static const uint64_t words[8] = {11, START + 48, 0x4005, 13, 14, 0x4006, 0, 0x4007};
static const struct stack_copy copy = {START, (const unsigned char *)words, sizeof(words)};

TEST("a row by the stack pointer finds the return address, and leaves the frame pointer")
{
	const struct wire_unwind_row rows[] = {
		{.start = 0x100, .rule = WIRE_UNWIND_SP, .cfa_offset = 8, RETURN_ALONE},
		{.start = 0x110, .rule = WIRE_UNWIND_SP, .cfa_offset = 24, RETURN_ALONE},
	};
	struct stack_frame frame = {.ip = 0x4001, .sp = START, .bp = 5};
	CHECK(stack_walk(&copy, &frame, rows, 2, 0x11f));
	CHECK(frame.ip == 0x4005);
	CHECK(frame.sp == START + 24);
	CHECK(frame.bp == 5);
}

TEST("a row that saved the frame pointer gives the caller's")
{
	const struct wire_unwind_row row = {.start = 0x100,
					    .rule = WIRE_UNWIND_SP,
					    .cfa_offset = 24,
					    RETURN_BESIDE};
	struct stack_frame frame = {.ip = 0x4001, .sp = START, .bp = 5};
	CHECK(stack_walk(&copy, &frame, &row, 1, 0x100));
	CHECK(frame.ip == 0x4005);
	CHECK(frame.bp == START + 48);
}

TEST("without rows the frame pointer is followed, up to one of zero")
{
	struct stack_frame frame = {.ip = 0x4001,
				    .sp = START,
				    .bp = START + 8 - (uint64_t)WIRE_RECORD_AT};
	CHECK(stack_walk(&copy, &frame, NULL, 0, 0));
	CHECK(frame.ip == 0x4005);
	CHECK(frame.sp == WIRE_RECORD_SP(START + 8 - (uint64_t)WIRE_RECORD_AT));
	if (WIRE_RECORD_AT)
		SKIP("the copy's second record is made for frame pointers that point to it");
	CHECK(stack_walk(&copy, &frame, NULL, 0, 0));
	CHECK(frame.ip == 0x4007);
	CHECK(!stack_walk(&copy, &frame, NULL, 0, 0));
	CHECK(frame.ip == 0); /* the end, not a cut */
}

TEST("what lies behind the copy's end is not read, and the chain is cut")
{
	const struct wire_unwind_row row = {.start = 0, .rule = WIRE_UNWIND_SP, .cfa_offset = 80};
	struct stack_frame frame = {.ip = 0x4001, .sp = START, .bp = UINT64_MAX - 4};
	CHECK(!stack_walk(&copy, &frame, &row, 1, 0));
	CHECK(frame.ip == 0x4001);
	CHECK(!stack_walk(&copy, &frame, NULL, 0, 0));
	CHECK(frame.ip == 0x4001);
}

TEST("the outermost frame by its row ends the chain")
{
	const struct wire_unwind_row row = {.start = 0, .rule = WIRE_UNWIND_END};
	struct stack_frame frame = {.ip = 0x4001, .sp = START, .bp = 1};
	CHECK(!stack_walk(&copy, &frame, &row, 1, 0));
	CHECK(frame.ip == 0);
}

#if !WIRE_HAS_LINK
TEST("a saved CFA is read, by the stack pointer or by the frame pointer")
{
	const struct wire_unwind_row by_sp = {.rule = WIRE_UNWIND_SP_SAVED,
					      .cfa_offset = 8,
					      .return_slot = -3};
	const struct wire_unwind_row by_bp = {.rule = WIRE_UNWIND_BP_SAVED, .cfa_offset = -8};
	struct stack_frame frame = {.ip = 0x4001, .sp = START, .bp = 5};
	CHECK(stack_walk(&copy, &frame, &by_sp, 1, 0));
	CHECK(frame.ip == 0x4005);
	CHECK(frame.sp == START + 24);
	CHECK(frame.bp == 5);
	frame = (struct stack_frame){.ip = 0x4001, .sp = START + 24, .bp = START + 16};
	CHECK(stack_walk(&copy, &frame, &by_bp, 1, 0));
	CHECK(frame.ip == 0x4006);
	CHECK(frame.sp == START + 48);
}
#endif

#if WIRE_HAS_LINK
TEST("a leaf's caller is in the link register, and no caller's is")
{
	const struct wire_unwind_row row = {.start = 0,
					    .rule = WIRE_UNWIND_SP,
					    .return_slot = WIRE_RETURN_IN_LINK};
	struct stack_frame frame = {.ip = 0x4001, .sp = START, .bp = 5, .link = 0x4003};
	CHECK(stack_walk(&copy, &frame, &row, 1, 0));
	CHECK(frame.ip == 0x4003);
	CHECK(frame.sp == START);
	CHECK(!stack_walk(&copy, &frame, &row, 1, 0));
}

TEST("after a frame record, whose end is unknown, the CFA is found by the next record")
{
	const struct wire_unwind_row row = {.start = 0,
					    .rule = WIRE_UNWIND_SP,
					    .cfa_offset = 32,
					    RETURN_BESIDE};
	struct stack_frame frame = {.ip = 0x4001, .sp = 0, .bp = START + 8};
	CHECK(stack_walk(&copy, &frame, &row, 1, 0));
	CHECK(frame.ip == 0x4005);
	CHECK(frame.sp == START + 24);
	CHECK(frame.bp == START + 48);
}
#endif

#ifdef __aarch64__
TEST("a signed return address is its address")
{
	CHECK(wire_code_address(0x003a0000aabbccddull) == 0xaabbccddull);
	CHECK(wire_code_address(0xffba7fffaabbccddull) == 0x7fffaabbccddull);
}
#endif
