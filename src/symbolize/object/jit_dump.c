/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_dump - reads the records of a jitdump; each line of code becomes an entry of its own. */
#include "symbolize/object/jit_dump.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "wire/jit_dump.h"

#include <string.h>

#define RECORD_MOST_BYTES (64u << 20) /* of debug information and names */
#define ENTRIES_MOST (1u << 23)
#define V8_HEADER_BYTES 0x40 /* V8 adds the size of an ELF header to addresses of lines */

struct dump_reader {
	struct object *object;
	struct interner *texts;
	FILE *file;
	char *lines; /* the last record of lines, with a 0 at its end; NULL: none */
	size_t lines_bytes;
	bool has_functions; /* `lines` is JIT_DUMP_INLINE_LINES */
};

static void add_entry(const struct dump_reader *reader, const struct symtab_entry *entry)
{
	if (entry->end > entry->start && reader->object->symtab.count < ENTRIES_MOST)
		*array_add(&reader->object->symtab) = *entry;
}

/* A text at `at` of the lines; NULL: it does not end. Moves on behind it. */
static const char *next_text(const struct dump_reader *reader, size_t *at)
{
	const char *text = reader->lines + *at;

	if (*at >= reader->lines_bytes)
		return NULL;
	*at += strlen(text) + 1;
	return *at <= reader->lines_bytes ? text : NULL;
}

/*
 * Whether a line's file is one. V8 in Node.js 20 writes names of freed memory: of its code only the
 * code's own file counts, a path, or a module of Node.js.
 */
static bool is_file(const struct dump_reader *reader, const struct symtab_entry *whole,
		    const char *text)
{
	uint32_t character;

	for (size_t length, at = 0; text[at]; at += length) {
		length = utf8_decode(text + at, &character);
		if (!length || character < ' ')
			return false;
	}
	bool is_script = whole->source; /* name_script */
	return *text && (!is_script || strchr(text, '/') || !strncmp(text, "node:", 5) ||
			 interner_find(reader->texts, text) == whole->source);
}

/* Adds an entry for each line; `whole` is that of all the code. */
static void add_lines(const struct dump_reader *reader, const struct symtab_entry *whole,
		      uint64_t shift)
{
	struct jit_dump_lines lines = {0};
	size_t at = sizeof(lines);
	struct symtab_entry last = {0};
	uint32_t source = whole->source;

	if (reader->lines && reader->lines_bytes >= at)
		memcpy(&lines, reader->lines, at);
	if (lines.code != whole->start)
		return;
	for (uint64_t i = 0; i < lines.count; i++) {
		struct jit_dump_line line;
		if (reader->lines_bytes - at < sizeof(line))
			break;
		memcpy(&line, reader->lines + at, sizeof(line));
		at += sizeof(line);
		const char *file = next_text(reader, &at);
		const char *function = reader->has_functions ? next_text(reader, &at) : "";
		if (!file || !function)
			break;
		if (strcmp(file, "\xff") != 0 && is_file(reader, whole, file)) /* else: as before */
			source = interner_add(reader->texts, file);
		struct symtab_entry entry = *whole;
		entry.start = line.address - shift;
		entry.line = line.line > 0 && source ? (uint32_t)line.line : 0;
		entry.source = source;
		if (*function)
			entry.name = interner_add(reader->texts, function);
		last.end = entry.start;
		if (entry.line == last.line && entry.name == last.name && last.source == source &&
		    last.start)
			continue;
		if (last.line)
			add_entry(reader, &last);
		last = entry;
		if (entry.start < whole->start || entry.start >= whole->end)
			last = (struct symtab_entry){0};
	}
	last.end = whole->end;
	if (last.line)
		add_entry(reader, &last);
}

/* The text ":NUMBER" that ends at `end`, at `start` or behind it, or NULL. */
static const char *last_number(const char *start, const char *end, unsigned *number)
{
	const char *at = end;

	while (at > start && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == end || at == start || at[-1] != ':' || sscanf(at, "%u", number) != 1)
		return NULL;
	return at - 1;
}

/*
 * V8's "JS:*first /srv/app.js:12:3" is "first" of that file, however it was compiled; Node.js 18
 * tells no column. Returns whether it is one.
 */
