/* SPDX-License-Identifier: BSD-2-Clause */
/* dwarf_prefilter - byte searches in the sections that libdw has in memory. */
#include "symbolize/dwarf/dwarf_prefilter.h"

#include "base/hash_map.h"
#include "base/memory.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

#define FILTER_BITS 16

struct dwarf_prefilter {
	const unsigned char *info, *info_end;       /* .debug_info */
	const unsigned char *indices, *indices_end; /* .debug_str_offsets */
	char *name;
	unsigned tag;
	bool may_be_anywhere;
	struct hash_map offsets; /* of the name in .debug_str */
	unsigned char filter[(1 << FILTER_BITS) /
			     8]; /* low bits of the offsets, a Bloom filter with one hash */
};

struct bytes {
	const unsigned char *at, *end;
};

static struct bytes section_bytes(Elf *elf, const char *name)
{
	const Elf_Data *data = object_debug_section(elf, name);
	const unsigned char *start = data ? data->d_buf : NULL;
	return (struct bytes){.at = start, .end = data ? start + data->d_size : NULL};
}

static uint64_t next_uleb(struct bytes *bytes)
{
	uint64_t value = 0;

	for (unsigned shift = 0; bytes->at < bytes->end; shift += 7) {
		unsigned char byte = *bytes->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

/* Do entries refer to other units? The forms of references in the abbreviations tell. */
static bool units_share_entries(struct bytes abbreviations)
{
	while (abbreviations.at < abbreviations.end) {
		if (next_uleb(&abbreviations) == 0)
			continue; /* end of a table */
		next_uleb(&abbreviations);
		if (abbreviations.at < abbreviations.end)
			abbreviations.at++;
		uint64_t name, form;
		do {
			name = next_uleb(&abbreviations);
			form = next_uleb(&abbreviations);
			if (form == DW_FORM_implicit_const)
				next_uleb(&abbreviations);
			bool is_link = name == DW_AT_abstract_origin ||
				       name == DW_AT_specification || name == DW_AT_import;
			if (is_link && (form == DW_FORM_ref_addr || form == DW_FORM_GNU_ref_alt ||
					form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8))
				return true;
		} while ((name || form) && abbreviations.at < abbreviations.end);
	}
	return false;
}

static void add_offsets(struct dwarf_prefilter *prefilter, struct bytes strings)
{
	size_t length = strlen(prefilter->name);
	const unsigned char *at = strings.at;

	while (at && (at = memmem(at, (size_t)(strings.end - at), prefilter->name, length))) {
		const unsigned char *after = at + length;
		if (after < strings.end && (*after == '\0' || *after == '<')) {
			uint64_t offset = (uint64_t)(at - strings.at);
			uint32_t low = offset & ((1 << FILTER_BITS) - 1);
			hash_map_set(&prefilter->offsets, offset, 0, 1);
			prefilter->filter[low / 8] |= (unsigned char)(1 << low % 8);
		}
		at++;
	}
}

static bool is_identifier(const char *name)
{
	if (!isalpha((unsigned char)name[0]) && name[0] != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return *name == '\0';
}

struct dwarf_prefilter *dwarf_prefilter_new(struct object *object, const char *name, unsigned tag)
{
	struct dwarf_prefilter *prefilter = memory_new(1, sizeof(*prefilter));
	Dwarf *debug = object_debug(object);
	Elf *elf = debug ? dwarf_getelf(debug) : NULL;
	struct bytes info = section_bytes(elf, "info");
	struct bytes indices = section_bytes(elf, "str_offsets");

	prefilter->tag = tag;
	prefilter->info = info.at;
	prefilter->info_end = info.end;
	prefilter->indices = indices.at;
	prefilter->indices_end = indices.end;
	prefilter->name = text_copy(name);
	prefilter->may_be_anywhere = !info.at || !is_identifier(name) ||
				     units_share_entries(section_bytes(elf, "abbrev"));
	if (!prefilter->may_be_anywhere)
		add_offsets(prefilter, section_bytes(elf, "str"));
	return prefilter;
}

/* Size of a value in a unit of the 32-bit format; SIZE_MAX if it depends on the value. */
static size_t form_size(unsigned form, uint8_t address_size)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
		return 2;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strp:
	case DW_FORM_sec_offset:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
		return 8;
	case DW_FORM_addr:
		return address_size;
	default:
		return SIZE_MAX;
	}
}

/* Position of the name in an entry, in bytes after the abbreviation code. */
struct name_position {
	uint64_t code;
	size_t distance; /* SIZE_MAX: it varies */
	unsigned form;
};

struct name_positions {
	struct name_position *items;
	size_t count, capacity;
};

static void add_position(struct name_positions *positions, unsigned tag, Dwarf_Abbrev *abbreviation,
			 uint8_t address_size)
{
	size_t count = 0, distance = 0;

	if (dwarf_getabbrevtag(abbreviation) != tag || dwarf_getattrcnt(abbreviation, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		unsigned name = 0, form = 0;
		if (dwarf_getabbrevattr(abbreviation, i, &name, &form, NULL) != 0)
			return;
		if (name == DW_AT_name) {
			*array_add(positions) = (struct name_position){
				.code = dwarf_getabbrevcode(abbreviation),
				.distance = distance,
				.form = form,
			};
			return;
		}
		size_t size = form_size(form, address_size);
		distance = size == SIZE_MAX || distance == SIZE_MAX ? SIZE_MAX : distance + size;
	}
}

/* From the abbreviations of the unit. */
static void read_positions(const struct unit *unit, unsigned tag, struct name_positions *positions)
{
	Dwarf_Die die = unit->die;
	Dwarf_Off at = 0;
	size_t length = 0;
	uint8_t address_size = 8;

	dwarf_cu_info(die.cu, NULL, NULL, NULL, NULL, NULL, &address_size, NULL);
	for (;;) {
		Dwarf_Abbrev *abbreviation = dwarf_getabbrev(&die, at, &length);
		if (!abbreviation || abbreviation == DWARF_END_ABBREV || length == 0)
			return;
		add_position(positions, tag, abbreviation, address_size);
		at += length;
	}
}

/* Can the bytes at `at` be a name of this form? */
static bool is_name_position(const struct name_positions *positions, unsigned form,
			     const unsigned char *start, const unsigned char *at)
{
	for (size_t i = 0; i < positions->count; i++) {
		const struct name_position *position = &positions->items[i];
		uint64_t code = position->code;
		if (position->form != form)
			continue;
		if (position->distance == SIZE_MAX)
			return true;
		size_t room = (size_t)(at - start), code_size = 1;
		while (code >> 7 * code_size)
			code_size++;
		if (room < position->distance + code_size)
			continue;
		struct bytes entry = {.at = at - position->distance - code_size, .end = at};
		if (next_uleb(&entry) == code)
			return true;
	}
	return false;
}

static bool is_offset(const struct dwarf_prefilter *prefilter, const unsigned char *at)
{
	unsigned low = at[0] | (unsigned)at[1] << 8;

	if (!(prefilter->filter[low / 8] & 1 << low % 8))
		return false;
	uint64_t offset = low | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
	return hash_map_get(&prefilter->offsets, offset, 0) != HASH_MAP_NONE;
}

/* Is the name in .debug_str the name of a function of the unit? */
static bool has_offset(const struct dwarf_prefilter *prefilter,
		       const struct name_positions *positions, struct bytes unit)
{
	if (prefilter->offsets.count == 0)
		return false;
	for (const unsigned char *at = unit.at; unit.end - at >= 4; at++) {
		if (is_offset(prefilter, at) &&
		    is_name_position(positions, DW_FORM_strp, unit.at, at))
			return true;
	}
	return false;
}

/* Is the name in the unit itself? */
static bool has_name(const struct dwarf_prefilter *prefilter,
		     const struct name_positions *positions, struct bytes unit)
{
	size_t length = strlen(prefilter->name);
	const unsigned char *at = unit.at;

	while ((at = memmem(at, (size_t)(unit.end - at), prefilter->name, length))) {
		const unsigned char *after = at + length;
		if ((after == unit.end || *after == '\0' || *after == '<') &&
		    is_name_position(positions, DW_FORM_string, unit.at, at))
			return true;
		at++;
	}
	return false;
}

/* The string offsets of a DWARF 5 unit: its part of the section, after the length. */
static struct bytes unit_indices(const struct dwarf_prefilter *prefilter, uint64_t base)
{
	struct bytes none = {.at = prefilter->indices, .end = prefilter->indices};
	size_t size = (size_t)(prefilter->indices_end - prefilter->indices);
	uint32_t length;

	if (!prefilter->indices || base < 8 || base > size)
		return none;
	memcpy(&length, prefilter->indices + base - 8,
	       sizeof(length)); /* little endian was checked */
	if (length < 4 || length - 4 > size - base)
		return (struct bytes){.at = prefilter->indices, .end = prefilter->indices_end};
	return (struct bytes){.at = prefilter->indices + base,
			      .end = prefilter->indices + base + (length - 4)};
}

bool dwarf_prefilter_may_have(const struct dwarf_prefilter *prefilter, const struct unit *unit)
{
	Dwarf_Off next = 0, start = 0;
	size_t header = 0;
	Dwarf_Die die = unit->die;
	Dwarf_Attribute attribute;
	Dwarf_Word base = 0;
	uint8_t type = 0, offset_size = 0;

	if (prefilter->may_be_anywhere ||
	    dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, NULL, NULL, &offset_size) != 0 ||
	    type != DW_UT_compile || offset_size != 4)
		return true;
	start = dwarf_dieoffset(&die) - dwarf_cuoffset(&die);
	if (dwarf_nextcu(dwarf_cu_getdwarf(die.cu), start, &next, &header, NULL, NULL, NULL) != 0 ||
	    next > (uint64_t)(prefilter->info_end - prefilter->info) || start > next)
		return true;
	struct bytes bytes = {.at = prefilter->info + start, .end = prefilter->info + next};
	struct name_positions positions = {0};
	read_positions(unit, prefilter->tag, &positions);
	bool has =
		has_offset(prefilter, &positions, bytes) || has_name(prefilter, &positions, bytes);
	array_free(&positions);
	if (has ||
	    dwarf_formudata(dwarf_attr(&die, DW_AT_str_offsets_base, &attribute), &base) != 0)
		return has;
	bytes = unit_indices(prefilter, base);
	for (; prefilter->offsets.count && bytes.end - bytes.at >= 4; bytes.at += 4) {
		if (is_offset(prefilter, bytes.at))
			return true;
	}
	return false;
}

void dwarf_prefilter_free(struct dwarf_prefilter *prefilter)
{
	if (!prefilter)
		return;
	hash_map_clear(&prefilter->offsets);
	free(prefilter->name);
	free(prefilter);
}
