/* SPDX-License-Identifier: BSD-2-Clause */
/* instruction - reduces what Zydis says of an instruction. */
#include "symbolize/machine/instruction.h"

#include <Zydis/Zydis.h>
#include <string.h>

#define REGISTER_BIT(number) (1ull << (number))

/* MACHINE_NONE: of no interest; MACHINE_REGISTERS: not understood here. */
static uint8_t register_number(ZydisRegister named)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, named);

	if (whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15)
		return (uint8_t)(whole - ZYDIS_REGISTER_RAX);
	if (whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31)
		return (uint8_t)(MACHINE_VECTOR + (whole - ZYDIS_REGISTER_ZMM0));
	if (named == ZYDIS_REGISTER_RFLAGS)
		return MACHINE_FLAGS;
	if (named == ZYDIS_REGISTER_NONE || named == ZYDIS_REGISTER_RIP ||
	    named == ZYDIS_REGISTER_EIP || named == ZYDIS_REGISTER_MXCSR ||
	    named == ZYDIS_REGISTER_FS || named == ZYDIS_REGISTER_GS)
		return MACHINE_NONE;
	return MACHINE_REGISTERS;
}

static bool uses_flags(const ZydisDecodedInstruction *decoded)
{
	switch (decoded->meta.category) {
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_COND_BR:
		return true;
	default:
		return decoded->mnemonic == ZYDIS_MNEMONIC_ADC ||
		       decoded->mnemonic == ZYDIS_MNEMONIC_SBB;
	}
}

