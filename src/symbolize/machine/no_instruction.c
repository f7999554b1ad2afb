/* SPDX-License-Identifier: BSD-2-Clause */
/* no_instruction - stands in for instruction.c where Lever is built without Zydis. */
#include "symbolize/machine/instruction.h"

bool instruction_is_available(void)
{
	return false;
}

bool instruction_decode(const uint8_t *bytes, size_t size, uint64_t address,
			struct instruction *instruction)
{
	(void)bytes, (void)size, (void)address, (void)instruction;
	return false;
}

bool instruction_decode_flow(const uint8_t *bytes, size_t size, uint64_t address,
			     struct instruction *instruction)
{
	return instruction_decode(bytes, size, address, instruction);
}

bool instruction_decode_stack(const uint8_t *bytes, size_t size, uint64_t address,
			      struct instruction *instruction, struct stack_effect *stack)
{
	(void)stack;
	return instruction_decode(bytes, size, address, instruction);
}
