/* SPDX-License-Identifier: BSD-2-Clause */
/* loop - reads a function's instructions, and follows them around backward jumps. */
#include "symbolize/spin/loop.h"

#include <string.h>

#define OWN_NODES_MOST 64 /* of a loop, without helpers */
#define HELPER_MOST 40    /* instructions of a function that a loop may call */
#define HELPER_DEPTH 3
#define PROLOGUE 12 /* instructions within which a frame pointer is set up */
#define STUB_MOST 4 /* instructions of an entry of a procedure linkage table */

void loop_instructions_clear(struct loop_instructions *instructions)
{
	array_free(instructions);
}

static bool sets_frame(const struct instruction *instruction)
{
	return instruction->effect == EFFECT_MOVES && !instruction->memory.is_read &&
	       instruction->writes == 1ull << MACHINE_BP &&
	       instruction->reads == 1ull << MACHINE_SP;
}

void loop_instructions_read(const struct loop_function *function,
			    struct loop_instructions *instructions)
{
	uint64_t address = function->start;

	*instructions = (struct loop_instructions){0};
	while (address < function->end) {
		struct instruction one;
		if (!instruction_decode(function->bytes + (address - function->start),
					function->end - address, address, &one))
			return;
		if (instructions->count < PROLOGUE && sets_frame(&one))
			instructions->has_frame = true;
		*array_add(instructions) = one;
		address += one.length;
	}
}

