/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_code - reads the bytes of ELF files. */
#include "symbolize/machine_code.h"

#include "symbolize/machine/instruction.h"
#include "symbolize/object/object.h"

#include <gelf.h>

bool machine_code_is_x86_64(const struct object *object)
{
	GElf_Ehdr header;

	return object->elf && gelf_getehdr(object->elf, &header) && header.e_machine == EM_X86_64;
}

const uint8_t *machine_code_bytes(const struct object *object, uint64_t offset, uint64_t size)
{
	size_t length = 0;
	const char *image = object->elf ? elf_rawfile(object->elf, &length) : NULL;

	return image && offset <= length && size <= length - offset ?
		       (const uint8_t *)image + offset :
		       NULL;
}

#define INSTRUCTION_BYTES_MOST 15
#define PROBE_TRIES_MOST 4 /* instructions */

static bool is_legacy_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3;
}

/* is_prefix_bad of arch/x86/kernel/uprobes.c: LOCK, and the segments ES, CS, SS and DS. */
static bool is_refused_prefix(uint8_t byte)
{
	return byte == 0xf0 || byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e;
}

static bool has_refused_prefix(const uint8_t *bytes)
{
	size_t i = 0;

	while (i < INSTRUCTION_BYTES_MOST - 1 && is_legacy_prefix(bytes[i]))
		i++;
	return is_refused_prefix(bytes[i]);
}

uint64_t machine_code_probe_offset(const struct object *object, uint64_t offset)
{
	uint64_t at = offset;

	if (!machine_code_is_x86_64(object))
		return offset;
	for (unsigned i = 0; i < PROBE_TRIES_MOST; i++) {
		const uint8_t *bytes = machine_code_bytes(object, at, INSTRUCTION_BYTES_MOST);
		struct instruction instruction;
		if (!bytes)
			return offset;
		if (!has_refused_prefix(bytes))
			return at;
		if (!instruction_decode_flow(bytes, INSTRUCTION_BYTES_MOST, at, &instruction) ||
		    instruction.flow != FLOW_NEXT)
			return offset;
		at += instruction.length;
	}
	return offset;
}
