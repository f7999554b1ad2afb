/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iteration - follows the values of one iteration through a loop.
 *
 * Each register and each word of the stack frame has a kind at each instruction; values of a merge
 * have the later kind of enum value. At the loop's begin, what the loop writes anywhere is
 * VALUE_CARRIED, and everything else is VALUE_SAME. So what is computed from VALUE_SAME alone is
 * the same in each iteration.
 */
#include "symbolize/spin/iteration.h"

#include <string.h>

#define SLOTS_MOST 24          /* words of the stack frame */
#define COUNTING_NODES_MOST 10 /* of a loop that counts its tries, without a pause */
#define PLACES (MACHINE_REGISTERS + SLOTS_MOST)

enum value {
	VALUE_NONE,    /* not reached yet */
	VALUE_SAME,    /* in each iteration */
	VALUE_POLLED,  /* read from memory that another thread may write */
	VALUE_TIME,    /* read from a clock */
	VALUE_CARRIED, /* from the iteration before: counted */
	VALUE_STALE,   /* read from memory, or a clock, by the iteration before */
};

struct slot {
	int64_t displacement;
	uint8_t base, function, size;
	bool is_written;
};

struct analysis {
	const struct loop *loop;
	struct slot slots[SLOTS_MOST];
	uint32_t slot_count;
	uint8_t before[LOOP_NODES_MOST][PLACES]; /* enum value, before each instruction */
	uint64_t written;                        /* registers that the loop writes */
	uint8_t end[PLACES];                     /* at its end */
	bool is_refused, is_doubtful, counts;
	struct iteration result;
};

/* ---- the stack frame ---- */

static bool is_frame_register(const struct loop_node *node, uint8_t number)
{
	return number == MACHINE_SP || (number == MACHINE_BP && node->has_frame);
}

static bool is_stack(const struct loop_node *node)
{
	const struct instruction_memory *memory = &node->instruction.memory;
	return is_frame_register(node, memory->base) && !memory->is_thread_local;
}

static struct slot *slot_find(struct analysis *analysis, const struct loop_node *node)
{
	const struct instruction_memory *memory = &node->instruction.memory;

	for (uint32_t i = 0; i < analysis->slot_count; i++) {
		struct slot *slot = &analysis->slots[i];
		if (slot->displacement == memory->displacement && slot->base == memory->base &&
		    slot->size == memory->size && slot->function == node->function)
			return slot;
	}
	return NULL;
}

/* Registers that a call of another file's function may change. */
#define CALL_CLOBBERS (0xffffffff00010fc7ull)

static void collect_writes(struct analysis *analysis, const struct loop_node *node)
{
	const struct instruction *one = &node->instruction;

	analysis->written |= one->writes;
	if (node->call)
		analysis->written |= CALL_CLOBBERS;
	if ((!one->memory.is_read && !one->memory.is_written) || !is_stack(node) ||
	    one->memory.index != MACHINE_NONE)
		return;
	struct slot *slot = slot_find(analysis, node);
	if (!slot) {
		if (analysis->slot_count == SLOTS_MOST) {
			analysis->is_refused = true;
			return;
		}
		slot = &analysis->slots[analysis->slot_count++];
		*slot = (struct slot){.displacement = one->memory.displacement,
				      .base = one->memory.base,
				      .function = node->function,
				      .size = one->memory.size};
	}
	slot->is_written |= one->memory.is_written;
}

static bool overlaps(const struct slot *slot, const struct slot *other)
{
	return slot != other && slot->base == other->base && slot->function == other->function &&
	       slot->displacement < other->displacement + other->size &&
	       other->displacement < slot->displacement + slot->size;
}

/* ---- one instruction ---- */

struct inputs {
	uint8_t most;       /* the latest kind */
	uint8_t most_other; /* of those that are not carried */
	unsigned carried;
};

static void add_input(struct inputs *inputs, uint8_t value)
{
	if (value > inputs->most)
		inputs->most = value;
	if (value >= VALUE_CARRIED)
		inputs->carried++;
	else if (value > inputs->most_other)
		inputs->most_other = value;
}

static uint8_t register_value(const struct loop_node *node, const uint8_t *values, uint8_t number)
{
	return number >= MACHINE_REGISTERS || is_frame_register(node, number) ? VALUE_SAME :
										values[number];
}

static uint8_t address_value(const struct loop_node *node, const uint8_t *values)
{
	uint8_t base = register_value(node, values, node->instruction.memory.base);
	uint8_t index = register_value(node, values, node->instruction.memory.index);
	return base > index ? base : index;
}