size_t loop_instructions_at(const struct loop_instructions *instructions, uint64_t address)
{
	size_t low = 0, high = instructions->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (instructions->items[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < instructions->count && instructions->items[low].address == address ?
		       low :
		       instructions->count;
}

/* ---- which instructions are in the loop ---- */

/* Indices of the successors within the function, or its count. Calls come back. */
static void successors(const struct loop_instructions *all, size_t at, size_t next[2])
{
	const struct instruction *one = &all->items[at];
	bool falls = one->flow == FLOW_NEXT || one->flow == FLOW_BRANCH || one->flow == FLOW_CALL;
	bool jumps = one->flow == FLOW_JUMP || one->flow == FLOW_BRANCH;

	next[0] = falls && at + 1 < all->count ? at + 1 : all->count;
	next[1] = jumps && one->target ? loop_instructions_at(all, one->target) : all->count;
}

#define REGION_OUT LOOP_REGION_MOST

struct region {
	size_t first, count;
	uint16_t next[LOOP_REGION_MOST][2]; /* successors, from the first on; REGION_OUT */
	bool is_reached[LOOP_REGION_MOST], reaches[LOOP_REGION_MOST];
};

static void region_link(const struct loop_instructions *all, struct region *region)
{
	for (size_t own = 0; own < region->count; own++) {
		size_t next[2];
		successors(all, region->first + own, next);
		for (int i = 0; i < 2; i++) {
			bool is_in =
				next[i] >= region->first && next[i] < region->first + region->count;
			region->next[own][i] =
				is_in ? (uint16_t)(next[i] - region->first) : REGION_OUT;
		}
	}
}

/* Takes on what the instruction and its successors have; returns whether anything changed. */
static bool spread_at(struct region *region, size_t own)
{
	bool has_changed = false;

	for (int i = 0; i < 2; i++) {
		size_t to = region->next[own][i];
		if (to == REGION_OUT)
			continue;
		has_changed |= region->is_reached[own] && !region->is_reached[to];
		region->is_reached[to] |= region->is_reached[own];
		has_changed |= region->reaches[to] && !region->reaches[own];
		region->reaches[own] |= region->reaches[to];
	}
	return has_changed;
}

/* Forth, as what is reached spreads, and back, as what reaches does. */
static bool spread(struct region *region)
{
	bool has_changed = false;

	for (size_t own = 0; own < region->count; own++)
		has_changed |= spread_at(region, own);
	for (size_t own = region->count; own-- > 0;)
		has_changed |= spread_at(region, own);
	return has_changed;
}

bool loop_region(const struct loop_instructions *instructions, size_t header, size_t latch,
		 bool is_in[LOOP_REGION_MOST])
{
	struct region region = {.first = header, .count = latch - header + 1};

	if (latch < header || latch - header >= LOOP_REGION_MOST)
		return false;
	region_link(instructions, &region);
	region.is_reached[0] = region.reaches[latch - header] = true;
	while (spread(&region))
		;
	for (size_t own = 0; own < region.count; own++)
		is_in[own] = region.is_reached[own] && region.reaches[own];
	return true;
}

/* ---- the loop's nodes ---- */

static uint32_t node_at(const struct loop *loop, uint32_t first, uint64_t address)
{
	for (uint32_t i = first; i < loop->count; i++)
		if (loop->nodes[i].instruction.address == address)
			return i;
	return LOOP_OUT;
}

static void link_nodes(struct loop *loop, uint32_t first, uint32_t after_return)
{
	for (uint32_t i = first; i < loop->count; i++) {
		struct loop_node *node = &loop->nodes[i];
		const struct instruction *one = &node->instruction;
		uint64_t following = one->address + one->length;
		node->next = node->other = LOOP_OUT;
		if (one->flow == FLOW_NEXT || one->flow == FLOW_BRANCH || one->flow == FLOW_CALL)
			node->next = node_at(loop, first, following);
		if (one->flow == FLOW_BRANCH || one->flow == FLOW_JUMP)
			node->other = one->target ? node_at(loop, first, one->target) : LOOP_OUT;
		if (one->flow == FLOW_RETURN)
			node->next = after_return;
	}
}

static bool add_node(struct loop *loop, const struct instruction *one, uint8_t function,
		     bool has_frame)
{
	if (loop->count == LOOP_NODES_MOST)
		return false;
	loop->nodes[loop->count++] = (struct loop_node){.instruction = *one,
							.function = function,
							.has_frame = has_frame};
	return true;
}

/* ---- calls ---- */

static enum loop_call call_by_name(const char *name)
{
	static const char *const yields[] = {"sched_yield", "__sched_yield", "pthread_yield",
					     "thrd_yield"};
	static const char *const clocks[] = {"clock_gettime", "gettimeofday", "time"};

	for (size_t i = 0; i < sizeof(yields) / sizeof(*yields); i++)
		if (!strcmp(name, yields[i]))
			return LOOP_CALL_YIELDS;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		if (!strcmp(name, clocks[i]))
			return LOOP_CALL_CLOCK;
	return LOOP_CALL_NONE;
}

/* The pointer through which a stub of the procedure linkage table jumps; 0: it is none. */
static uint64_t slot_of_stub(const struct loop_function *function, uint64_t address)
{
	for (int i = 0; i < STUB_MOST && address < function->end; i++) {
		struct instruction one;
		if (!instruction_decode(function->bytes + (address - function->start),
					function->end - address, address, &one))
			return 0;
		if (one.flow == FLOW_JUMP)
			return one.slot;
		if (one.flow != FLOW_NEXT || one.effect != EFFECT_NONE)
			return 0;
		address += one.length;
	}
	return 0;
}

static bool add_calls(const struct loop_code *code, struct loop *loop, uint32_t first, int depth);

/* The helper's instructions become nodes, which lead back to the node after the call. */
static bool add_helper(const struct loop_code *code, struct loop *loop, uint32_t call,
		       const struct loop_function *function, int depth)
{
	struct loop_instructions body;
	uint32_t first = loop->count, after = loop->nodes[call].next;
	bool is_added, has_loop = false, has_pause = false;

	if (depth >= HELPER_DEPTH || loop->helper_count == LOOP_HELPERS_MOST)
		return false;
	loop_instructions_read(function, &body);
	is_added = body.count && body.count <= HELPER_MOST;
	for (size_t i = 0; is_added && i < body.count; i++) {
		const struct instruction *one = &body.items[i];
		is_added = add_node(loop, one, (uint8_t)(loop->helper_count + 1), body.has_frame) &&
			   (one->flow != FLOW_JUMP || one->target) && one->flow != FLOW_UNKNOWN;
		has_pause |= one->effect == EFFECT_PAUSE;
		has_loop |= (one->flow == FLOW_JUMP || one->flow == FLOW_BRANCH) &&
			    one->target <= one->address;
	}
	loop_instructions_clear(&body);
	if (!is_added || (has_loop && !has_pause))
		return false;
	link_nodes(loop, first, after);
	for (uint32_t i = first; i < loop->count; i++)
		if (loop->nodes[i].instruction.flow == FLOW_JUMP &&
		    loop->nodes[i].other == LOOP_OUT)
			return false; /* a call at its end */
	loop->nodes[call].next = first;
	loop->helpers[loop->helper_count][0] = function->start;
	loop->helpers[loop->helper_count++][1] = function->end;
	return add_calls(code, loop, first, depth + 1);
}

static bool add_call(const struct loop_code *code, struct loop *loop, uint32_t call, int depth)
{
	const struct instruction *one = &loop->nodes[call].instruction;
	struct loop_function function;
	uint64_t slot = one->slot;
	bool is_known = one->target && code->function(code->context, one->target, &function);

	if (is_known && !slot)
		slot = slot_of_stub(&function, one->target);
	const char *name = slot ? code->imported(code->context, slot) : NULL;
	if (name) {
		loop->nodes[call].call = (uint8_t)call_by_name(name);
		return loop->nodes[call].call != LOOP_CALL_NONE;
	}
	return is_known && function.start == one->target &&
	       add_helper(code, loop, call, &function, depth);
}

static bool add_calls(const struct loop_code *code, struct loop *loop, uint32_t first, int depth)
{
	uint32_t end = loop->count;

	for (uint32_t i = first; i < end; i++)
		if (loop->nodes[i].instruction.flow == FLOW_CALL && !add_call(code, loop, i, depth))
			return false;
	return true;
}

bool loop_find(const struct loop_code *code, const struct loop_instructions *instructions,
	       size_t header, size_t latch, struct loop *loop)
{
	bool is_in[LOOP_REGION_MOST];

	if (!loop_region(instructions, header, latch, is_in))
		return false;
	loop->count = loop->helper_count = 0;
	for (size_t at = header; at <= latch; at++) {
		if (!is_in[at - header])
			continue;
		if (loop->count == OWN_NODES_MOST)
			return false;
		add_node(loop, &instructions->items[at], 0, instructions->has_frame);
	}
	link_nodes(loop, 0, LOOP_OUT);
	loop->own = loop->count;
	loop->header = node_at(loop, 0, instructions->items[header].address);
	loop->latch = node_at(loop, 0, instructions->items[latch].address);
	if (loop->header == LOOP_OUT || loop->latch == LOOP_OUT)
		return false;
	loop->is_understood = add_calls(code, loop, 0, 0);
	return true;
}