static bool name_script(const struct dump_reader *reader, const char *name,
			struct symtab_entry *entry)
{
	static const char *const tags[] = {"JS:", "Eval:", "Function:", "LazyCompile:", "Script:"};
	const char *own = NULL, *space = strrchr(name, ' ');
	unsigned line, number, column = 1;

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags) && !own; i++)
		if (!strncmp(name, tags[i], strlen(tags[i])))
			own = name + strlen(tags[i]);
	if (!own || !space || space < own)
		return false;
	const char *end = last_number(space, name + strlen(name), &line);
	const char *before = end ? last_number(space, end, &number) : NULL;
	if (!end)
		return false;
	if (before) {
		column = line;
		line = number;
		end = before;
	}
	own += strspn(own, "*~^+");
	AUTO(text) char *file = text_format("%.*s", (int)(end - space - 1), space + 1);
	AUTO(text)
	char *function = own < space        ? text_format("%.*s", (int)(space - own), own) :
			 line + column == 2 ? text_copy("(module)") :
					      text_format("(anonymous at line %u)", line);
	entry->source = entry->file = interner_add(reader->texts, file);
	entry->name = interner_add(reader->texts, function);
	return true;
}

static bool read_exactly(FILE *file, void *to, size_t bytes)
{
	return fread(to, 1, bytes, file) == bytes;
}

/* The name ends within the record, and the code follows it. */
static bool read_load(const struct dump_reader *reader, size_t bytes)
{
	struct jit_dump_load load;
	char name[4096];
	size_t length = 0;
	int letter = 0;

	if (bytes < sizeof(load) || !read_exactly(reader->file, &load, sizeof(load)))
		return false;
	bytes -= sizeof(load);
	while (bytes-- && (letter = getc(reader->file)) > 0)
		if (length + 1 < sizeof(name))
			name[length++] = (char)letter;
	name[length] = '\0';
	if (letter < 0 || load.code_bytes > UINT64_MAX - load.code)
		return false;
	struct symtab_entry entry = {
		.start = load.code,
		.end = load.code + load.code_bytes,
	};
	bool is_script = name_script(reader, name, &entry);
	if (!is_script)
		entry.name = interner_add(reader->texts, name);
	add_entry(reader, &entry);
	add_lines(reader, &entry, is_script ? V8_HEADER_BYTES : 0);
	return true;
}

/* Copies the entries of the code, the last ones in their old place. */
static bool read_move(const struct dump_reader *reader, size_t bytes)
{
	struct jit_dump_move move;
	size_t count = reader->object->symtab.count;

	if (bytes < sizeof(move) || !read_exactly(reader->file, &move, sizeof(move)))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct symtab_entry entry = reader->object->symtab.items[i];
		if (entry.start < move.code || entry.end > move.code + move.code_bytes)
			continue;
		entry.start = entry.start - move.code + move.moved_to;
		entry.end = entry.end - move.code + move.moved_to;
		add_entry(reader, &entry);
	}
	return true;
}

static bool read_lines(struct dump_reader *reader, size_t bytes, bool has_functions)
{
	free(take(&reader->lines));
	if (bytes > RECORD_MOST_BYTES)
		return false;
	reader->lines = memory_new(bytes + 1, 1);
	reader->lines_bytes = bytes;
	reader->has_functions = has_functions;
	return read_exactly(reader->file, reader->lines, bytes);
}

/* False: the file ends here, perhaps within a record that is still being written. */
static bool read_record(struct dump_reader *reader)
{
	struct jit_dump_prefix prefix;
	off_t begin = ftello(reader->file);

	if (begin < 0 || !read_exactly(reader->file, &prefix, sizeof(prefix)) ||
	    prefix.total_bytes < sizeof(prefix) ||
	    begin + (off_t)prefix.total_bytes > reader->object->map_size)
		return false;
	size_t bytes = prefix.total_bytes - sizeof(prefix);
	bool is_whole = true;
	if (prefix.kind == JIT_DUMP_LOAD)
		is_whole = read_load(reader, bytes);
	else if (prefix.kind == JIT_DUMP_MOVE)
		is_whole = read_move(reader, bytes);
	else if (prefix.kind == JIT_DUMP_LINES || prefix.kind == JIT_DUMP_INLINE_LINES)
		is_whole = read_lines(reader, bytes, prefix.kind == JIT_DUMP_INLINE_LINES);
	return is_whole && !fseeko(reader->file, begin + (off_t)prefix.total_bytes, SEEK_SET);
}

void jit_dump_read(struct object *object, struct interner *texts, FILE *file)
{
	struct dump_reader reader = {.object = object, .texts = texts, .file = file};
	struct jit_dump_header header;

	if (read_exactly(file, &header, sizeof(header)) && header.magic == JIT_DUMP_MAGIC &&
	    header.version == JIT_DUMP_VERSION && !fseeko(file, header.total_bytes, SEEK_SET))
		while (read_record(&reader))
			;
	free(reader.lines);
}