/* What is read from memory. */
static uint8_t memory_value(struct analysis *analysis, const struct loop_node *node,
			    const uint8_t *values)
{
	const struct slot *slot = is_stack(node) ? slot_find(analysis, node) : NULL;

	if (node->instruction.memory.is_thread_local)
		return VALUE_SAME;
	if (slot && slot->is_written)
		return values[MACHINE_REGISTERS + (slot - analysis->slots)];
	return slot ? VALUE_SAME : VALUE_POLLED;
}

static struct inputs inputs_of(struct analysis *analysis, const struct loop_node *node,
			       const uint8_t *values)
{
	const struct instruction *one = &node->instruction;
	struct inputs inputs = {.most = VALUE_SAME, .most_other = VALUE_SAME};

	for (uint8_t number = 0; number < MACHINE_REGISTERS; number++)
		if (one->reads >> number & 1)
			add_input(&inputs, register_value(node, values, number));
	if (one->memory.is_read)
		add_input(&inputs, memory_value(analysis, node, values));
	return inputs;
}

/* Work: what is carried on is more than counted. */
static bool is_work(const struct instruction *one, const struct inputs *inputs)
{
	if (!inputs->carried)
		return false;
	if (one->effect == EFFECT_COUNTS)
		return inputs->carried > 1 || inputs->most_other > VALUE_SAME;
	return one->effect == EFFECT_COMPUTES;
}

/* An exchange writes the same as in the iteration before. */
static bool is_same_exchange(const struct loop_node *node, const uint8_t *values)
{
	const struct instruction *one = &node->instruction;
	bool compares = one->effect == EFFECT_COMPARE_EXCHANGE;

	if (one->effect != EFFECT_EXCHANGES && !compares)
		return false;
	return register_value(node, values, one->source) == VALUE_SAME &&
	       (!compares || values[0] == VALUE_SAME);
}

static void check(struct analysis *analysis, const struct loop_node *node, const uint8_t *values,
		  const struct inputs *inputs)
{
	const struct instruction *one = &node->instruction;
	bool uses_memory = one->memory.is_read || one->memory.is_written;
	bool is_slot = is_stack(node) && one->memory.index == MACHINE_NONE;

	if (one->effect == EFFECT_FORBIDDEN || is_work(one, inputs) ||
	    (uses_memory && address_value(node, values) > VALUE_POLLED) ||
	    (one->memory.is_written && !is_slot && !is_same_exchange(node, values)) ||
	    (node->function && !node->has_frame && one->writes >> MACHINE_BP & 1))
		analysis->is_refused = true;
	analysis->result.has_pause |= one->effect == EFFECT_PAUSE || node->call == LOOP_CALL_YIELDS;
}

static void write_slot(struct analysis *analysis, const struct loop_node *node, uint8_t value,
		       uint8_t *values)
{
	const struct slot *slot = slot_find(analysis, node);

	for (uint32_t i = 0; slot && i < analysis->slot_count; i++)
		if (overlaps(&analysis->slots[i], slot))
			values[MACHINE_REGISTERS + i] = VALUE_CARRIED;
	if (slot)
		values[MACHINE_REGISTERS + (slot - analysis->slots)] = value;
}

static void call_elsewhere(struct analysis *analysis, const struct loop_node *node, uint8_t *values)
{
	for (uint8_t number = 0; number < MACHINE_REGISTERS; number++)
		if (CALL_CLOBBERS >> number & 1)
			values[number] = VALUE_TIME;
	for (uint32_t i = 0; i < analysis->slot_count && node->call == LOOP_CALL_CLOCK; i++)
		if (values[MACHINE_REGISTERS + i] < VALUE_TIME)
			values[MACHINE_REGISTERS + i] = VALUE_TIME;
}

/* The values after the instruction, in place. */
static void step(struct analysis *analysis, const struct loop_node *node, uint8_t *values)
{
	const struct instruction *one = &node->instruction;
	struct inputs inputs = inputs_of(analysis, node, values);
	uint8_t result = inputs.most;

	if (one->effect == EFFECT_CONSTANT)
		result = VALUE_SAME;
	else if (one->effect == EFFECT_TIME)
		result = VALUE_TIME;
	else if (one->effect == EFFECT_POPS)
		result = VALUE_CARRIED;
	else if (one->effect == EFFECT_EXCHANGES || one->effect == EFFECT_COMPARE_EXCHANGE)
		result = VALUE_POLLED;
	if (one->memory.is_written && is_stack(node) && one->memory.index == MACHINE_NONE)
		write_slot(analysis, node, result, values);
	for (uint8_t number = 0; number < MACHINE_REGISTERS; number++)
		if (one->writes >> number & 1)
			values[number] = result;
	if (node->call)
		call_elsewhere(analysis, node, values);
}

/* ---- the loop ---- */

static bool merge(uint8_t *into, const uint8_t *values)
{
	bool has_changed = false;

	for (int place = 0; place < PLACES; place++) {
		if (values[place] > into[place]) {
			into[place] = values[place];
			has_changed = true;
		}
	}
	return has_changed;
}

