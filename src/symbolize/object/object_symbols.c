/* SPDX-License-Identifier: BSD-2-Clause */
/* object_symbols - reads the functions of an object's symbol table, with where each ends. */
#include "base/cleanup.h"
#include "symbolize/language/demangle.h"
#include "symbolize/object/object.h"
#include "symbolize/object/unwind.h"

#include <string.h>

/* A label of assembly code does not reach into the functions behind it that lost their names. */
static uint64_t code_end(void *context, uint64_t start, bool has_size)
{
	const struct object *object = context;
	struct range function;

	if (!has_size) {
		unwind_function_at(object, start, &function);
		if (function.end > start)
			return function.end;
	}
	return ranges_end(&object->code, start);
}

/* Of several names of an address: "read" rather than "__libc_read", "f" than "f.part.0". */
static uint8_t name_preference(const char *name, size_t stem, const GElf_Sym *symbol)
{
	bool is_function = GELF_ST_TYPE(symbol->st_info) == STT_FUNC;
	bool is_global = GELF_ST_BIND(symbol->st_info) != STB_LOCAL;
	bool is_public =
		name[0] != '_' || strncmp(name, "_Z", 2) == 0 || strncmp(name, "_R", 2) == 0;
	return (uint8_t)(8 * is_function + 4 * is_public + 2 * is_global + (name[stem] == '\0'));
}

/* `given` may have a version: "clock_nanosleep@@GLIBC_2.17". */
static void add_symbol(struct object *object, const char *given, const GElf_Sym *symbol,
		       uint64_t address, uint32_t file, struct interner *texts)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);
	AUTO(text) char *name = text_format("%.*s", (int)strcspn(given, "@"), given);
	size_t stem = demangle_stem(name);
	uint64_t offset;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS || !name[0] ||
	    !object_offset(object, address, &offset) || !ranges_has(&object->code, offset))
		return;
	if (type != STT_FUNC && (type != STT_NOTYPE || bind == STB_LOCAL))
		return;
	uint64_t size = type == STT_FUNC ? symbol->st_size : 0;
	*array_add(&object->symtab) = (struct symtab_entry){
		.start = offset,
		.end = size < UINT64_MAX - offset ? offset + size : offset,
		.name = interner_add_part(texts, name, stem),
		.file = bind == STB_LOCAL ? file : 0,
		.preference = name_preference(name, stem, symbol),
		.is_part = strncmp(name + stem, ".part", 5) == 0 ||
			   strncmp(name + stem, ".cold", 5) == 0,
	};
}

struct symtab *object_symtab(struct object *object, struct interner *texts)
{
	if (object->has_read_symbols || !object->module)
		return &object->symtab;
	object->has_read_symbols = true;
	int count = dwfl_module_getsymtab(object->module);
	uint32_t file = 0;
	for (int i = 1; i < count; i++) {
		GElf_Sym symbol;
		GElf_Addr address = 0;
		const char *name = dwfl_module_getsym_info(object->module, i, &symbol, &address,
							   NULL, NULL, NULL);
		if (name && GELF_ST_TYPE(symbol.st_info) == STT_FILE)
			file = interner_add(texts, name);
		else if (name)
			add_symbol(object, name, &symbol, address - object->bias, file, texts);
	}
	symtab_index(&object->symtab, code_end, object);
	return &object->symtab;
}
