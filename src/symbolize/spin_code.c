/* SPDX-License-Identifier: BSD-2-Clause */
/* spin_code - hands the functions of ELF files to spin/spin_loops and spin/retry_loops. */
#include "symbolize/retry_code.h"

#include "symbolize/internal.h"
#include "symbolize/machine/instruction.h"
#include "symbolize/machine_code.h"
#include "symbolize/object/unwind.h"
#include "symbolize/parser/parser.h"
#include "symbolize/spin/retry_loops.h"
#include "symbolize/spin/spin_loops.h"

#include <gelf.h>

#define FUNCTION_MOST 65536 /* bytes; loops of longer functions are not looked at */
#define UNKNOWN_BYTES 64    /* of a function whose end is unknown */

struct reader {
	struct symbols *symbols;
	struct object *object;
};

/* The function's offsets in the file, by its unwind information or its symbol. */
static bool function_range(const struct reader *reader, uint64_t offset, struct range *range)
{
	if (unwind_function_at(reader->object, offset, range))
		return true;
	if (!reader->object->shown.in_scope) /* large symbol tables take long to read */
		return false;
	struct symtab *symtab = object_symtab(reader->object, &reader->symbols->sources.texts);
	const struct symtab_entry *entry = symtab_at(symtab, offset);
	if (!entry)
		return false;
	*range = (struct range){.start = entry->start, .end = entry->end};
	return true;
}

static bool read_function(void *context, uint64_t address, struct loop_function *function)
{
	const struct reader *reader = context;
	struct range range;
	uint64_t offset;
	size_t size = 0;
	const char *image = elf_rawfile(reader->object->elf, &size);

	if (!image || !object_offset(reader->object, address, &offset))
		return false;
	if (!function_range(reader, offset, &range))
		range = (struct range){.start = offset, .end = offset + UNKNOWN_BYTES};
	if (range.end > size)
		range.end = size;
	if (range.start > offset || range.end <= offset || range.end - range.start > FUNCTION_MOST)
		return false;
	*function = (struct loop_function){.start = address - (offset - range.start),
					   .end = address + (range.end - offset),
					   .bytes = (const uint8_t *)image + range.start};
	return true;
}

static const char *imported(void *context, uint64_t slot)
{
	return object_imported(((const struct reader *)context)->object, slot);
}

static void add_range(const struct object *object, const struct spin_range *found,
		      struct ranges *loops, struct ranges *helpers)
{
	uint64_t start;

	if (object_offset(object, found->start, &start))
		ranges_add(found->is_helper ? helpers : loops, start,
			   start + (found->end - found->start));
}

/* Its address, and the function's offsets. */
static bool find_function(const struct reader *reader, uint64_t offset, uint64_t *address,
			  struct range *function)
{
	GElf_Ehdr header;

	return reader->object->elf && gelf_getehdr(reader->object->elf, &header) &&
	       header.e_machine == EM_X86_64 && object_address(reader->object, offset, address) &&
	       function_range(reader, offset, function);
}

bool symbols_retry_loops(struct symbols *symbols, uint32_t object, uint64_t offset,
			 struct range *function, struct ranges *loops)
{
	if (symbols->parser)
		return parser_retry_loops(symbols->parser,
					  &(struct symbols_address){.object = object,
								    .offset = offset},
					  function, loops);
	struct reader reader = {.symbols = symbols, .object = symbols_open(symbols, object)};
	struct spin_ranges found = {0};
	struct loop_function asked;
	uint64_t address;

	if (!find_function(&reader, offset, &address, function))
		return false;
	if (!read_function(&reader, address, &asked))
		return true;
	retry_loops_find(&asked, &found);
	for (size_t i = 0; i < found.count; i++)
		add_range(reader.object, &found.items[i], loops, NULL);
	array_free(&found);
	return true;
}

bool symbols_spin_loops(struct symbols *symbols, uint32_t object, uint64_t offset,
			struct range *function, struct ranges *loops, struct ranges *helpers)
{
	if (symbols->parser)
		return parser_spin_loops(symbols->parser,
					 &(struct symbols_address){.object = object,
								   .offset = offset},
					 function, loops, helpers);
	struct reader reader = {.symbols = symbols, .object = symbols_open(symbols, object)};
	struct loop_code code = {.context = &reader,
				 .function = read_function,
				 .imported = imported};
	struct spin_ranges found = {0};
	struct loop_function asked;
	uint64_t address;

	if (!find_function(&reader, offset, &address, function))
		return false;
	if (!read_function(&reader, address, &asked))
		return true;
	spin_loops_find(&code, &asked, &found);
	for (size_t i = 0; i < found.count; i++)
		add_range(reader.object, &found.items[i], loops, helpers);
	array_free(&found);
	return true;
}

bool symbols_finds_spin_loops(void)
{
#ifdef __x86_64__
	return instruction_is_available();
#else
	return false; /* the decoder's code is another processor's */
#endif
}
