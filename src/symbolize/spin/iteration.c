/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * iteration - follows the values of one iteration through a loop.
 *
 * Each register and each word of the stack frame has a kind at each instruction; values of a merge
 * have the later kind of enum value. At the loop's begin, what the loop writes anywhere is
 * VALUE_CARRIED, and everything else is VALUE_SAME. So what is computed from VALUE_SAME alone is
 * the same in each iteration.
 *
 * A loop that compares two reads of one place in one iteration (a sequence lock's reader) goes on
 * only if another thread wrote between them. It does not wait, whatever its form.
 */
#include "symbolize/spin/iteration.h"

#include <string.h>

#define SLOTS_MOST 24          /* words of the stack frame */
#define COUNTING_NODES_MOST 10 /* of a loop that counts its tries, without a pause */
#define PLACES (MACHINE_REGISTERS + SLOTS_MOST)
#define ORIGINS_MOST 16

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

/* What is known at an instruction. */
struct known {
	uint8_t values[PLACES]; /* enum value */
	uint8_t origins
		[PLACES]; /* of which of the analysis' origins it is a copy, from 1; 0: none */
};

/* A place in memory that the loop reads. */
struct origin {
	int64_t displacement;
	uint8_t base;    /* a register that the loop does not write, or MACHINE_NONE; */
	uint8_t pointer; /* or the origin of the pointer in it, from 1 */
	uint8_t size;
};

struct analysis {
	const struct loop *loop;
	struct origin origins[ORIGINS_MOST];
	uint32_t origin_count;
	struct slot slots[SLOTS_MOST];
	uint32_t slot_count;
	struct known before[LOOP_NODES_MOST]; /* each instruction */
	uint64_t written;                     /* registers that the loop writes */
	struct known end;                     /* at its end */
	bool is_refused, is_doubtful, counts, agrees;
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

/* ---- copies of what was read ---- */

static uint64_t operand_registers(const struct loop_node *node)
{
	return node->instruction.reads & ~(1ull << MACHINE_FLAGS);
}

/* The number of the place that the instruction reads; 0: unknown, or its address may change. */
static uint8_t origin_of_read(struct analysis *analysis, const struct loop_node *node,
			      const struct known *known)
{
	const struct instruction_memory *memory = &node->instruction.memory;
	struct origin read = {.displacement = memory->displacement,
			      .base = memory->base,
			      .size = memory->size};

	if (memory->index != MACHINE_NONE || memory->is_thread_local)
		return 0;
	if (memory->base < MACHINE_REGISTERS && analysis->written >> memory->base & 1) {
		read.base = MACHINE_NONE;
		read.pointer = known->origins[memory->base];
		if (!read.pointer)
			return 0;
	}
	for (uint32_t i = 0; i < analysis->origin_count; i++) {
		const struct origin *one = &analysis->origins[i];
		if (one->base == read.base && one->pointer == read.pointer &&
		    one->displacement == read.displacement && one->size == read.size)
			return (uint8_t)(i + 1);
	}
	if (analysis->origin_count == ORIGINS_MOST)
		return 0;
	analysis->origins[analysis->origin_count++] = read;
	return (uint8_t)analysis->origin_count;
}

/* Of what the instruction reads from memory, by itself or as a copy in the stack frame. */
static uint8_t memory_origin(struct analysis *analysis, const struct loop_node *node,
			     const struct known *known)
{
	const struct slot *slot = is_stack(node) ? slot_find(analysis, node) : NULL;

	return slot && slot->is_written ?
		       known->origins[MACHINE_REGISTERS + (slot - analysis->slots)] :
		       origin_of_read(analysis, node, known);
}

/* Of what a plain move copies; 0: anything else. */
static uint8_t copied_origin(struct analysis *analysis, const struct loop_node *node,
			     const struct known *known)
{
	const struct instruction *one = &node->instruction;
	uint64_t registers = operand_registers(node);
	bool is_one = registers && !(registers & (registers - 1));

	if (one->effect != EFFECT_MOVES || one->writes >> MACHINE_FLAGS & 1 ||
	    one->reads >> MACHINE_FLAGS & 1)
		return 0;
	if (one->memory.is_read)
		return registers ? 0 : memory_origin(analysis, node, known);
	return is_one ? known->origins[__builtin_ctzll(registers)] : 0;
}

/* Does it compare two reads of one place? */
static bool compares_reads(struct analysis *analysis, const struct loop_node *node,
			   const struct known *known)
{
	uint64_t registers = operand_registers(node);
	uint8_t origins[2] = {0};
	unsigned count = 0;

	if (!(node->instruction.writes >> MACHINE_FLAGS & 1))
		return false;
	if (node->instruction.memory.is_read)
		origins[count++] = memory_origin(analysis, node, known);
	for (; registers && count < 2; registers &= registers - 1)
		origins[count++] = known->origins[__builtin_ctzll(registers)];
	return !registers && count == 2 && origins[0] && origins[0] == origins[1];
}

/* ---- what an instruction changes ---- */

static void write_slot(struct analysis *analysis, const struct loop_node *node, uint8_t value,
		       uint8_t origin, struct known *known)
{
	const struct slot *slot = slot_find(analysis, node);

	for (uint32_t i = 0; slot && i < analysis->slot_count; i++) {
		if (!overlaps(&analysis->slots[i], slot))
			continue;
		known->values[MACHINE_REGISTERS + i] = VALUE_CARRIED;
		known->origins[MACHINE_REGISTERS + i] = 0;
	}
	if (slot) {
		known->values[MACHINE_REGISTERS + (slot - analysis->slots)] = value;
		known->origins[MACHINE_REGISTERS + (slot - analysis->slots)] = origin;
	}
}

static void call_elsewhere(struct analysis *analysis, const struct loop_node *node,
			   struct known *known)
{
	uint8_t *values = known->values;

	memset(known->origins, 0, sizeof(known->origins));
	for (uint8_t number = 0; number < MACHINE_REGISTERS; number++)
		if (CALL_CLOBBERS >> number & 1)
			values[number] = VALUE_TIME;
	for (uint32_t i = 0; i < analysis->slot_count && node->call == LOOP_CALL_CLOCK; i++)
		if (values[MACHINE_REGISTERS + i] < VALUE_TIME)
			values[MACHINE_REGISTERS + i] = VALUE_TIME;
}

/* What is known after the instruction, in place. */
static void step(struct analysis *analysis, const struct loop_node *node, struct known *known)
{
	const struct instruction *one = &node->instruction;
	struct inputs inputs = inputs_of(analysis, node, known->values);
	uint8_t result = inputs.most, origin = copied_origin(analysis, node, known);

	if (one->effect == EFFECT_CONSTANT)
		result = VALUE_SAME;
	else if (one->effect == EFFECT_TIME)
		result = VALUE_TIME;
	else if (one->effect == EFFECT_POPS)
		result = VALUE_CARRIED;
	else if (one->effect == EFFECT_EXCHANGES || one->effect == EFFECT_COMPARE_EXCHANGE)
		result = VALUE_POLLED;
	if (one->memory.is_written && is_stack(node) && one->memory.index == MACHINE_NONE)
		write_slot(analysis, node, result, origin, known);
	for (uint8_t number = 0; number < MACHINE_REGISTERS; number++) {
		if (!(one->writes >> number & 1))
			continue;
		known->values[number] = result;
		known->origins[number] = origin;
	}
	if (node->call)
		call_elsewhere(analysis, node, known);
}

/* ---- the loop ---- */

static bool merge(struct known *into, const struct known *known)
{
	bool is_first = into->values[0] == VALUE_NONE, has_changed = false;

	for (int place = 0; place < PLACES; place++) {
		uint8_t origin = into->origins[place];
		if (is_first)
			into->origins[place] = known->origins[place];
		else if (origin != known->origins[place])
			into->origins[place] = 0;
		has_changed |= into->origins[place] != origin;
		if (known->values[place] > into->values[place]) {
			into->values[place] = known->values[place];
			has_changed = true;
		}
	}
	return has_changed;
}

static void begin(struct analysis *analysis)
{
	uint8_t *values = analysis->before[analysis->loop->header].values;

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

/* One pass over the loop; `end`: what leads back to its begin. */
static bool pass(struct analysis *analysis, struct known *end)
{
	const struct loop *loop = analysis->loop;
	bool has_changed = false;

	for (uint32_t i = 0; i < loop->count; i++) {
		const struct loop_node *node = &loop->nodes[i];
		struct known known = analysis->before[i];
		if (known.values[0] == VALUE_NONE)
			continue;
		step(analysis, node, &known);
		if (node->next != LOOP_OUT)
			has_changed |=
				merge(node->next == loop->header ? end :
								   &analysis->before[node->next],
				      &known);
		if (node->other != LOOP_OUT)
			has_changed |=
				merge(node->other == loop->header ? end :
								    &analysis->before[node->other],
				      &known);
	}
	return has_changed;
}

/*
 * What has the same value at each iteration's end has it at each begin but the first. Returns
 * whether the loop has to be followed again.
 */
static bool refine(struct analysis *analysis, const struct known *end)
{
	struct known known = analysis->before[analysis->loop->header];
	uint8_t *values = known.values;
	bool has_changed = false;

	for (int place = 0; place < PLACES; place++) {
		if (values[place] != VALUE_CARRIED || end->values[place] != VALUE_SAME)
			continue;
		values[place] = VALUE_SAME;
		has_changed = true;
	}
	memset(analysis->before, VALUE_NONE, sizeof(analysis->before));
	analysis->before[analysis->loop->header] = known;
	return has_changed;
}

static void follow(struct analysis *analysis)
{
	uint8_t *begin = analysis->before[analysis->loop->header].values;
	const uint8_t *end = analysis->end.values;

	do {
		memset(&analysis->end, VALUE_NONE, sizeof(analysis->end));
		while (pass(analysis, &analysis->end))
			;
	} while (refine(analysis, &analysis->end));
	for (int place = 0; place < PLACES; place++)
		if (begin[place] == VALUE_CARRIED && end[place] >= VALUE_POLLED &&
		    end[place] < VALUE_CARRIED)
			begin[place] = VALUE_STALE;
	while (pass(analysis, &analysis->end))
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
		const uint8_t *values = analysis->before[i].values;
		struct inputs inputs = inputs_of(analysis, node, values);
		check(analysis, node, values, &inputs);
		doubt(analysis, node, &inputs);
		analysis->agrees |= compares_reads(analysis, node, &analysis->before[i]);
		analysis->result.has_poll |= leaves(node) && inputs.most == VALUE_POLLED;
	}
	struct iteration result = analysis->result;
	bool is_doubtful =
		analysis->is_doubtful || (analysis->counts && loop->own > COUNTING_NODES_MOST);
	result.repeats = loop->is_understood && !analysis->is_refused && !analysis->agrees &&
			 (result.has_pause || !is_doubtful);
	free(analysis);
	return result;
}
