/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inferred_unwind - follows the stack pointer from functions' entries along all branches.
 *
 * Entries are symbols, and aligned code after an instruction that does not go on to the next one.
 * Code that only a table of jumps leads to has the stack of the jump before it.
 */
#include "symbolize/object/inferred_unwind.h"

#include "base/memory.h"
#include "symbolize/machine/instruction.h"
#include "symbolize/machine_code.h"
#include "symbolize/object/object.h"

#include <stdlib.h>

#define CODE_MOST (1u << 20) /* bytes without unwind information at a place */
#define ALIGNMENT 16         /* of a function's entry */
#define CFA_MOST (1 << 20)

/* Where the frame is, before an instruction. */
struct stack_state {
	bool is_visited;
	bool has_sp, has_bp; /* the CFA is known from this register */
	int32_t from_sp, from_bp;
	int32_t bp_at; /* where the caller's frame pointer is, from the CFA; 0: in the register */
};

struct step {
	uint64_t offset, target; /* target: of a branch or jump within the code; 0: none */
	struct stack_effect stack;
	struct stack_state before;
	uint8_t length, flow;
	bool is_padding, is_indirect;
};

struct inferred_unwind {
	const struct object *object;
	ARRAY(uint64_t) symbols; /* file offsets of functions, ascending */
};

struct code {
	const struct inferred_unwind *of;
	uint64_t start, end;
	ARRAY(struct step) steps;
	ARRAY(size_t) pending;  /* steps whose state has become known */
	ARRAY(uint64_t) called; /* from within the code; ascending once all steps are read */
};

static int compare_offsets(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void sort_offsets(uint64_t *offsets, size_t count)
{
	if (count)
		qsort(offsets, count, sizeof(*offsets), compare_offsets);
}

static void read_symbols_of(struct inferred_unwind *of, Elf_Scn *section)
{
	GElf_Shdr header;
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || !gelf_getshdr(section, &header) || !header.sh_entsize ||
	    (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB))
		return;
	for (size_t i = 0; i < data->d_size / header.sh_entsize && i < INT32_MAX; i++) {
		GElf_Sym symbol;
		uint64_t offset;
		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		/* Local labels without a type are parts of functions. */
		bool is_function = GELF_ST_TYPE(symbol.st_info) == STT_FUNC ||
				   (GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE &&
				    header.sh_type == SHT_DYNSYM);
		if (is_function && object_offset(of->object, symbol.st_value, &offset))
			*array_add(&of->symbols) = offset;
	}
}

struct inferred_unwind *inferred_unwind_new(const struct object *object)
{
	struct inferred_unwind *of = memory_new(1, sizeof(*of));
	Elf_Scn *section = NULL;

	of->object = object;
	if (!machine_code_is_x86_64(object) || !instruction_is_available())
		return of;
	while ((section = elf_nextscn(object->elf, section)))
		read_symbols_of(of, section);
	sort_offsets(of->symbols.items, of->symbols.count);
	return of;
}

void inferred_unwind_free(struct inferred_unwind *of)
{
	if (of)
		free(of->symbols.items);
	free(of);
}

static bool has_offset(const uint64_t *offsets, size_t count, uint64_t offset)
{
	return count && bsearch(&offset, offsets, count, sizeof(offset), compare_offsets);
}

/* Of a function, or called as one. */
static bool is_symbol(const struct code *code, uint64_t offset)
{
	return has_offset(code->of->symbols.items, code->of->symbols.count, offset) ||
	       has_offset(code->called.items, code->called.count, offset);
}

/* What is called is an entry, as symbols are. */
static void set_target(struct code *code, const struct instruction *instruction, struct step *step)
{
	uint64_t offset;

	step->is_indirect =
		instruction->flow == FLOW_JUMP && !instruction->target && !instruction->slot;
	if (!instruction->target ||
	    !object_offset(code->of->object, instruction->target, &offset) ||
	    offset < code->start || offset >= code->end)
		return;
	if (instruction->flow == FLOW_CALL)
		*array_add(&code->called) = offset;
	else
		step->target = offset;
}

static void read_steps(struct code *code)
{
	uint64_t size = code->end - code->start, address;
	const uint8_t *bytes = machine_code_bytes(code->of->object, code->start, size);

	if (!bytes || !object_address(code->of->object, code->start, &address))
		return;
	for (uint64_t at = 0; at < size;) {
		struct instruction one;
		struct step step = {.offset = code->start + at, .length = 1, .flow = FLOW_UNKNOWN};
		if (instruction_decode_stack(bytes + at, size - at, address + at, &one,
					     &step.stack)) {
			step.length = one.length;
			step.flow = one.flow;
			step.is_padding = one.effect == EFFECT_NONE;
			set_target(code, &one, &step);
		}
		*array_add(&code->steps) = step;
		at += step.length;
	}
	sort_offsets(code->called.items, code->called.count);
}

