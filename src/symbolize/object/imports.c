/* SPDX-License-Identifier: BSD-2-Clause */
/* imports - where an object's relocations ask for the address of a symbol, by address. */
#include "symbolize/object/object.h"

#include "base/memory.h"

#include <stdlib.h>

static int by_address(const void *one, const void *other)
{
	const struct import_slot *a = one, *b = other;

	return (a->address > b->address) - (a->address < b->address);
}

static void read_section(struct object *object, Elf_Scn *section)
{
	GElf_Shdr header, symbols_header;
	Elf_Data *data = elf_getdata(section, NULL);

	if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
	    !(header.sh_flags & SHF_ALLOC) || !header.sh_entsize || !data)
		return;
	Elf_Scn *symbols = elf_getscn(object->elf, header.sh_link);
	Elf_Data *symbols_data = symbols ? elf_getdata(symbols, NULL) : NULL;
	if (!symbols_data || !gelf_getshdr(symbols, &symbols_header))
		return;
	for (size_t i = 0; i < data->d_size / header.sh_entsize && i < INT32_MAX; i++) {
		GElf_Rela relocation;
		GElf_Sym symbol;
		if (!gelf_getrela(data, (int)i, &relocation))
			return;
		if (!GELF_R_SYM(relocation.r_info) ||
		    !gelf_getsym(symbols_data, (int)GELF_R_SYM(relocation.r_info), &symbol))
			continue;
		const char *name = elf_strptr(object->elf, symbols_header.sh_link, symbol.st_name);
		if (name)
			*array_add(&object->imports) = (struct import_slot){
				.address = relocation.r_offset,
				.name = name,
			};
	}
}

static void read_imports(struct object *object)
{
	Elf_Scn *section = NULL;

	object->has_read_imports = true;
	while (object->elf && (section = elf_nextscn(object->elf, section)))
		read_section(object, section);
	if (object->imports.count)
		qsort(object->imports.items, object->imports.count, sizeof(struct import_slot),
		      by_address);
}

const char *object_imported(struct object *object, uint64_t slot)
{
	const struct import_slot wanted = {.address = slot};

	if (!object->has_read_imports)
		read_imports(object);
	const struct import_slot *found =
		object->imports.count ? bsearch(&wanted, object->imports.items,
						object->imports.count, sizeof(wanted), by_address) :
					NULL;
	return found ? found->name : NULL;
}
