/* SPDX-License-Identifier: BSD-2-Clause */
/* file_table - parses line table headers, checking every read against the section's end. */
#include "symbolize/dwarf/file_table.h"

#include "base/cleanup.h"
#include "base/path.h"

#include <dwarf.h>
#include <string.h>

#define FORMATS_MOST 16 /* columns of a DWARF 5 file table; compilers write at most 5 */

struct reader {
	const unsigned char *at, *end;
	bool failed;
	bool is_64_bit; /* the DWARF format, not the machine */
};

struct column {
	uint64_t content, form;
};

struct table {
	struct sources *sources;
	struct reader reader;
	const Elf_Data *line_strings, *strings;
	const char *directory;     /* of the compilation, or NULL */
	ARRAY(char *) directories; /* whole paths */
	ARRAY(uint32_t) files;     /* texts */
	struct column columns[FORMATS_MOST];
};

static uint64_t read_number(struct reader *reader, unsigned size_bytes)
{
	uint64_t value = 0;

	if (reader->failed || (size_t)(reader->end - reader->at) < size_bytes) {
		reader->failed = true;
		return 0;
	}
	for (unsigned i = 0; i < size_bytes; i++)
		value |= (uint64_t)reader->at[i] << (8 * i);
	reader->at += size_bytes;
	return value;
}

static uint64_t read_uleb(struct reader *reader)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint64_t byte = read_number(reader, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->failed = true;
	return 0;
}

static const char *read_string(struct reader *reader)
{
	size_t room = (size_t)(reader->end - reader->at);
	const char *text = (const char *)reader->at;
	size_t length = reader->failed ? room : strnlen(text, room);

	if (length == room) {
		reader->failed = true;
		return "";
	}
	reader->at += length + 1;
	return text;
}

static const char *string_at(struct reader *reader, const Elf_Data *section)
{
	uint64_t offset = read_number(reader, reader->is_64_bit ? 8 : 4);

	if (!section || !section->d_buf || offset >= section->d_size ||
	    !memchr((const char *)section->d_buf + offset, 0, section->d_size - offset)) {
		reader->failed = true;
		return "";
	}
	return (const char *)section->d_buf + offset;
}

static const char *read_path(struct table *table, uint64_t form)
{
	switch (form) {
	case DW_FORM_string:
		return read_string(&table->reader);
	case DW_FORM_line_strp:
		return string_at(&table->reader, table->line_strings);
	case DW_FORM_strp:
		return string_at(&table->reader, table->strings);
	default:
		table->reader.failed = true;
		return "";
	}
}

static uint64_t read_column(struct reader *reader, uint64_t form)
{
	switch (form) {
	case DW_FORM_udata:
		return read_uleb(reader);
	case DW_FORM_data1:
		return read_number(reader, 1);
	case DW_FORM_data2:
		return read_number(reader, 2);
	case DW_FORM_data4:
		return read_number(reader, 4);
	case DW_FORM_data8:
		return read_number(reader, 8);
	case DW_FORM_data16:
		read_number(reader, 8);
		return read_number(reader, 8);
	case DW_FORM_line_strp:
	case DW_FORM_strp:
		return read_number(reader, reader->is_64_bit ? 8 : 4);
	default:
		reader->failed = true; /* its length is not known */
		return 0;
	}
}

static void add_directory(struct table *table, const char *path)
{
	const char *above =
		table->directories.count ? table->directories.items[0] : table->directory;
	*array_add(&table->directories) = path_clean(above, path);
}

static void add_file(struct table *table, const char *path, uint64_t directory)
{
	const char *above = directory < table->directories.count ?
				    table->directories.items[directory] :
				    table->directory;
	AUTO(text) char *whole = path_clean(above, path);
	*array_add(&table->files) = interner_add(&table->sources->texts, whole);
}

