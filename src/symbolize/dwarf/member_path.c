/* SPDX-License-Identifier: BSD-2-Clause */
/* member_path - finds the variable's entry, and goes down its type. */
#include "symbolize/dwarf/member_path.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "symbolize/dwarf/dwarf_prefilter.h"
#include "symbolize/dwarf/unit.h"

#include <dwarf.h>
#include <fnmatch.h>
#include <string.h>

#define NESTING_MOST 40

/* ---- the variable ---- */

static bool is_at(Dwarf_Die *die, uint64_t address)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t count;

	return dwarf_attr(die, DW_AT_location, &attribute) &&
	       !dwarf_getlocation(&attribute, &operations, &count) && count == 1 &&
	       operations[0].atom == DW_OP_addr && operations[0].number == address;
}

static bool find_variable(Dwarf_Die *parent, uint64_t address, unsigned depth, Dwarf_Die *found)
{
	Dwarf_Die child, next;

	if (depth > NESTING_MOST || dwarf_child(parent, &child))
		return false;
	for (;;) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
			if (is_at(&child, address)) {
				*found = child;
				return true;
			}
			break;
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
		case DW_TAG_namespace:
			if (find_variable(&child, address, depth + 1, found))
				return true;
			break;
		default:
			break;
		}
		/* A damaged sibling reference may point back: go forward only. */
		if (dwarf_siblingof(&child, &next) || (char *)next.addr <= (char *)child.addr)
			return false;
		child = next;
	}
}

/* ---- its type ---- */

static bool is_of_system(Dwarf_Die *type)
{
	static const char *const files[] = {"/usr/include/*", "/usr/lib/*", "/rustc/*",
					    "*/rustlib/*", "*/go/src/sync/*"};
	static const char *const names[] = {"sync.*",  "Mutex<*", "RwLock<*",
					    "Condvar", "Once*",   "Parker"};
	const char *file = dwarf_decl_file(type), *name = dwarf_diename(type);

	for (size_t i = 0; file && i < sizeof(files) / sizeof(*files); i++)
		if (!fnmatch(files[i], file, 0))
			return true;
	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!fnmatch(names[i], name, 0))
			return true;
	return false;
}

/* Without names and qualifiers; false at a type of the system's headers. */
static bool plain_type(Dwarf_Die *of, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	if (!dwarf_formref_die(dwarf_attr_integrate(of, DW_AT_type, &attribute), type))
		return false;
	for (unsigned i = 0; i < NESTING_MOST; i++) {
		Dwarf_Die inner;
		int tag = dwarf_tag(type);
		if (is_of_system(type))
			return false;
		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type &&
		    tag != DW_TAG_volatile_type && tag != DW_TAG_atomic_type)
			return true;
		if (!dwarf_formref_die(dwarf_attr(type, DW_AT_type, &attribute), &inner))
			return false;
		*type = inner;
	}
	return false;
}

static bool member_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *member, uint64_t *begin)
{
	Dwarf_Die child;
	bool is_found = false;

	if (dwarf_child(type, &child))
		return false;
	do {
		Dwarf_Attribute attribute;
		Dwarf_Word at = 0;
		int tag = dwarf_tag(&child);
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		bool has_offset = dwarf_attr(&child, DW_AT_data_member_location, &attribute);
		if (has_offset && dwarf_formudata(&attribute, &at))
			continue;
		if ((!has_offset && dwarf_hasattr(&child, DW_AT_external)) || at > offset ||
		    (is_found && at <= *begin))
			continue;
		*member = child;
		*begin = at;
		is_found = true;
	} while (!dwarf_siblingof(&child, &child));
	return is_found;
}

static bool element_size(Dwarf_Die *array, uint64_t *size)
{
	Dwarf_Attribute attribute;
	Dwarf_Die element;
	Dwarf_Word bytes;

	if (!dwarf_formref_die(dwarf_attr(array, DW_AT_type, &attribute), &element) ||
	    dwarf_aggregate_size(&element, &bytes) || !bytes)
		return false;
	*size = bytes;
	return true;
}

static void append(char **path, char *more)
{
	char *longer = text_format("%s%s", *path, more);

	free(*path);
	free(more);
	*path = longer;
}

/* One step down; false where the path ends. `at` becomes the member, or the array. */
static bool step(Dwarf_Die *at, uint64_t *offset, char **path)
{
	Dwarf_Die type, member;
	uint64_t begin = 0, size;

	if (!plain_type(at, &type))
		return false;
	switch (dwarf_tag(&type)) {
	case DW_TAG_array_type:
		if (!element_size(&type, &size))
			return false;
		append(path, text_format("[%llu]", (unsigned long long)(*offset / size)));
		*offset %= size;
		*at = type;
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (!member_at(&type, *offset, &member, &begin))
			return false;
		if (dwarf_tag(&member) == DW_TAG_member && dwarf_diename(&member))
			append(path, text_format(".%s", dwarf_diename(&member)));
		*offset -= begin;
		*at = member;
		return true;
	default:
		return false;
	}
}

static char *path_in(Dwarf_Die *variable, uint64_t offset)
{
	char *path = text_copy("");
	Dwarf_Die at = *variable;

	for (unsigned i = 0; i < NESTING_MOST && step(&at, &offset, &path); i++)
		;
	return path;
}

char *member_path(struct object *object, const char *base, uint64_t address, uint64_t offset)
{
	struct units *units = units_read(object);
	struct dwarf_prefilter *prefilter =
		units->count ? dwarf_prefilter_new(object, base, DW_TAG_variable) : NULL;
	char *path = NULL;

	for (size_t i = 0; i < units->count && !path; i++) {
		Dwarf_Die top = unit_full_die(&units->items[i]), variable;
		if (dwarf_prefilter_may_have(prefilter, &units->items[i]) &&
		    find_variable(&top, address - (uint64_t)object->debug_bias, 0, &variable))
			path = path_in(&variable, offset);
	}
	dwarf_prefilter_free(prefilter);
	return path;
}
