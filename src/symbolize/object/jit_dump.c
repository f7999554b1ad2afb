/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_dump - reads the records of a jitdump; each line of code becomes an entry of its own. */
#include "symbolize/object/jit_dump.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "symbolize/object/jit_state.h"
#include "symbolize/object/script_name.h"
#include "wire/jit_dump.h"

#include <string.h>

#define RECORD_MOST_BYTES (64u << 20) /* of debug information and names */
#define ENTRIES_MOST (1u << 23)
#define V8_ALIGNMENT 8       /* of records */
#define V8_HEADER_BYTES 0x40 /* V8 adds the size of an ELF header to addresses of lines */

struct dump_reader {
	struct object *object;
	struct interner *texts;
	FILE *file;
	struct jit_lines *lines;
};

static void add_entry(const struct dump_reader *reader, const struct symtab_entry *entry)
{
	if (entry->end > entry->start && reader->object->symtab.count < ENTRIES_MOST)
		*array_add(&reader->object->symtab) = *entry;
}

/*
 * A text at `at` of the lines; NULL: it does not end. Moves on behind it, or by `stride` bytes.
 */
static const char *next_text(const struct jit_lines *lines, size_t stride, size_t *at)
{
	const char *text = lines->bytes + *at;

	if (*at >= lines->count)
		return NULL;
	*at += stride ? stride : strlen(text) + 1;
	return *at <= lines->count ? text : NULL;
}

/*
 * V8 in Node.js 20 writes names of freed memory, which may contain zeros, and all as long as the
 * name of the code's own file. 0: it is not so.
 */
static size_t stride_of_names(const struct dump_reader *reader, const struct symtab_entry *whole,
			      uint64_t count)
{
	const char *file = whole->source ? interner_text(reader->texts, whole->source) : NULL;
	size_t stride = file ? strlen(file) + 1 : 0;
	size_t used =
		sizeof(struct jit_dump_lines) + count * (sizeof(struct jit_dump_line) + stride);

	return file && count < RECORD_MOST_BYTES && used <= reader->lines->whole_count &&
			       reader->lines->whole_count - used < V8_ALIGNMENT ?
		       stride :
		       0;
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
	bool is_script = whole->source;
	return *text && (!is_script || strchr(text, '/') || !strncmp(text, "node:", 5) ||
			 interner_find(reader->texts, text) == whole->source);
}

/* What is known of the function of a record's code. */
struct code {
	struct symtab_entry whole;
	struct script_name script;
	bool is_script;
	uint32_t function; /* of the scripts' */
};

static void begin_script(const struct dump_reader *reader, struct code *code)
{
	if (code->is_script && code->script.column)
		code->function =
			script_functions_add(&reader->object->jit->scripts, code->whole.source,
					     code->whole.name,
					     script_place(code->script.line, code->script.column));
}

/* The function of a line that V8 told; what it cannot be of has no line. */
static void name_inlined(const struct dump_reader *reader, const struct code *code,
			 const struct jit_dump_line *line, struct symtab_entry *entry)
{
	struct script_functions *scripts = &reader->object->jit->scripts;
	uint64_t place = script_place((unsigned)line->line, (unsigned)line->discriminator);

	if (code->function == SCRIPT_FUNCTIONS_NONE || line->line <= 0 || line->discriminator <= 0)
		return;
	if (code->script.is_baseline) {
		script_functions_add_place(scripts, code->function, place);
		return;
	}
	uint32_t function = script_functions_at(scripts, entry->source, place);
	if (function == code->function)
		return;
	if (function == SCRIPT_FUNCTIONS_NONE) {
		const struct script_function *own = &scripts->items[code->function];
		if (own->last > own->first && (place < own->first || place > own->last))
			entry->line = 0;
		return;
	}
	entry->name = scripts->items[function].name;
	entry->source = entry->file = scripts->items[function].source;
}

/* False: the record ends before. */
static bool next_line(const struct jit_lines *lines, size_t stride, size_t *at,
		      struct jit_dump_line *line, const char **file, const char **function)
{
	if (lines->count - *at < sizeof(*line))
		return false;
	memcpy(line, lines->bytes + *at, sizeof(*line));
	*at += sizeof(*line);
	*file = next_text(lines, stride, at);
	*function = lines->has_functions ? next_text(lines, 0, at) : "";
	return *file && *function;
}

