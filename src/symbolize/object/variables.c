/* SPDX-License-Identifier: BSD-2-Clause */
/* variables - global and static variables of an object's symbol table, by address. */
#include "symbolize/object/object.h"

#include "base/memory.h"
#include "base/text.h"

static int by_address(const void *one, const void *other)
{
	const struct variable *a = one, *b = other;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	/* Of several names of one address, the last in the table stands for it. */
	bool is_reserved = a->name[0] == '_', is_other = b->name[0] == '_';
	return (int)is_other - (int)is_reserved;
}

static void read_variables(struct object *object)
{
	int count = object->module ? dwfl_module_getsymtab(object->module) : 0;

	object->has_read_variables = true;
	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address = 0;
		const char *name = dwfl_module_getsym_info(object->module, i, &symbol, &address,
							   NULL, NULL, NULL);
		if (!name || !name[0] || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
		    symbol.st_shndx == SHN_UNDEF || !symbol.st_size)
			continue;
		*array_add(&object->variables) = (struct variable){
			.address = address - object->bias,
			.size = symbol.st_size,
			.name = text_copy(name),
		};
	}
	if (object->variables.count)
		qsort(object->variables.items, object->variables.count, sizeof(struct variable),
		      by_address);
}

const struct variable *object_variable(struct object *object, uint64_t address)
{
	size_t low = 0;

	if (!object->has_read_variables)
		read_variables(object);
	for (size_t high = object->variables.count; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (object->variables.items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct variable *found = low ? &object->variables.items[low - 1] : NULL;
	return found && address - found->address < found->size ? found : NULL;
}

bool object_data_address(const struct object *object, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < object->segments.count; i++) {
		const struct segment *segment = &object->segments.items[i];
		if (!segment->writable || offset < segment->offset ||
		    offset - segment->offset >= segment->memory_size)
			continue;
		*address = offset - segment->offset + segment->address;
		return true;
	}
	return false;
}
