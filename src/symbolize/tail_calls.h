/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tail_calls - functions that a call entered and that ended in a jump to another function, so that
 * no frame of theirs is left on the stack.
 *
 * The call before a return address says which function was entered; the jumps that lead out of it,
 * and out of those that they lead to, say how the function came to run that stands below the
 * return address. docs/decisions.md, "Tail calls".
 */
#pragma once

#include "symbolize/symbols.h"

struct object;
struct tail_calls; /* what is known of functions' jumps; in struct symbols */

void tail_calls_free(struct tail_calls *calls);

#define TAIL_FRAMES_MOST 4

/* A function without a frame, and the last byte of the jump that left it, or its own first byte. */
struct tail_frame {
	struct object *object;
	uint64_t start, jump; /* file offsets */
};

/*
 * The functions between the call whose last byte is at `call` and the code at `offset`, outermost
 * first; at most TAIL_FRAMES_MOST. 0: the call led there, or nothing is known.
 */
size_t tail_calls_between(struct symbols *symbols, struct object *caller, uint64_t call,
			  struct object *callee, uint64_t offset, struct tail_frame *frames);
/*
 * The last function in scope on the way from the call to a jump out of the scope. False: the call
 * leads out of scope itself, or never.
 */
bool tail_calls_out_of_scope(struct symbols *symbols, struct object *caller, uint64_t call,
			     struct tail_frame *frame);
/*
 * The function that the call enters, if it may end in a jump to another one: what runs then has the
 * call's return address on the stack, and no frame of the function.
 */
bool tail_calls_entered(struct symbols *symbols, struct object *caller, uint64_t call,
			struct object **entered, uint64_t *start);
/* A function to which another may jump at its end: both 0: to where a pointer says. */
struct tail_jump {
	uint32_t import; /* linker name of another file's function */
	uint64_t start;  /* of one in the same file */
};
struct tail_jumps {
	struct tail_jump *items;
	size_t count, capacity;
};
/* Appends those of the function that begins there, each once. */
void tail_calls_jumps(struct symbols *symbols, struct object *object, uint64_t start,
		      struct tail_jumps *jumps);
/*
 * The function of another file, by its linker name, that the call enters; 0: none, or not known.
 * `library`: the file that offers it; NULL: not known.
 */
uint32_t tail_calls_import(struct symbols *symbols, struct object *caller, uint64_t call,
			   const struct object **library);