static void begin(struct analysis *analysis)
{
	uint8_t *values = analysis->before[analysis->loop->header];

	bool has_clock = false;

	for (uint32_t i = 0; i < analysis->loop->count; i++) {
		collect_writes(analysis, &analysis->loop->nodes[i]);
		has_clock |= analysis->loop->nodes[i].call == LOOP_CALL_CLOCK;
	}
	for (uint32_t i = 0; i < analysis->slot_count && has_clock; i++)
		analysis->slots[i].is_written = true; /* any word may get the time */
	for (uint8_t number = 0; number < MACHINE_REGISTERS; number++)
		values[number] = analysis->written >> number & 1 ? VALUE_CARRIED : VALUE_SAME;
	for (uint32_t i = 0; i < SLOTS_MOST; i++)
		values[MACHINE_REGISTERS + i] = VALUE_CARRIED;
}

/* One pass over the loop; `end`: the values that lead back to its begin. */
static bool pass(struct analysis *analysis, uint8_t *end)
{
	const struct loop *loop = analysis->loop;
	bool has_changed = false;

	for (uint32_t i = 0; i < loop->count; i++) {
		const struct loop_node *node = &loop->nodes[i];
		uint8_t values[PLACES];
		if (analysis->before[i][0] == VALUE_NONE)
			continue;
		memcpy(values, analysis->before[i], sizeof(values));
		step(analysis, node, values);
		if (node->next != LOOP_OUT)
			has_changed |=
				merge(node->next == loop->header ? end :
								   analysis->before[node->next],
				      values);
		if (node->other != LOOP_OUT)
			has_changed |=
				merge(node->other == loop->header ? end :
								    analysis->before[node->other],
				      values);
	}
	return has_changed;
}

/*
 * What has the same value at each iteration's end has it at each begin but the first. Returns
 * whether the loop has to be followed again.
 */
static bool refine(struct analysis *analysis, const uint8_t *end)
{
	uint8_t values[PLACES];
	bool has_changed = false;

	memcpy(values, analysis->before[analysis->loop->header], sizeof(values));
	for (int place = 0; place < PLACES; place++) {
		if (values[place] != VALUE_CARRIED || end[place] != VALUE_SAME)
			continue;
		values[place] = VALUE_SAME;
		has_changed = true;
	}
	memset(analysis->before, VALUE_NONE, sizeof(analysis->before));
	memcpy(analysis->before[analysis->loop->header], values, sizeof(values));
	return has_changed;
}

static void follow(struct analysis *analysis)
{
	uint8_t *begin = analysis->before[analysis->loop->header];

	do {
		memset(analysis->end, VALUE_NONE, sizeof(analysis->end));
		while (pass(analysis, analysis->end))
			;
	} while (refine(analysis, analysis->end));
	for (int place = 0; place < PLACES; place++)
		if (begin[place] == VALUE_CARRIED && analysis->end[place] >= VALUE_POLLED &&
		    analysis->end[place] < VALUE_CARRIED)
			begin[place] = VALUE_STALE;
	while (pass(analysis, analysis->end))
		;
}

/*
 * Optimized code has cycles that are never run twice in a row, as a condition that does not change
 * leads out of them, or a value that was tested before. Without a pause they are no waits.
 */
static void doubt(struct analysis *analysis, const struct loop_node *node,
		  const struct inputs *inputs)
{
	if ((node->instruction.flow == FLOW_BRANCH && inputs->most == VALUE_SAME) ||
	    (inputs->most == VALUE_STALE && node->instruction.effect != EFFECT_CONSTANT))
		analysis->is_doubtful = true;
	analysis->counts |= inputs->carried;
}

static bool leaves(const struct loop_node *node)
{
	return node->instruction.flow == FLOW_BRANCH &&
	       (node->next == LOOP_OUT || node->other == LOOP_OUT);
}

struct iteration iteration_analyze(const struct loop *loop)
{
	struct analysis *analysis = memory_new(1, sizeof(*analysis));

	analysis->loop = loop;
	begin(analysis);
	follow(analysis);
	for (uint32_t i = 0; i < loop->count; i++) {
		const struct loop_node *node = &loop->nodes[i];
		const uint8_t *values = analysis->before[i];
		struct inputs inputs = inputs_of(analysis, node, values);
		check(analysis, node, values, &inputs);
		doubt(analysis, node, &inputs);
		analysis->result.has_poll |= leaves(node) && inputs.most == VALUE_POLLED;
	}
	struct iteration result = analysis->result;
	bool is_doubtful =
		analysis->is_doubtful || (analysis->counts && loop->own > COUNTING_NODES_MOST);
	result.repeats =
		loop->is_understood && !analysis->is_refused && (result.has_pause || !is_doubtful);
	free(analysis);
	return result;
}
