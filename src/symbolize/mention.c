/* SPDX-License-Identifier: BSD-2-Clause */
/* mention - byte searches in the sections that libdw has in memory. */
#include "symbolize/mention.h"

#include "base/memory.h"
#include "symbolize/map.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>

#define FILTER_BITS 16

struct mention {
	const unsigned char *info, *info_end;       /* .debug_info */
	const unsigned char *indices, *indices_end; /* .debug_str_offsets */
	char *name;
	bool may_be_anywhere;
	struct map offsets; /* of the name in .debug_str */
	unsigned char filter[(1 << FILTER_BITS) / 8]; /* low bits of the offsets: quickly not */
};

struct bytes {
	const unsigned char *at, *end;
};

static struct bytes section_bytes(Elf *elf, const char *name, const char *old_name)
{
	GElf_Shdr header;
	const Elf_Data *data = object_section(elf, name, &header);
	if (!data)
		data = object_section(elf, old_name, &header);
	if (!data || !data->d_buf || (header.sh_flags & SHF_COMPRESSED))
		return (struct bytes){0};
	const unsigned char *start = data->d_buf;
	return (struct bytes){.at = start, .end = start + data->d_size};
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

/* Do entries refer to entries of other units? The abbreviations tell by the form of references. */
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
			bool is_link = name == DW_AT_abstract_origin || name == DW_AT_specification ||
				       name == DW_AT_import;
			if (is_link && (form == DW_FORM_ref_addr || form == DW_FORM_GNU_ref_alt ||
					form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8))
				return true;
		} while ((name || form) && abbreviations.at < abbreviations.end);
	}
	return false;
}

static void add_offsets(struct mention *mention, struct bytes strings)
{
	size_t length = strlen(mention->name);
	const unsigned char *at = strings.at;

	while (at && (at = memmem(at, (size_t)(strings.end - at), mention->name, length))) {
		const unsigned char *after = at + length;
		if (after < strings.end && (*after == '\0' || *after == '<')) {
			uint64_t offset = (uint64_t)(at - strings.at);
			uint32_t low = offset & ((1 << FILTER_BITS) - 1);
			map_set(&mention->offsets, offset, 0, 1);
			mention->filter[low / 8] |= (unsigned char)(1 << low % 8);
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

struct mention *mention_new(struct object *object, const char *name)
{
	struct mention *mention = memory_new(1, sizeof(*mention));
	Dwarf *debug = object_debug(object);
	Elf *elf = debug ? dwarf_getelf(debug) : NULL;
	struct bytes info = section_bytes(elf, ".debug_info", ".zdebug_info");
	struct bytes indices = section_bytes(elf, ".debug_str_offsets", ".zdebug_str_offsets");

	mention->info = info.at;
	mention->info_end = info.end;
	mention->indices = indices.at;
	mention->indices_end = indices.end;
	mention->name = text_copy(name);
	mention->may_be_anywhere =
		!info.at || !is_identifier(name) ||
		units_share_entries(section_bytes(elf, ".debug_abbrev", ".zdebug_abbrev"));
	if (!mention->may_be_anywhere)
		add_offsets(mention, section_bytes(elf, ".debug_str", ".zdebug_str"));
	return mention;
}

/* Is one of the offsets among the 4-byte numbers at every `step` of the bytes? */
static bool has_offset(const struct mention *mention, struct bytes bytes, size_t step)
{
	if (mention->offsets.count == 0)
		return false;
	for (; bytes.end - bytes.at >= 4; bytes.at += step) {
		unsigned low = bytes.at[0] | (unsigned)bytes.at[1] << 8;
		if (!(mention->filter[low / 8] & 1 << low % 8))
			continue;
		uint64_t offset = low | (uint64_t)bytes.at[2] << 16 | (uint64_t)bytes.at[3] << 24;
		if (map_get(&mention->offsets, offset, 0) != MAP_NONE)
			return true;
	}
	return false;
}

static bool has_name(const struct mention *mention, struct bytes bytes)
{
	size_t length = strlen(mention->name);
	const unsigned char *at = bytes.at;

	while ((at = memmem(at, (size_t)(bytes.end - at), mention->name, length))) {
		at += length;
		if (at == bytes.end || *at == '\0' || *at == '<')
			return true;
	}
	return false;
}

/* The string offsets of a DWARF 5 unit: its part of the section, whose length stands before it. */
static struct bytes unit_indices(const struct mention *mention, uint64_t base)
{
	struct bytes none = {.at = mention->indices, .end = mention->indices};
	size_t size = (size_t)(mention->indices_end - mention->indices);
	uint32_t length;

	if (!mention->indices || base < 8 || base > size)
		return none;
	memcpy(&length, mention->indices + base - 8, sizeof(length)); /* little endian was checked */
	if (length < 4 || length - 4 > size - base)
		return (struct bytes){.at = mention->indices, .end = mention->indices_end};
	return (struct bytes){.at = mention->indices + base,
			      .end = mention->indices + base + (length - 4)};
}

bool mention_in(const struct mention *mention, const struct unit *unit)
{
	Dwarf_Off next = 0, start = 0;
	size_t header = 0;
	Dwarf_Die die = unit->die;
	Dwarf_Attribute attribute;
	Dwarf_Word base = 0;
	uint8_t type = 0, offset_size = 0;

	if (mention->may_be_anywhere ||
	    dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, NULL, NULL, &offset_size) != 0 ||
	    type != DW_UT_compile || offset_size != 4)
		return true;
	start = dwarf_dieoffset(&die) - dwarf_cuoffset(&die);
	if (dwarf_nextcu(dwarf_cu_getdwarf(die.cu), start, &next, &header, NULL, NULL, NULL) != 0 ||
	    next > (uint64_t)(mention->info_end - mention->info) || start > next)
		return true;
	struct bytes bytes = {.at = mention->info + start, .end = mention->info + next};
	if (has_offset(mention, bytes, 1) || has_name(mention, bytes))
		return true;
	if (dwarf_formudata(dwarf_attr(&die, DW_AT_str_offsets_base, &attribute), &base) != 0)
		return false;
	return has_offset(mention, unit_indices(mention, base), 4);
}

void mention_free(struct mention *mention)
{
	if (!mention)
		return;
	map_clear(&mention->offsets);
	free(mention->name);
	free(mention);
}
