/* SPDX-License-Identifier: BSD-2-Clause */
/* python_code - keeps code objects by number, makes their locations, finds them by name. */
#include "symbolize/python/python_code.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"
#include "symbolize/location/location_name.h"
#include "symbolize/nearest.h"
#include "symbolize/parser/parser.h"
#include "symbolize/python/interpreter.h"
#include "symbolize/python/line_table.h"

#include <errno.h>
#include <string.h>

struct python_code {
	uint64_t start, end; /* offsets of the object */
	uint32_t file;       /* text */
	uint32_t function;   /* of sources */
	struct python_line *lines;
	size_t line_count;
	bool in_scope;
	bool counts_in_chains; /* as functions of other files do without patterns */
	bool is_attributed;    /* its lines or its function have its ranges */
};

struct python {
	struct object *object;
	ARRAY(struct python_code) codes;
	struct hash_map numbers;     /* number -> index of `codes` */
	struct hash_map functions;   /* (name, file) -> function of sources */
	struct hash_map named_files; /* out of scope, but named by the user */
};

void python_free(struct python *python)
{
	if (!python)
		return;
	for (size_t i = 0; i < python->codes.count; i++)
		free(python->codes.items[i].lines);
	array_free(&python->codes);
	hash_map_clear(&python->numbers);
	hash_map_clear(&python->functions);
	hash_map_clear(&python->named_files);
	free(python);
}

bool python_is(const struct symbols *symbols, const struct object *object)
{
	return symbols->python && symbols->python->object == object;
}

enum symbols_python_state symbols_python(const struct symbols *symbols, uint32_t object,
					 struct symbols_python *found)
{
	if (symbols->parser)
		return parser_python(symbols->parser, object, found);
	return python_interpreter_read(symbols->objects.items[object], found);
}

void symbols_see_through(struct symbols *symbols, uint32_t object)
{
	if (symbols->parser) {
		parser_see_through(symbols->parser, object);
		return;
	}
	struct object *interpreter = symbols->objects.items[object];
	symbols->has_interpreter = true;
	if (scope_asks_binaries(symbols->sources.scope) || !interpreter->shown.in_scope)
		return;
	interpreter->shown.in_scope = false;
	interpreter->scope_ranges.count = 0;
	symbols->generation++;
}

bool symbols_is_python(const struct symbols *symbols, uint32_t object)
{
	return symbols->parser ? symbols->parser->python_object == object :
				 python_is(symbols, symbols->objects.items[object]);
}

uint32_t symbols_python_object(struct symbols *symbols)
{
	if (symbols->parser)
		return parser_python_object(symbols->parser);
	if (!symbols->python) {
		struct object *object = object_new(RECORDING_PYTHON_OBJECT);
		object->has_read_symbols = true;
		object->shown.in_scope = true;
		object->shown.has_lines = false; /* no debug information */
		object->id = (uint32_t)symbols->objects.count;
		*array_add(&symbols->objects) = object;
		symbols->python = memory_new(1, sizeof(*symbols->python));
		symbols->python->object = object;
	}
	return symbols->python->object->id;
}

static const struct python_code *code_at(const struct symbols *symbols, uint64_t offset)
{
	const struct python *python = symbols->python;
	uint32_t index =
		hash_map_get(&python->numbers, (uint32_t)(offset >> SYMBOLS_PYTHON_SHIFT), 0);
	const struct python_code *code =
		index == HASH_MAP_NONE ? NULL : &python->codes.items[index];

	return code && offset < code->end ? code : NULL;
}

/* ---- adding ---- */

/* "app" of /srv/app.py, "json" of .../json/__init__.py, "posixpath" of "<frozen posixpath>". */
static char *module_of(const char *file)
{
	static const char frozen[] = "<frozen ";
	const char *base = path_base(file);
	size_t length = strlen(base);

	if (!strncmp(file, frozen, sizeof(frozen) - 1))
		return text_format("%.*s", (int)strcspn(file + sizeof(frozen) - 1, ">"),
				   file + sizeof(frozen) - 1);
	if (!strcmp(base, "__init__.py") && base > file + 1) {
		AUTO(text) char *folder = text_format("%.*s", (int)(base - 1 - file), file);
		return text_copy(path_base(folder));
	}
	if (length > 3 && !strcmp(base + length - 3, ".py"))
		length -= 3;
	return text_format("%.*s", (int)length, base);
}

static uint32_t function_of(struct symbols *symbols, const struct symbols_python_code *added,
			    uint32_t file)
{
	AUTO(text) char *module = module_of(added->file);
	uint32_t name = location_name_add(symbols, "%s.%s", module, added->name);
	uint32_t id = hash_map_get(&symbols->python->functions, name, file);

	if (id != HASH_MAP_NONE)
		return id;
	id = (uint32_t)symbols->sources.functions.count;
	*array_add(&symbols->sources.functions) = (struct function){
		.name = name,
		.linker = name,
		.alias = name,
		.file = file,
		.line = added->first_line,
	};
	hash_map_set(&symbols->python->functions, name, file, id);
	return id;
}

