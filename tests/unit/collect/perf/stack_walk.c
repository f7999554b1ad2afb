/* SPDX-License-Identifier: BSD-2-Clause */
/* stack_walk - callers by rows and by frame pointers, and what a copy that ends does. */
#include "check.h"

#include "collect/perf/stack_walk.h"

#define START 0x7ffc00001000u

static const uint64_t words[8] = {11, START + 48, 0x4005, 13, 14, 0x4006, 0, 0x4007};
static const struct stack_copy copy = {START, (const unsigned char *)words, sizeof(words)};

TEST("a row by the stack pointer finds the return address, and leaves the frame pointer")
{
	const struct wire_unwind_row rows[] = {
		{.start = 0x100, .rule = WIRE_UNWIND_SP, .cfa_offset = 8},
		{.start = 0x110, .rule = WIRE_UNWIND_SP, .cfa_offset = 24},
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
					    .frame_offset = -16};
	struct stack_frame frame = {.ip = 0x4001, .sp = START, .bp = 5};
	CHECK(stack_walk(&copy, &frame, &row, 1, 0x100));
	CHECK(frame.ip == 0x4005);
	CHECK(frame.bp == START + 48);
}

TEST("without rows the frame pointer is followed, up to one of zero")
{
	struct stack_frame frame = {.ip = 0x4001, .sp = START, .bp = START + 8};
	CHECK(stack_walk(&copy, &frame, NULL, 0, 0));
	CHECK(frame.ip == 0x4005);
	CHECK(frame.sp == START + 24);
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