/* NULL: no instruction begins there. */
static struct step *step_at(struct code *code, uint64_t offset)
{
	size_t low = 0, high = code->steps.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (code->steps.items[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	struct step *found = low < code->steps.count ? &code->steps.items[low] : NULL;
	return found && found->offset == offset ? found : NULL;
}

static void change_sp(const struct stack_effect *effect, const struct stack_state *before,
		      struct stack_state *after)
{
	if (effect->stack_pointer == STACK_LOST)
		after->has_sp = false;
	if (effect->stack_pointer == STACK_COPIED) {
		after->has_sp = before->has_bp;
		after->from_sp = before->from_bp;
	}
	int64_t from_sp = after->from_sp + effect->growth;
	if (from_sp < 8 || from_sp > CFA_MOST)
		after->has_sp = false;
	else
		after->from_sp = (int32_t)from_sp;
}

static void change_bp(const struct stack_effect *effect, const struct stack_state *before,
		      struct stack_state *after)
{
	switch (effect->frame_pointer) {
	case STACK_SAVED:
		if (!after->bp_at && !before->has_bp && after->has_sp &&
		    after->from_sp <= INT16_MAX)
			after->bp_at = -after->from_sp;
		break;
	case STACK_COPIED:
		after->has_bp = before->has_sp;
		after->from_bp = before->from_sp;
		break;
	case STACK_RESTORED:
		after->bp_at = 0;
		after->has_bp = false;
		break;
	case STACK_LOST:
		after->has_bp = false;
		break;
	default:
		break;
	}
}

static struct stack_state after_step(const struct step *step)
{
	struct stack_state after = step->before;

	change_sp(&step->stack, &step->before, &after);
	change_bp(&step->stack, &step->before, &after);
	return after;
}

/* Where two ways meet, only what both know is known. */
static void reach(struct code *code, struct step *step, struct stack_state state)
{
	struct stack_state *known = &step->before;

	if (!known->is_visited) {
		*known = state;
		known->is_visited = true;
		*array_add(&code->pending) = (size_t)(step - code->steps.items);
		return;
	}
	bool has_sp = known->has_sp && state.has_sp && known->from_sp == state.from_sp;
	bool has_bp = known->has_bp && state.has_bp && known->from_bp == state.from_bp;
	if (has_sp == known->has_sp && has_bp == known->has_bp)
		return;
	known->has_sp = has_sp;
	known->has_bp = has_bp;
	*array_add(&code->pending) = (size_t)(step - code->steps.items);
}

static bool goes_on(const struct step *step)
{
	return step->flow == FLOW_NEXT || step->flow == FLOW_BRANCH || step->flow == FLOW_CALL;
}

static void follow(struct code *code)
{
	while (code->pending.count) {
		size_t index = code->pending.items[--code->pending.count];
		const struct step *step = &code->steps.items[index];
		struct stack_state after = after_step(step);
		struct step *target = step->target ? step_at(code, step->target) : NULL;
		if (target && !is_symbol(code, step->target))
			reach(code, target, after);
		if (goes_on(step) && index + 1 < code->steps.count)
			reach(code, &code->steps.items[index + 1], after);
	}
}

static bool is_entry(const struct code *code, const struct step *step, bool is_after_jump)
{
	return is_symbol(code, step->offset) ||
	       (!step->before.is_visited && !is_after_jump && !(step->offset % ALIGNMENT));
}

/* From each entry, in the order of the code. */
static void follow_entries(struct code *code)
{
	static const struct stack_state at_entry = {.has_sp = true, .from_sp = 8};
	const struct step *jump = NULL; /* the last indirect one of this function */
	bool has_ended = true;

	for (size_t i = 0; i < code->steps.count; i++) {
		struct step *step = &code->steps.items[i];
		if (step->is_padding && !is_symbol(code, step->offset))
			continue;
		if (has_ended && is_entry(code, step, jump)) {
			jump = NULL;
			step->before.is_visited = false;
			reach(code, step, at_entry);
		} else if (!step->before.is_visited && jump) {
			reach(code, step, jump->before);
		}
		follow(code);
		if (step->is_indirect && step->before.is_visited)
			jump = step;
		has_ended = !goes_on(step);
	}
}

static struct unwind_row row_of(const struct step *step)
{
	const struct stack_state *state = &step->before;
	struct unwind_row row = {.start = step->offset};

	if (!state->is_visited || (!state->has_sp && !state->has_bp))
		return row;
	row.rule = state->has_sp ? UNWIND_SP : UNWIND_BP;
	row.cfa_offset = state->has_sp ? state->from_sp : state->from_bp;
	row.frame_offset = (int16_t)state->bp_at;
	return row;
}

static size_t rows_of(const struct code *code, struct unwind_row **rows)
{
	ARRAY(struct unwind_row) list = {0};
	bool is_known = false;

	for (size_t i = 0; i < code->steps.count; i++) {
		struct unwind_row row = row_of(&code->steps.items[i]);
		const struct unwind_row *last = list.count ? &list.items[list.count - 1] : NULL;
		is_known |= row.rule != UNWIND_NONE;
		if (!last || last->rule != row.rule || last->cfa_offset != row.cfa_offset ||
		    last->frame_offset != row.frame_offset)
			*array_add(&list) = row;
	}
	if (!is_known)
		list.count = 0;
	*rows = list.items;
	return list.count;
}

size_t inferred_unwind_rows(const struct inferred_unwind *of, uint64_t start, uint64_t end,
			    struct unwind_row **rows)
{
	struct code code = {.of = of, .start = start, .end = end};

	*rows = NULL;
	if (!machine_code_is_x86_64(of->object) || !instruction_is_available() || end <= start ||
	    end - start > CODE_MOST)
		return 0;
	read_steps(&code);
	follow_entries(&code);
	size_t count = rows_of(&code, rows);
	free(code.steps.items);
	free(code.pending.items);
	free(code.called.items);
	return count;
}