static void attribute(struct symbols *symbols, struct python_code *code)
{
	struct object *object = symbols->python->object;

	if (code->is_attributed)
		return;
	code->is_attributed = true;
	symbols->generation++;
	if (symbols->granularity == TARGET_FUNCTION) {
		uint32_t location = location_of_function(symbols, object, code->function);
		location_add_range(symbols, location, code->start, code->end);
		return;
	}
	for (size_t i = 0; i < code->line_count; i++) {
		const struct python_line *line = &code->lines[i];
		uint32_t location =
			location_of_line(symbols, object, code->file, line->line, code->function);
		location_add_range(symbols, location, code->start + line->start,
				   code->start + line->end);
	}
}

void symbols_add_python_code(struct symbols *symbols, const struct symbols_python_code *added)
{
	if (symbols->parser) {
		parser_add_python_code(symbols->parser, added);
		return;
	}
	(void)symbols_python_object(symbols);
	struct python *python = symbols->python;
	uint32_t index = (uint32_t)python->codes.count;

	if (hash_map_get(&python->numbers, added->number, 0) != HASH_MAP_NONE ||
	    added->bytes >> SYMBOLS_PYTHON_SHIFT)
		return;
	struct python_code code = {.file = interner_add(&symbols->sources.texts, added->file)};
	code.start = (uint64_t)added->number << SYMBOLS_PYTHON_SHIFT;
	code.end = code.start + added->bytes;
	code.function = function_of(symbols, added, code.file);
	code.line_count = python_lines_read(added->lines, added->lines_bytes, added->first_line,
					    added->bytes, &code.lines);
	const struct function *function = &symbols->sources.functions.items[code.function];
	code.in_scope = scope_has_script(symbols->sources.scope, added->file,
					 interner_text(&symbols->sources.texts, function->name));
	code.counts_in_chains = code.in_scope ||
				(scope_is_default(symbols->sources.scope) && added->file[0] != '<');
	*array_add(&python->codes) = code;
	hash_map_set(&python->numbers, added->number, 0, index);
	uint32_t inclusive = location_find_inclusive(symbols, python->object, code.function);
	if (inclusive != SYMBOLS_NONE) {
		location_add_range(symbols, inclusive, code.start, code.end);
		symbols->generation++;
	}
	if (code.in_scope || hash_map_get(&python->named_files, code.file, 0) != HASH_MAP_NONE)
		attribute(symbols, &python->codes.items[index]);
}

/* ---- asking ---- */