/* Directories, then files; each list ends with an empty name. */
static void read_version_2(struct table *table)
{
	struct reader *reader = &table->reader;

	add_directory(table, table->directory ? table->directory : "");
	while (!reader->failed && reader->at < reader->end && *reader->at)
		add_directory(table, read_string(reader));
	read_number(reader, 1);
	while (!reader->failed && reader->at < reader->end && *reader->at) {
		const char *path = read_string(reader);
		uint64_t directory = read_uleb(reader);
		read_uleb(reader);
		read_uleb(reader);
		if (!reader->failed)
			add_file(table, path, directory);
	}
}

/* One list of DWARF 5: the columns, then the entries. */
static void read_list(struct table *table, bool is_files)
{
	struct reader *reader = &table->reader;
	uint64_t columns = read_number(reader, 1);

	if (columns == 0 || columns > FORMATS_MOST) {
		reader->failed |= columns != 0 || read_uleb(reader) != 0;
		return;
	}
	for (uint64_t i = 0; i < columns; i++) {
		table->columns[i].content = read_uleb(reader);
		table->columns[i].form = read_uleb(reader);
	}
	uint64_t count = read_uleb(reader);
	for (uint64_t i = 0; i < count && !reader->failed; i++) {
		const char *path = "";
		uint64_t directory = 0;
		for (uint64_t j = 0; j < columns; j++) {
			if (table->columns[j].content == DW_LNCT_path)
				path = read_path(table, table->columns[j].form);
			else if (table->columns[j].content == DW_LNCT_directory_index)
				directory = read_column(reader, table->columns[j].form);
			else
				read_column(reader, table->columns[j].form);
		}
		if (!reader->failed && is_files)
			add_file(table, path, directory);
		else if (!reader->failed)
			add_directory(table, path);
	}
}

static void read_header(struct table *table)
{
	struct reader *reader = &table->reader;
	uint64_t length = read_number(reader, 4);

	if (length == 0xffffffff) {
		reader->is_64_bit = true;
		length = read_number(reader, 8);
	}
	if (reader->failed || length > (uint64_t)(reader->end - reader->at)) {
		reader->failed = true;
		return;
	}
	reader->end = reader->at + length;
	uint64_t version = read_number(reader, 2);
	if (version >= 5)
		read_number(reader, 2); /* sizes of addresses and of segment selectors */
	read_number(reader, reader->is_64_bit ? 8 : 4);
	read_number(reader, version >= 4 ? 5 : 4); /* up to line_range */
	uint64_t opcodes = read_number(reader, 1);
	for (uint64_t i = 1; i < opcodes; i++)
		read_number(reader, 1);
	if (version < 2 || version > 5)
		reader->failed = true;
	else if (version < 5)
		read_version_2(table);
	for (int i = 0; version == 5 && i < 2 && !reader->failed; i++)
		read_list(table, i == 1);
}

static void read_file_table(struct sources *sources, const Elf_Data *lines, struct table *table,
			    struct unit *unit)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset = 0;

	if (!dwarf_attr(&unit->die, DW_AT_stmt_list, &attribute))
		return;
	if (!lines || dwarf_formudata(&attribute, &offset) != 0 || offset >= lines->d_size) {
		unit->files_unknown = true;
		return;
	}
	const unsigned char *start = lines->d_buf;
	table->sources = sources;
	table->reader = (struct reader){.at = start + offset, .end = start + lines->d_size};
	table->directory = unit_directory(&unit->die);
	read_header(table);
	unit->files_unknown = table->reader.failed;
	unit->files = table->files.items;
	unit->file_count = table->files.count;
	for (size_t i = 0; i < table->directories.count; i++)
		free(table->directories.items[i]);
	array_free(&table->directories);
	table->files.items = NULL;
	table->files.count = table->files.capacity = 0;
}

void units_read_file_tables(struct sources *sources, struct object *object)
{
	struct units *units = units_read(object);
	struct table table = {0};

	if (units->has_read_files)
		return;
	units->has_read_files = true;
	Elf *elf = object->debug ? dwarf_getelf(object->debug) : NULL;
	const Elf_Data *lines = object_debug_section(elf, "line");
	table.line_strings = object_debug_section(elf, "line_str");
	table.strings = object_debug_section(elf, "str");
	for (size_t i = 0; i < units->count; i++)
		read_file_table(sources, lines, &table, &units->items[i]);
}
