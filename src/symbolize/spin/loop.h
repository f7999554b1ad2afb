/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loop - the short loops of a function, each with the instructions of the small functions that it
 * calls.
 *
 * A loop is made of a jump backwards and the instructions between its target and it from which the
 * jump can be reached again.
 */
#pragma once

#include "base/memory.h"
#include "symbolize/machine/instruction.h"

#define LOOP_NODES_MOST 128
#define LOOP_REGION_MOST 512 /* instructions between a loop's ends */
#define LOOP_OUT UINT32_MAX  /* a successor outside of the loop */
#define LOOP_HELPERS_MOST 8

/* The code of a function at [start, end). */
struct loop_function {
	uint64_t start, end;
	const uint8_t *bytes;
};

/* Where other code is; both may be called often. */
struct loop_code {
	void *context;
	/* The function that holds the address. */
	bool (*function)(void *context, uint64_t address, struct loop_function *function);
	/* The name of the function whose address the loader writes to `slot`; NULL if unknown. */
	const char *(*imported)(void *context, uint64_t slot);
};

enum loop_call {
	LOOP_CALL_NONE,
	LOOP_CALL_YIELDS, /* gives up the core */
	LOOP_CALL_CLOCK,  /* reads a clock */
};

struct loop_node {
	struct instruction instruction;
	uint32_t next, other; /* successors; `other` of a branch that is taken */
	uint8_t call;         /* enum loop_call, of another file's function */
	uint8_t function;     /* 0: the loop's own; else a helper */
	bool has_frame;       /* the function has a frame pointer */
};

struct loop {
	struct loop_node nodes[LOOP_NODES_MOST];
	uint32_t count;
	uint32_t own;                           /* of them: the loop's own; they are the first */
	uint32_t header, latch;                 /* the backward jump's target, and the jump */
	bool is_understood;                     /* false: it calls or does what is not known here */
	uint64_t helpers[LOOP_HELPERS_MOST][2]; /* code of functions that it calls: start, end */
	uint32_t helper_count;
};

/* A function's instructions. */
struct loop_instructions {
	struct instruction *items;
	size_t count, capacity;
	bool has_frame;
};

void loop_instructions_read(const struct loop_function *function,
			    struct loop_instructions *instructions);
void loop_instructions_clear(struct loop_instructions *instructions);
/* The index of the instruction at the address, or `count`. */
size_t loop_instructions_at(const struct loop_instructions *instructions, uint64_t address);
/*
 * Sets for each instruction from `header` to the jump `latch` whether it is part of the loop.
 * False: there is none, or it is too long.
 */
bool loop_region(const struct loop_instructions *instructions, size_t header, size_t latch,
		 bool is_in[LOOP_REGION_MOST]);
/*
 * The loop that the jump `latch` back to `header` closes. False: there is none, or it is too long.
 */
bool loop_find(const struct loop_code *code, const struct loop_instructions *instructions,
	       size_t header, size_t latch, struct loop *loop);