static void add_register(struct instruction *instruction, ZydisRegister named,
			 ZydisOperandActions actions)
{
	uint8_t number = register_number(named);

	if (number == MACHINE_REGISTERS)
		instruction->effect = EFFECT_FORBIDDEN;
	if (number >= MACHINE_REGISTERS)
		return;
	if (actions & ZYDIS_OPERAND_ACTION_MASK_READ)
		instruction->reads |= REGISTER_BIT(number);
	if (actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		instruction->writes |= REGISTER_BIT(number);
}

static void add_memory(struct instruction *instruction, const ZydisDecodedOperand *operand)
{
	struct instruction_memory *memory = &instruction->memory;
	bool is_relative = operand->mem.base == ZYDIS_REGISTER_RIP;

	if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
		add_register(instruction, operand->mem.base, ZYDIS_OPERAND_ACTION_READ);
		add_register(instruction, operand->mem.index, ZYDIS_OPERAND_ACTION_READ);
		return;
	}
	if (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM || memory->is_read || memory->is_written) {
		instruction->effect = EFFECT_FORBIDDEN;
		return;
	}
	memory->base = register_number(operand->mem.base);
	memory->index = register_number(operand->mem.index);
	if (memory->base == MACHINE_REGISTERS || memory->index == MACHINE_REGISTERS)
		instruction->effect = EFFECT_FORBIDDEN;
	memory->is_thread_local = operand->mem.segment == ZYDIS_REGISTER_FS ||
				  operand->mem.segment == ZYDIS_REGISTER_GS;
	memory->displacement = operand->mem.disp.value;
	if (is_relative)
		memory->displacement += (int64_t)(instruction->address + instruction->length);
	memory->size = operand->size / 8 < 255 ? (uint8_t)(operand->size / 8) : 255;
	memory->is_read = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	memory->is_written = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

static bool is_same_register(const ZydisDecodedOperand *operands)
{
	return operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operands[0].reg.value == operands[1].reg.value;
}

static bool is_immediate(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static enum instruction_effect exchange(struct instruction *instruction,
					const ZydisDecodedOperand *operands)
{
	const ZydisDecodedOperand *source =
		operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY ? &operands[0] : &operands[1];

	if (operands[0].type != ZYDIS_OPERAND_TYPE_MEMORY &&
	    operands[1].type != ZYDIS_OPERAND_TYPE_MEMORY)
		return EFFECT_MOVES;
	instruction->source =
		is_immediate(source) ? (uint8_t)MACHINE_NONE : register_number(source->reg.value);
	return EFFECT_EXCHANGES;
}

/* Of what carries a value on, or only tests it. */
static enum instruction_effect effect_of_moves(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_CDQE:
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
		return EFFECT_MOVES;
	default:
		return EFFECT_COMPUTES;
	}
}

static enum instruction_effect effect_by_mnemonic(const ZydisDecodedInstruction *decoded,
						  struct instruction *instruction,
						  const ZydisDecodedOperand *operands)
{
	switch (decoded->mnemonic) {
	case ZYDIS_MNEMONIC_PAUSE:
	case ZYDIS_MNEMONIC_TPAUSE:
	case ZYDIS_MNEMONIC_UMWAIT:
		return EFFECT_PAUSE;
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_LFENCE:
	case ZYDIS_MNEMONIC_MFENCE:
	case ZYDIS_MNEMONIC_SFENCE:
	case ZYDIS_MNEMONIC_UMONITOR:
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_LEAVE:
	case ZYDIS_MNEMONIC_CALL:
	case ZYDIS_MNEMONIC_RET:
	case ZYDIS_MNEMONIC_JMP:
		return EFFECT_NONE;
	case ZYDIS_MNEMONIC_POP:
		return EFFECT_POPS;
	case ZYDIS_MNEMONIC_RDTSC:
	case ZYDIS_MNEMONIC_RDTSCP:
		return EFFECT_TIME;
	case ZYDIS_MNEMONIC_XCHG:
	case ZYDIS_MNEMONIC_BTS:
	case ZYDIS_MNEMONIC_BTR:
		return exchange(instruction, operands);
	case ZYDIS_MNEMONIC_CMPXCHG:
		instruction->source = register_number(operands[1].reg.value);
		return EFFECT_COMPARE_EXCHANGE;
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_PXOR:
	case ZYDIS_MNEMONIC_XORPS:
		if (is_same_register(operands))
			return EFFECT_CONSTANT;
		return decoded->mnemonic == ZYDIS_MNEMONIC_SUB ? EFFECT_COUNTS : EFFECT_COMPUTES;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_LOOP:
		return EFFECT_COUNTS;
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
		return is_immediate(&operands[1]) ? EFFECT_COUNTS : EFFECT_COMPUTES;
	default:
		return effect_of_moves(decoded->mnemonic);
	}
}

static enum instruction_effect effect_of(const ZydisDecodedInstruction *decoded,
					 struct instruction *instruction,
					 const ZydisDecodedOperand *operands)
{
	switch (decoded->meta.category) {
	case ZYDIS_CATEGORY_STRINGOP:
	case ZYDIS_CATEGORY_IOSTRINGOP:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_IO:
		return decoded->mnemonic == ZYDIS_MNEMONIC_RDTSC ||
				       decoded->mnemonic == ZYDIS_MNEMONIC_RDTSCP ?
			       EFFECT_TIME :
			       EFFECT_FORBIDDEN;
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
		return decoded->meta.category == ZYDIS_CATEGORY_CMOV ||
				       decoded->meta.category == ZYDIS_CATEGORY_SETCC ?
			       EFFECT_MOVES :
			       EFFECT_NONE;
	case ZYDIS_CATEGORY_COND_BR:
		return decoded->mnemonic == ZYDIS_MNEMONIC_LOOP ? EFFECT_COUNTS : EFFECT_MOVES;
	default:
		if (decoded->attributes &
		    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
			return EFFECT_FORBIDDEN;
		return effect_by_mnemonic(decoded, instruction, operands);
	}
}

static enum instruction_flow flow_of(const ZydisDecodedInstruction *decoded)
{
	switch (decoded->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return FLOW_BRANCH;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return FLOW_JUMP;
	case ZYDIS_CATEGORY_CALL:
		return FLOW_CALL;
	case ZYDIS_CATEGORY_RET:
		return FLOW_RETURN;
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
		return FLOW_UNKNOWN;
	default:
		return decoded->mnemonic == ZYDIS_MNEMONIC_UD2 ||
				       decoded->mnemonic == ZYDIS_MNEMONIC_HLT ?
			       FLOW_UNKNOWN :
			       FLOW_NEXT;
	}
}

/* Where a branch, jump or call leads: its first operand says it. */
static void find_target(const ZydisDecodedInstruction *decoded, struct instruction *instruction,
			const ZydisDecodedOperand *operand)
{
	ZyanU64 target;

	if (is_immediate(operand)) {
		if (ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(decoded, operand, instruction->address,
							  &target)))
			instruction->target = target;
	} else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		   operand->mem.base == ZYDIS_REGISTER_RIP) {
		instruction->slot = instruction->address + instruction->length +
				    (uint64_t)operand->mem.disp.value;
	}
}

