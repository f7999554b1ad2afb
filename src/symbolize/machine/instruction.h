/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * instruction - one machine instruction of x86-64, reduced to what the search for spin loops, for
 * jumps at a function's end and for frames needs: where control goes, and which registers and
 * memory are read and written.
 *
 * By Zydis; without it (`lever check`) instruction_decode always fails.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum machine_register {
	MACHINE_CX = 1,
	MACHINE_SP = 4,
	MACHINE_BP = 5,
	MACHINE_FLAGS = 16,
	MACHINE_VECTOR = 32, /* 32 of them */
	MACHINE_REGISTERS = 64,
	MACHINE_NONE = 255,
};

enum instruction_flow {
	FLOW_NEXT,
	FLOW_BRANCH, /* conditional */
	FLOW_JUMP,
	FLOW_CALL,
	FLOW_RETURN,
	FLOW_UNKNOWN, /* an indirect jump, a system call, a trap */
};

enum instruction_effect {
	EFFECT_NONE,             /* nop, fences, what keeps the stack */
	EFFECT_PAUSE,            /* pause, tpause, umwait */
	EFFECT_CONSTANT,         /* whatever is read: xor of a register with itself */
	EFFECT_MOVES,            /* moves, masks, and conditions */
	EFFECT_COUNTS,           /* adds, subtracts, or shifts by a constant */
	EFFECT_COMPUTES,         /* anything else */
	EFFECT_TIME,             /* reads a clock */
	EFFECT_POPS,             /* from the stack */
	EFFECT_EXCHANGES,        /* swaps memory with a register, or sets a bit */
	EFFECT_COMPARE_EXCHANGE, /* lock cmpxchg */
	EFFECT_FORBIDDEN,        /* not understood here, or a change of state */
};

struct instruction_memory {
	uint8_t base, index; /* registers; MACHINE_NONE: none, or an absolute address */
	uint8_t size;        /* bytes; 255: more */
	bool is_read, is_written;
	bool is_thread_local; /* by the segment register */
	int64_t displacement; /* the address, if it is relative to the instruction */
};

struct instruction {
	uint64_t address;
	uint64_t target; /* of a branch, jump or call; 0: unknown */
	uint64_t slot;   /* address of the pointer through which is jumped or called; 0: none */
	uint64_t reads, writes; /* bits of registers */
	struct instruction_memory memory;
	uint8_t length, flow, effect;
	uint8_t source; /* EFFECT_EXCHANGES and _COMPARE_EXCHANGE: the stored register, or none */
};

enum stack_register_change {
	STACK_KEPT,
	STACK_MOVED,    /* the stack pointer, by a constant */
	STACK_SAVED,    /* the frame pointer, by a push */
	STACK_RESTORED, /* the frame pointer, by a pop */
	STACK_COPIED,   /* from the other one of the two registers */
	STACK_LOST,     /* to what is not known */
};

/* What an instruction does to the stack pointer and to the frame pointer. */
struct stack_effect {
	uint8_t stack_pointer, frame_pointer; /* enum stack_register_change */
	int64_t growth; /* bytes by which the stack grows, after what was copied */
};

bool instruction_is_available(void);
bool instruction_decode(const uint8_t *bytes, size_t size, uint64_t address,
			struct instruction *instruction);
/* Only `length`, `flow` and the `target` of a branch or jump; `address` counts for that. Faster. */
bool instruction_decode_flow(const uint8_t *bytes, size_t size, uint64_t address,
			     struct instruction *instruction);
/* The same, and what it does to the stack; a call comes back. */
bool instruction_decode_stack(const uint8_t *bytes, size_t size, uint64_t address,
			      struct instruction *instruction, struct stack_effect *stack);