static uint32_t location_in(struct symbols *symbols, const struct python_code *code,
			    uint64_t offset)
{
	struct object *object = symbols->python->object;
	size_t low = 0, high = code->line_count;
	uint32_t at = (uint32_t)(offset - code->start);

	if (symbols->granularity == TARGET_FUNCTION)
		return location_of_function(symbols, object, code->function);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (code->lines[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == code->line_count)
		return SYMBOLS_NONE;
	return location_of_line(symbols, object, code->file, code->lines[low].line, code->function);
}

uint32_t python_location_at(struct symbols *symbols, uint64_t offset)
{
	const struct python_code *code = code_at(symbols, offset);

	return code && code->in_scope ? location_in(symbols, code, offset) : SYMBOLS_NONE;
}

const char *python_function_at(struct symbols *symbols, uint64_t offset)
{
	const struct python_code *code = code_at(symbols, offset);
	uint32_t name =
		code ? symbols->sources.functions.items[code->function].name :
		       location_name_add(symbols, "python+0x%llx", (unsigned long long)offset);

	return interner_text(&symbols->sources.texts, name);
}

/* The location of a function with all that it calls, with the code under all numbers. */
static uint32_t inclusive_of(struct symbols *symbols, uint32_t function)
{
	const struct python *python = symbols->python;
	uint32_t known = location_find_inclusive(symbols, python->object, function);

	if (known != SYMBOLS_NONE)
		return known;
	uint32_t location = location_of_inclusive(symbols, python->object, function);
	for (size_t i = 0; i < python->codes.count; i++)
		if (python->codes.items[i].function == function)
			location_add_range(symbols, location, python->codes.items[i].start,
					   python->codes.items[i].end);
	return location;
}

uint32_t python_inclusive_at(struct symbols *symbols, uint64_t offset)
{
	const struct python_code *code = code_at(symbols, offset);

	return code && code->counts_in_chains ? inclusive_of(symbols, code->function) :
						SYMBOLS_NONE;
}

/* Whole numbers, so that the ranges of neighbours become one. */
void python_scope_ranges(const struct symbols *symbols, struct ranges *result)
{
	for (size_t i = 0; i < symbols->python->codes.count; i++) {
		const struct python_code *code = &symbols->python->codes.items[i];
		if (code->in_scope)
			ranges_add(result, code->start,
				   code->start + (1ull << SYMBOLS_PYTHON_SHIFT));
	}
}

/* ---- finding ---- */

static bool ends_in_py(const char *file)
{
	size_t length = file ? strlen(file) : 0;

	return length > 3 && !strcmp(file + length - 3, ".py");
}

/* MODULE.QUALNAME, or the end of it after a dot. */
static bool has_name(const struct symbols *symbols, const struct python_code *code,
		     const char *wanted)
{
	const char *name = interner_text(&symbols->sources.texts,
					 symbols->sources.functions.items[code->function].name);
	size_t length = strlen(name), tail = strlen(wanted);

	return length >= tail && !strcmp(name + length - tail, wanted) &&
	       (length == tail || name[length - tail - 1] == '.');
}

static bool matches(const struct symbols *symbols, const struct query *query,
		    const struct python_code *code)
{
	if (query->file &&
	    !path_has_tail(interner_text(&symbols->sources.texts, code->file), query->file))
		return false;
	if (!query->line)
		return has_name(symbols, code, query->function);
	for (size_t i = 0; i < code->line_count; i++)
		if (code->lines[i].line == query->line)
			return true;
	return false;
}

bool python_is_named(const struct symbols *symbols, const struct query *query)
{
	if (ends_in_py(query->file))
		return true;
	for (size_t i = 0; symbols->python && i < symbols->python->codes.count; i++)
		if (matches(symbols, query, &symbols->python->codes.items[i]))
			return true;
	return false;
}

static const char *full_name(struct symbols *symbols, const struct query *query,
			     const struct python_code *code)
{
	const struct function *function = &symbols->sources.functions.items[code->function];
	const char *file = location_name_of_file(symbols, code->file);
	uint32_t name =
		query->line ?
			location_name_add(symbols, "%s:%u", file, query->line) :
			location_name_add(symbols, "%s:%s", file,
					  interner_text(&symbols->sources.texts, function->name));

	return interner_text(&symbols->sources.texts, name);
}

/* All code that the query names: one line's, or one function's. */
static int find_code(struct symbols *symbols, const struct query *query, size_t *found,
		     struct error *error)
{
	struct python *python = symbols->python;
	const struct python_code *first = NULL;
	struct nearest names = {0};
	bool is_one = true;

	for (size_t i = 0; python && i < python->codes.count; i++) {
		struct python_code *code = &python->codes.items[i];
		if (!matches(symbols, query, code))
			continue;
		if (!first)
			*found = i;
		first = first ? first : code;
		is_one &=
			query->line ? code->file == first->file : code->function == first->function;
		nearest_offer(&names, full_name(symbols, query, code), 1);
	}
	if (!first)
		return error_set(error, ENOENT, "no Python code of %s has run yet", query->text);
	if (is_one)
		return 0;
	AUTO(text) char *list = nearest_text(&names, ": ");
	return error_set(error, ENOTUNIQ, "%s names several %s%s", query->text,
			 query->line ? "files" : "functions", list);
}

/* Makes all code of the file a target that can be hit, also out of scope. */
static void name_file(struct symbols *symbols, uint32_t file)
{
	struct python *python = symbols->python;

	hash_map_set(&python->named_files, file, 0, 1);
	for (size_t i = 0; i < python->codes.count; i++)
		if (python->codes.items[i].file == file)
			attribute(symbols, &python->codes.items[i]);
}

int python_find(struct symbols *symbols, const struct query *query, uint32_t *location,
		struct error *error)
{
	size_t found = 0;
	int code = find_code(symbols, query, &found, error);

	if (code)
		return code;
	struct object *object = symbols->python->object;
	const struct python_code first = symbols->python->codes.items[found];
	name_file(symbols, first.file);
	*location = query->line ? location_of_line(symbols, object, first.file, query->line,
						   first.function) :
				  location_of_function(symbols, object, first.function);
	struct location_record *record = symbols->locations.items[*location];
	bool is_attributed = (symbols->granularity == TARGET_FUNCTION) == !query->line;
	if (is_attributed || record->is_explicit)
		return 0;
	record->is_explicit = true;
	for (size_t i = 0; i < symbols->python->codes.count; i++) {
		const struct python_code *one = &symbols->python->codes.items[i];
		if (!query->line && one->function == first.function)
			location_add_range(symbols, *location, one->start, one->end);
		for (size_t j = 0; query->line && one->file == first.file && j < one->line_count;
		     j++)
			if (one->lines[j].line == query->line)
				location_add_range(symbols, *location,
						   one->start + one->lines[j].start,
						   one->start + one->lines[j].end);
	}
	return 0;
}

int python_find_inclusive(struct symbols *symbols, const struct query *query, uint32_t *location,
			  struct error *error)
{
	size_t found = 0;
	int code = find_code(symbols, query, &found, error);

	if (!code)
		*location = inclusive_of(symbols, symbols->python->codes.items[found].function);
	return code;
}