static void add_operands(const ZydisDecodedInstruction *decoded, struct instruction *instruction,
			 const ZydisDecodedOperand *operands)
{
	for (uint8_t i = 0; i < decoded->operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];
		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
			ZydisOperandActions actions = operand->actions;
			if (operand->reg.value == ZYDIS_REGISTER_RFLAGS && !uses_flags(decoded))
				actions &= (ZydisOperandActions)~ZYDIS_OPERAND_ACTION_MASK_READ;
			add_register(instruction, operand->reg.value, actions);
		} else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			add_memory(instruction, operand);
		}
	}
	if (decoded->cpu_flags && (decoded->cpu_flags->modified | decoded->cpu_flags->set_0 |
				   decoded->cpu_flags->set_1 | decoded->cpu_flags->undefined))
		instruction->writes |= REGISTER_BIT(MACHINE_FLAGS);
}

bool instruction_is_available(void)
{
	return true;
}

/* All but `effect`, and what is read and written. */
static bool decode(const uint8_t *bytes, size_t size, struct instruction *instruction,
		   ZydisDecodedInstruction *decoded, ZydisDecodedOperand *operands)
{
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, decoded, operands)))
		return false;
	instruction->length = decoded->length;
	instruction->source = MACHINE_NONE;
	instruction->memory.base = instruction->memory.index = MACHINE_NONE;
	instruction->flow = (uint8_t)flow_of(decoded);
	if (instruction->flow != FLOW_NEXT)
		find_target(decoded, instruction, &operands[0]);
	return true;
}

bool instruction_decode(const uint8_t *bytes, size_t size, uint64_t address,
			struct instruction *instruction)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction decoded;

	*instruction = (struct instruction){.address = address};
	if (!decode(bytes, size, instruction, &decoded, operands))
		return false;
	instruction->effect = (uint8_t)effect_of(&decoded, instruction, operands);
	if (instruction->effect == EFFECT_NONE || instruction->effect == EFFECT_PAUSE)
		return true; /* the stack is kept; hints change nothing */
	add_operands(&decoded, instruction, operands);
	if (instruction->effect == EFFECT_POPS)
		instruction->memory =
			(struct instruction_memory){.base = MACHINE_NONE, .index = MACHINE_NONE};
	return true;
}

bool instruction_decode_flow(const uint8_t *bytes, size_t size, uint64_t address,
			     struct instruction *instruction)
{
	ZydisDecodedInstruction decoded;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size, &decoded)))
		return false;
	instruction->length = decoded.length;
	instruction->flow = (uint8_t)flow_of(&decoded);
	instruction->target = decoded.raw.imm[0].is_relative ?
				      address + decoded.length + decoded.raw.imm[0].value.u :
				      0;
	return true;
}

static bool is_register(const ZydisDecodedOperand *operand, ZydisRegister named)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == named;
}

/* Whatever the instruction is. */
static void add_written(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
			struct stack_effect *stack)
{
	for (uint8_t i = 0; i < decoded->operand_count; i++) {
		uint8_t number =
			operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
					operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ?
				register_number(operands[i].reg.value) :
				(uint8_t)MACHINE_NONE;
		if (number == MACHINE_SP)
			stack->stack_pointer = STACK_LOST;
		if (number == MACHINE_BP)
			stack->frame_pointer = STACK_LOST;
	}
}