/* Adds an entry for each line. */
static void add_lines(const struct dump_reader *reader, const struct code *code)
{
	const struct symtab_entry *whole = &code->whole;
	uint64_t shift = code->is_script ? V8_HEADER_BYTES : 0;
	struct jit_dump_lines lines = {0};
	struct jit_dump_line line;
	size_t at = sizeof(lines);
	struct symtab_entry last = {0};
	uint32_t source = whole->source;
	const struct jit_lines *told = reader->lines;

	if (told->bytes && told->count >= at)
		memcpy(&lines, told->bytes, at);
	if (lines.code != whole->start)
		return;
	size_t stride = stride_of_names(reader, whole, lines.count);
	uint64_t left = lines.count;
	for (const char *file, *function;
	     left && next_line(told, stride, &at, &line, &file, &function); left--) {
		bool is_told = !stride || strlen(file) + 1 == stride;
		if (is_told && strcmp(file, "\xff") != 0 && is_file(reader, whole, file))
			source = interner_add(reader->texts, file);
		struct symtab_entry entry = *whole;
		entry.start = line.address - shift;
		entry.line = line.line > 0 && source ? (uint32_t)line.line : 0;
		entry.source = source;
		if (*function)
			entry.name = interner_add(reader->texts, function);
		name_inlined(reader, code, &line, &entry);
		last.end = entry.start;
		if (entry.line == last.line && entry.name == last.name &&
		    entry.source == last.source && last.start)
			continue;
		if (last.line)
			add_entry(reader, &last);
		last = entry;
		if (entry.start < whole->start || entry.start >= whole->end)
			last = (struct symtab_entry){0};
	}
	last.end = whole->end;
	if (last.line && !left) /* else it is not known where the line ends */
		add_entry(reader, &last);
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
	struct code code = {
		.whole = {.start = load.code, .end = load.code + load.code_bytes},
		.function = SCRIPT_FUNCTIONS_NONE,
	};
	code.is_script = script_name_read(reader->texts, name, &code.whole, &code.script);
	if (!code.is_script)
		code.whole.name = interner_add(reader->texts, name);
	begin_script(reader, &code);
	add_entry(reader, &code.whole);
	add_lines(reader, &code);
	reader->object->jit->last_code = load.code;
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

/* Of an unfinished record what is there. */
static bool read_lines(const struct dump_reader *reader, size_t bytes, bool has_functions)
{
	struct jit_lines *lines = reader->lines;

	free(take(&lines->bytes));
	if (bytes > RECORD_MOST_BYTES)
		return false;
	lines->bytes = memory_new(bytes + 1, 1);
	lines->whole_count = bytes;
	lines->has_functions = has_functions;
	lines->count = fread(lines->bytes, 1, bytes, reader->file);
	return lines->count == bytes;
}

/* What stands before `at` has been taken in for good. */
static void keep(const struct dump_reader *reader, off_t at)
{
	reader->object->jit->main.resume = at;
	reader->object->jit->entries = reader->object->symtab.count;
}

/* False: the file ends here, perhaps within a record that is still being written. */
static bool read_record(const struct dump_reader *reader)
{
	struct jit_dump_prefix prefix;
	off_t begin = ftello(reader->file);

	if (begin < 0 || !read_exactly(reader->file, &prefix, sizeof(prefix)) ||
	    prefix.total_bytes < sizeof(prefix))
		return false;
	off_t end = begin + (off_t)prefix.total_bytes;
	size_t bytes = prefix.total_bytes - sizeof(prefix);
	bool is_code = prefix.kind == JIT_DUMP_LOAD || prefix.kind == JIT_DUMP_MOVE;
	bool is_whole = true;
	if (prefix.kind == JIT_DUMP_LOAD)
		is_whole = read_load(reader, bytes);
	else if (prefix.kind == JIT_DUMP_LINES || prefix.kind == JIT_DUMP_INLINE_LINES)
		is_whole = read_lines(reader, bytes, prefix.kind == JIT_DUMP_INLINE_LINES);
	else if (prefix.kind == JIT_DUMP_MOVE && end <= reader->object->jit->main.size)
		is_whole = read_move(reader, bytes);
	if (!is_whole || end > reader->object->jit->main.size ||
	    fseeko(reader->file, end, SEEK_SET) != 0)
		return false;
	if (is_code) /* lines belong to the code behind them */
		keep(reader, end);
	return true;
}

/* Returns whether records begin there. */
static bool seek_records(FILE *file, off_t resume)
{
	struct jit_dump_header header;

	if (resume)
		return !fseeko(file, resume, SEEK_SET);
	return read_exactly(file, &header, sizeof(header)) && header.magic == JIT_DUMP_MAGIC &&
	       header.version == JIT_DUMP_VERSION && !fseeko(file, header.total_bytes, SEEK_SET);
}

void jit_dump_read(struct object *object, struct interner *texts, FILE *file)
{
	struct dump_reader reader = {.object = object,
				     .texts = texts,
				     .file = file,
				     .lines = &object->jit->lines};

	free(take(&reader.lines->bytes)); /* read again, as no code followed them */
	if (seek_records(file, object->jit->main.resume))
		while (read_record(&reader))
			;
}

void jit_dump_add_lines(struct object *object, struct interner *texts,
			const struct symtab_entry *whole, const struct script_name *script)
{
	struct dump_reader reader = {.object = object,
				     .texts = texts,
				     .lines = &object->jit->lines};
	struct code code = {.whole = *whole,
			    .script = *script,
			    .is_script = true,
			    .function = SCRIPT_FUNCTIONS_NONE};

	begin_script(&reader, &code);
	add_lines(&reader, &code);
}
