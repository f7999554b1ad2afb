/* SPDX-License-Identifier: BSD-2-Clause */
/* retry_loops - looks for the shortest loop around each compare-and-exchange. */
#include "symbolize/spin/retry_loops.h"

#include <string.h>

#define BRANCH_WITHIN 8 /* instructions, from the exchange to the branch that depends on it */
#define SKIPPED_MOST 4

bool retry_loops_may_be(const struct loop_function *function)
{
	uint64_t size = function->end - function->start;

	for (uint64_t i = 0; i + 1 < size; i++) {
		const uint8_t *found = memchr(function->bytes + i, 0x0f, size - i - 1);
		if (!found)
			return false;
		i = (uint64_t)(found - function->bytes);
		if (found[1] == 0xb0 || found[1] == 0xb1)
			return true;
	}
	return false;
}

/* The index of the next branch, or the count. */
static size_t next_branch(const struct loop_instructions *instructions, size_t from)
{
	size_t at = from;

	while (at < instructions->count && at < from + BRANCH_WITHIN &&
	       instructions->items[at].flow == FLOW_NEXT)
		at++;
	return at < instructions->count && instructions->items[at].flow == FLOW_BRANCH ?
		       at :
		       instructions->count;
}

/* Where a branch that leaves out a few instructions leads; else the count. */
static size_t after_skip(const struct loop_instructions *instructions, size_t branch)
{
	size_t to = loop_instructions_at(instructions, instructions->items[branch].target);

	if (to <= branch || to > branch + SKIPPED_MOST)
		return instructions->count;
	for (size_t at = branch + 1; at < to; at++)
		if (instructions->items[at].flow != FLOW_NEXT)
			return instructions->count;
	return to;
}

/* The branch that tells success, or the count. Code at -O0 stores what was found before that. */
static size_t branch_after(const struct loop_instructions *instructions, size_t exchange)
{
	size_t branch = next_branch(instructions, exchange);
	size_t after = branch < instructions->count ? after_skip(instructions, branch) :
						      instructions->count;

	return after < instructions->count ? next_branch(instructions, after) : branch;
}

struct retry {
	size_t exchange, branch;
	size_t header, latch; /* the shortest loop that was found; latch 0: none */
	bool is_in[LOOP_REGION_MOST];
};

/* A jump back around the exchange; it is kept if the exchange is in its loop. */
static void try_latch(const struct loop_instructions *instructions, size_t latch,
		      struct retry *retry)
{
	const struct instruction *jump = &instructions->items[latch];
	bool is_in[LOOP_REGION_MOST];

	if ((jump->flow != FLOW_BRANCH && jump->flow != FLOW_JUMP) || !jump->target ||
	    jump->target > instructions->items[retry->exchange].address)
		return;
	size_t header = loop_instructions_at(instructions, jump->target);
	if (header > retry->exchange ||
	    (retry->latch && latch - header >= retry->latch - retry->header))
		return;
	if (!loop_region(instructions, header, latch, is_in) || !is_in[retry->exchange - header])
		return;
	retry->header = header;
	retry->latch = latch;
	memcpy(retry->is_in, is_in, sizeof(is_in));
}

static bool holds(const struct retry *retry, size_t at)
{
	return at >= retry->header && at <= retry->latch && retry->is_in[at - retry->header];
}

/* One way from the branch stays in the loop, and one leaves it. */
static bool is_retry(const struct loop_instructions *instructions, const struct retry *retry)
{
	const struct instruction *branch = &instructions->items[retry->branch];
	size_t taken = branch->target ? loop_instructions_at(instructions, branch->target) :
					instructions->count;
	bool falls_in = holds(retry, retry->branch + 1);

	/* A jump back by the branch itself is the loop's end. */
	return retry->latch && holds(retry, retry->branch) && holds(retry, taken) != falls_in;
}

static void add_ranges(const struct loop_instructions *instructions, const struct retry *retry,
		       struct spin_ranges *ranges)
{
	for (size_t at = retry->header; at <= retry->latch; at++) {
		const struct instruction *one = &instructions->items[at];
		struct spin_range *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
		if (!holds(retry, at))
			continue;
		if (at > retry->header && last && last->end == one->address)
			last->end += one->length;
		else
			*array_add(ranges) = (struct spin_range){.start = one->address,
								 .end = one->address + one->length};
	}
}

void retry_loops_find(const struct loop_function *function, struct spin_ranges *ranges)
{
	struct loop_instructions instructions;

	if (!retry_loops_may_be(function))
		return;
	loop_instructions_read(function, &instructions);
	for (size_t i = 0; i < instructions.count; i++) {
		struct retry retry = {.exchange = i, .branch = instructions.count};
		if (instructions.items[i].effect != EFFECT_COMPARE_EXCHANGE)
			continue;
		retry.branch = branch_after(&instructions, i);
		for (size_t latch = retry.branch;
		     latch < instructions.count && latch < i + LOOP_REGION_MOST; latch++)
			try_latch(&instructions, latch, &retry);
		if (is_retry(&instructions, &retry))
			add_ranges(&instructions, &retry, ranges);
	}
	loop_instructions_clear(&instructions);
}