static void add_push(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
		     struct stack_effect *stack)
{
	stack->stack_pointer = STACK_MOVED;
	stack->growth = decoded->operand_width / 8;
	if (is_register(&operands[0], ZYDIS_REGISTER_RBP))
		stack->frame_pointer = STACK_SAVED;
}

static void add_pop(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
		    struct stack_effect *stack)
{
	stack->stack_pointer =
		is_register(&operands[0], ZYDIS_REGISTER_RSP) ? STACK_LOST : STACK_MOVED;
	stack->growth = -(decoded->operand_width / 8);
	stack->frame_pointer =
		is_register(&operands[0], ZYDIS_REGISTER_RBP) ? STACK_RESTORED : STACK_KEPT;
}

/* lea of one of the two registers, from one of them and a constant. */
static void add_lea(const ZydisDecodedOperand *operands, struct stack_effect *stack)
{
	const ZydisDecodedOperand *from = &operands[1];
	ZydisRegister base =
		from->mem.index == ZYDIS_REGISTER_NONE ? from->mem.base : ZYDIS_REGISTER_NONE;

	if (is_register(&operands[0], ZYDIS_REGISTER_RSP) &&
	    (base == ZYDIS_REGISTER_RSP || base == ZYDIS_REGISTER_RBP)) {
		stack->stack_pointer = base == ZYDIS_REGISTER_RSP ? STACK_MOVED : STACK_COPIED;
		stack->growth = -from->mem.disp.value;
	}
}

static void add_move(const ZydisDecodedOperand *operands, struct stack_effect *stack)
{
	if (is_register(&operands[0], ZYDIS_REGISTER_RSP) &&
	    is_register(&operands[1], ZYDIS_REGISTER_RBP))
		stack->stack_pointer = STACK_COPIED;
	if (is_register(&operands[0], ZYDIS_REGISTER_RBP) &&
	    is_register(&operands[1], ZYDIS_REGISTER_RSP))
		stack->frame_pointer = STACK_COPIED;
}

static void add_sum(const ZydisDecodedOperand *operands, int64_t sign, struct stack_effect *stack)
{
	if (!is_register(&operands[0], ZYDIS_REGISTER_RSP) || !is_immediate(&operands[1]))
		return;
	stack->stack_pointer = STACK_MOVED;
	stack->growth = sign * operands[1].imm.value.s;
}

static void stack_effect_of(const ZydisDecodedInstruction *decoded,
			    const ZydisDecodedOperand *operands, struct stack_effect *stack)
{
	*stack = (struct stack_effect){0};
	if (decoded->meta.category == ZYDIS_CATEGORY_CALL ||
	    decoded->meta.category == ZYDIS_CATEGORY_RET)
		return;
	add_written(decoded, operands, stack);
	switch (decoded->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHFQ:
		add_push(decoded, operands, stack);
		break;
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_POPFQ:
		add_pop(decoded, operands, stack);
		break;
	case ZYDIS_MNEMONIC_ADD:
		add_sum(operands, -1, stack);
		break;
	case ZYDIS_MNEMONIC_SUB:
		add_sum(operands, 1, stack);
		break;
	case ZYDIS_MNEMONIC_LEA:
		add_lea(operands, stack);
		break;
	case ZYDIS_MNEMONIC_MOV:
		add_move(operands, stack);
		break;
	case ZYDIS_MNEMONIC_LEAVE:
		*stack = (struct stack_effect){STACK_COPIED, STACK_RESTORED, -8};
		break;
	default:
		break;
	}
}

bool instruction_decode_stack(const uint8_t *bytes, size_t size, uint64_t address,
			      struct instruction *instruction, struct stack_effect *stack)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction decoded;

	*instruction = (struct instruction){.address = address};
	if (!decode(bytes, size, instruction, &decoded, operands))
		return false;
	instruction->effect = decoded.meta.category == ZYDIS_CATEGORY_NOP ||
					      decoded.meta.category == ZYDIS_CATEGORY_WIDENOP ||
					      decoded.mnemonic == ZYDIS_MNEMONIC_INT3 ?
				      EFFECT_NONE :
				      EFFECT_COMPUTES;
	stack_effect_of(&decoded, operands, stack);
	return true;
}
