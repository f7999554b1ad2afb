/* SPDX-License-Identifier: BSD-2-Clause */
/* skid - reads a function's instructions for where control comes from. */
#include "symbolize/skid.h"

#include "symbolize/machine/instruction.h"
#include "symbolize/machine_code.h"
#include "symbolize/object/unwind.h"

#include <string.h>

#define FUNCTION_MOST (1u << 20) /* bytes; in longer functions nothing moves */

enum {
	REACHED_FROM_BEFORE = 1,
	REACHED_BY_JUMP = 2,
};

struct skid {
	const struct object *object;
	struct range function; /* file offsets */
	uint64_t start;        /* its address */
	uint8_t *reached;      /* by byte; NULL: unknown */
};

void skid_free(struct skid *skid)
{
	if (skid)
		free(skid->reached);
	free(skid);
}

static void note(struct skid *skid, uint64_t address, uint8_t how)
{
	if (address > skid->start &&
	    address - skid->start < skid->function.end - skid->function.start)
		skid->reached[address - skid->start] |= how;
}

static void read_instructions(struct skid *skid)
{
	uint64_t size = skid->function.end - skid->function.start, at = 0;
	const uint8_t *bytes = machine_code_bytes(skid->object, skid->function.start, size);
	struct instruction one;

	if (!bytes || size > FUNCTION_MOST || !machine_code_is_x86_64(skid->object))
		return;
	skid->reached = memory_new(size + 1, 1);
	while (at < size &&
	       instruction_decode_flow(bytes + at, size - at, skid->start + at, &one)) {
		bool jumps = one.flow == FLOW_BRANCH || one.flow == FLOW_JUMP;
		at += one.length;
		if (one.flow == FLOW_NEXT || one.flow == FLOW_BRANCH || one.flow == FLOW_CALL)
			note(skid, skid->start + at, REACHED_FROM_BEFORE);
		if (jumps && one.target)
			note(skid, one.target, REACHED_BY_JUMP);
	}
}

/* False: no function is known around the byte before the offset. */
static bool find_function(struct skid *skid, const struct object *object, uint64_t offset)
{
	struct range function;

	if (skid->object == object && skid->function.start < offset && offset <= skid->function.end)
		return true;
	free(skid->reached);
	*skid = (struct skid){.object = NULL};
	if (!unwind_function_at(object, offset - 1, &function) ||
	    !object_address(object, function.start, &skid->start))
		return false;
	skid->object = object;
	skid->function = function;
	read_instructions(skid);
	return true;
}

uint64_t skid_boundary(struct skid **skid, const struct object *object, uint64_t address)
{
	uint64_t offset;

	if (!object->elf || object->is_kernel || object->is_jit || !address ||
	    !object_offset(object, address - 1, &offset))
		return address;
	if (!*skid)
		*skid = memory_new(1, sizeof(**skid));
	offset++;
	if (!find_function(*skid, object, offset) || !(*skid)->reached ||
	    offset == (*skid)->function.end)
		return address;
	uint8_t how = (*skid)->reached[offset - (*skid)->function.start];
	return how == REACHED_FROM_BEFORE ? address + 1 : address;
}
