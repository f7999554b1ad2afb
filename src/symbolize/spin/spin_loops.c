/* SPDX-License-Identifier: BSD-2-Clause */
/* spin_loops - judges each loop of a function, inner loops before outer ones. */
#include "symbolize/spin/spin_loops.h"

#include "symbolize/spin/iteration.h"

struct candidate {
	size_t header, latch; /* indices of instructions */
	bool waits;           /* it may be part of a spin loop */
};

struct candidates {
	struct candidate *items;
	size_t count, capacity;
};

static int by_length(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;
	size_t own = left->latch - left->header, other = right->latch - right->header;

	if (own != other)
		return own < other ? -1 : 1;
	return left->header < right->header ? -1 : left->header > right->header;
}

static void find_candidates(const struct loop_instructions *instructions,
			    struct candidates *candidates)
{
	for (size_t i = 0; i < instructions->count; i++) {
		const struct instruction *one = &instructions->items[i];
		if ((one->flow != FLOW_BRANCH && one->flow != FLOW_JUMP) || !one->target ||
		    one->target > one->address)
			continue;
		size_t header = loop_instructions_at(instructions, one->target);
		if (header < instructions->count)
			*array_add(candidates) = (struct candidate){.header = header, .latch = i};
	}
	if (candidates->count)
		qsort(candidates->items, candidates->count, sizeof(*candidates->items), by_length);
}

static bool holds(const struct loop *loop, uint64_t address)
{
	for (uint32_t i = 0; i < loop->own; i++)
		if (loop->nodes[i].instruction.address == address)
			return true;
	return false;
}

/* Inner loops are shorter, and so are judged before. */
static bool inner_loops_wait(const struct loop *loop, const struct loop_instructions *instructions,
			     const struct candidates *candidates, size_t judged)
{
	uint64_t header = loop->nodes[loop->header].instruction.address;

	for (size_t i = 0; i < judged; i++) {
		const struct candidate *inner = &candidates->items[i];
		uint64_t from = instructions->items[inner->header].address;
		uint64_t to = instructions->items[inner->latch].address;
		if (!inner->waits && from != header && holds(loop, from) && holds(loop, to))
			return false;
	}
	return true;
}

static void add_ranges(const struct loop *loop, struct spin_ranges *ranges)
{
	for (uint32_t i = 0; i < loop->own; i++) {
		const struct instruction *one = &loop->nodes[i].instruction;
		struct spin_range *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
		if (i && last && last->end == one->address)
			last->end += one->length;
		else
			*array_add(ranges) = (struct spin_range){.start = one->address,
								 .end = one->address + one->length};
	}
	for (uint32_t i = 0; i < loop->helper_count; i++)
		*array_add(ranges) = (struct spin_range){.start = loop->helpers[i][0],
							 .end = loop->helpers[i][1],
							 .is_helper = true};
}

void spin_loops_find(const struct loop_code *code, const struct loop_function *function,
		     struct spin_ranges *ranges)
{
	struct loop_instructions instructions;
	struct candidates candidates = {0};
	struct loop *loop = memory_new(1, sizeof(*loop));

	loop_instructions_read(function, &instructions);
	find_candidates(&instructions, &candidates);
	for (size_t i = 0; i < candidates.count; i++) {
		struct candidate *one = &candidates.items[i];
		if (!loop_find(code, &instructions, one->header, one->latch, loop) ||
		    !loop->is_understood)
			continue;
		struct iteration iteration = iteration_analyze(loop);
		bool repeats =
			iteration.repeats && inner_loops_wait(loop, &instructions, &candidates, i);
		one->waits = repeats && (iteration.has_poll || iteration.has_pause);
		if (repeats && iteration.has_poll)
			add_ranges(loop, ranges);
	}
	array_free(&candidates);
	loop_instructions_clear(&instructions);
	free(loop);
}
