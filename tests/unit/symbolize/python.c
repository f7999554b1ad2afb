/* SPDX-License-Identifier: BSD-2-Clause */
/* python - line tables of bytecode, and code objects as locations. */
#include "symbolize/python.h"
#include "base/memory.h"
#include "symbolize/python/line_table.h"
#include "symbolize/scope.h"

#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * co_linetable of a function with a signature of two lines, a list comprehension over two lines, a
 * loop, and a `with` whose handlers have no line of their own; made by CPython 3.11.2.
 */
static const uint8_t table[] = {
	128, 0,   224, 7,   8,   240, 0,   4,   5,   19,  240, 2,   1,   13,  16,  240, 0,   1,
	13,  16,  216, 13,  14,  240, 3,   1,   13,  16,  241, 0,   1,   13,  16,  244, 0,   1,
	13,  16,  136, 1,   224, 16,  17,  216, 16,  17,  240, 3,   1,   16,  19,  240, 0,   1,
	9,   19,  240, 6,   0,   14,  15,  240, 0,   2,   5,   22,  240, 0,   2,   5,   22,  136,
	1,   221, 8,   13,  136, 97,  144, 25,  221, 14,  17,  144, 33,  137, 102, 140, 102, 241,
	3,   1,   18,  21,  241, 0,   1,   9,   22,  244, 0,   1,   9,   22,  240, 0,   1,   9,
	22,  240, 0,   1,   9,   22,  245, 6,   0,   10,  14,  136, 97,  137, 23,  140, 23,  240,
	0,   1,   5,   13,  144, 65,  216, 8,   12,  240, 3,   1,   5,   13,  240, 0,   1,   5,
	13,  240, 0,   1,   5,   13,  241, 0,   1,   5,   13,  244, 0,   1,   5,   13,  240, 0,
	1,   5,   13,  240, 0,   1,   5,   13,  240, 0,   1,   5,   13,  240, 0,   1,   5,   13,
	240, 0,   1,   5,   13,  240, 0,   1,   5,   13,  240, 0,   1,   5,   13,  248, 248, 248,
	240, 0,   1,   5,   13,  240, 0,   1,   5,   13,  240, 0,   1,   5,   13,  240, 0,   1,
	5,   13,  240, 0,   1,   5,   13,  240, 0,   1,   5,   13,
};
#define FIRST_LINE 1
#define BYTES 198

/* co_lines() of the same, with the line before where that says None. */
static const struct python_line expected[] = {
	{0, 2, 1},    {2, 6, 3},     {6, 10, 4},     {10, 12, 5},    {12, 30, 4},
	{30, 32, 6},  {32, 34, 7},   {34, 38, 6},    {38, 46, 9},    {46, 62, 10},
	{62, 90, 11}, {90, 112, 10}, {112, 144, 13}, {144, 146, 14}, {146, 198, 13},
};
#define EXPECTED (sizeof(expected) / sizeof(*expected))

TEST("a line table gives the lines that CPython's co_lines gives")
{
	struct python_line *lines;
	size_t count = python_lines_read(table, sizeof(table), FIRST_LINE, BYTES, &lines);

	CHECK_EQUAL(count, EXPECTED);
	for (size_t i = 0; i < count && i < EXPECTED; i++) {
		CHECK_EQUAL(lines[i].start, expected[i].start);
		CHECK_EQUAL(lines[i].end, expected[i].end);
		CHECK_EQUAL(lines[i].line, expected[i].line);
	}
	free(lines);
}

TEST("a table that ends anywhere covers all bytecode, without gaps")
{
	for (size_t bytes = 0; bytes < sizeof(table); bytes++) {
		uint8_t *cut = memory_new(bytes, 1); /* so that a sanitizer sees reads behind it */
		struct python_line *lines;
		memcpy(cut, table, bytes);
		size_t count = python_lines_read(cut, bytes, FIRST_LINE, BYTES, &lines);
		uint32_t end = 0;
		for (size_t i = 0; i < count; i++) {
			CHECK_EQUAL(lines[i].start, end);
			end = lines[i].end;
		}
		CHECK_EQUAL(end, BYTES);
		free(lines);
		free(cut);
	}
}

struct fixture {
	struct scope *scope;
	struct symbols *symbols;
	uint32_t object;
};

static struct fixture fixture_of(enum target_kind granularity)
{
	struct fixture made = {.scope = scope_new()};

	made.symbols = symbols_new(granularity, made.scope);
	made.object = symbols_python_object(made.symbols);
	return made;
}

static void fixture_end(struct fixture *fixture)
{
	symbols_free(fixture->symbols);
	scope_free(fixture->scope);
}

static void add(struct fixture *fixture, uint32_t number, const char *file, const char *name)
{
	const struct symbols_python_code code = {.number = number,
						 .file = file,
						 .name = name,
						 .first_line = FIRST_LINE,
						 .bytes = BYTES,
						 .lines = table,
						 .lines_bytes = sizeof(table)};
	symbols_add_python_code(fixture->symbols, &code);
}

static uint64_t offset_of(uint64_t number, uint64_t byte)
{
	return number << SYMBOLS_PYTHON_SHIFT | byte;
}

static const char *name_at(struct fixture *fixture, uint64_t number, uint64_t byte)
{
	uint32_t location =
		symbols_location_at(fixture->symbols, fixture->object, offset_of(number, byte));
	return location == SYMBOLS_NONE ? "none" :
					  symbols_location(fixture->symbols, location)->name;
}

TEST("code has locations by line or by function, named by its module")
{
	struct fixture lines = fixture_of(TARGET_LINE), functions = fixture_of(TARGET_FUNCTION);

	add(&lines, 7, "/srv/app.py", "Worker.run");
	CHECK_TEXT(name_at(&lines, 7, 4), "app.py:3");
	CHECK_TEXT(name_at(&lines, 7, 112), "app.py:13");
	CHECK_TEXT(name_at(&lines, 7, BYTES), "none");
	CHECK_TEXT(name_at(&lines, 8, 4), "none");
	add(&functions, 7, "/srv/app.py", "Worker.run");
	add(&functions, 8, "/srv/tools/__init__.py", "f");
	CHECK_TEXT(name_at(&functions, 7, 4), "app.Worker.run");
	CHECK_TEXT(name_at(&functions, 8, 4), "tools.f");
	CHECK_TEXT(symbols_function_at(functions.symbols, functions.object, offset_of(8, 4)),
		   "tools.f");
	fixture_end(&lines);
	fixture_end(&functions);
}

TEST("equal code of two processes is one location with the ranges of both")
{
	struct fixture fixture = fixture_of(TARGET_LINE);
	const struct range *ranges;
	uint32_t location;

	add(&fixture, 1, "/srv/app.py", "f");
	add(&fixture, 2, "/srv/app.py", "f");
	CHECK_EQUAL(symbols_find(fixture.symbols, "app.py:9", &location, NULL), 0);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 2);
	CHECK_EQUAL(ranges[0].start, offset_of(1, 38));
	CHECK_EQUAL(ranges[0].end, offset_of(1, 46));
	CHECK_EQUAL(ranges[1].start, offset_of(2, 38));
	fixture_end(&fixture);
}

TEST("the library and installed packages are out of scope, but can be named")
{
	struct fixture fixture = fixture_of(TARGET_LINE);
	const struct range *ranges;
	uint32_t location;

	add(&fixture, 1, "/usr/lib/python3.11/json/encoder.py", "encode");
	add(&fixture, 2, "/home/u/venv/lib/python3.12/site-packages/x/y.py", "f");
	add(&fixture, 3, "<frozen posixpath>", "join");
	CHECK_TEXT(name_at(&fixture, 1, 4), "none");
	CHECK_TEXT(name_at(&fixture, 2, 4), "none");
	CHECK_TEXT(name_at(&fixture, 3, 4), "none");
	CHECK_EQUAL(symbols_scope_ranges(fixture.symbols, fixture.object, &ranges), 0);
	CHECK_EQUAL(symbols_find(fixture.symbols, "encoder.py:9", &location, NULL), 0);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 1);
	add(&fixture, 4, "/usr/lib/python3.11/json/encoder.py", "encode");
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 2);
	fixture_end(&fixture);
}

TEST("functions are found by module, by name alone, and by file")
{
	struct fixture fixture = fixture_of(TARGET_FUNCTION);
	uint32_t one, other;
	struct error error = {0};

	add(&fixture, 1, "/srv/app.py", "Worker.run");
	add(&fixture, 2, "/srv/tool.py", "run");
	CHECK_EQUAL(symbols_find(fixture.symbols, "app.Worker.run", &one, NULL), 0);
	CHECK_EQUAL(symbols_find(fixture.symbols, "Worker.run", &other, NULL), 0);
	CHECK_EQUAL(one, other);
	CHECK_EQUAL(symbols_find(fixture.symbols, "app.py:run", &other, NULL), 0);
	CHECK_EQUAL(one, other);
	CHECK_EQUAL(symbols_find(fixture.symbols, "run", &other, &error), -ENOTUNIQ);
	CHECK(strstr(error.text, "app.py:app.Worker.run") && strstr(error.text, "tool.run"));
	CHECK_EQUAL(symbols_find(fixture.symbols, "later.py:12", &other, &error), -ENOENT);
	CHECK_TEXT(error.text, "no Python code of later.py:12 has run yet");
	fixture_end(&fixture);
}

TEST("a function with what it calls has its code under all numbers, also under later ones")
{
	struct fixture fixture = fixture_of(TARGET_LINE);
	const struct range *ranges;
	uint32_t location, at[4];

	add(&fixture, 1, "/srv/app.py", "f");
	CHECK_EQUAL(symbols_find_inclusive(fixture.symbols, "app.f", &location, NULL), 0);
	CHECK_TEXT(symbols_location(fixture.symbols, location)->name, "inclusive:app.f");
	add(&fixture, 5, "/srv/app.py", "f");
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 2);
	CHECK_EQUAL(symbols_functions_at(fixture.symbols, fixture.object, offset_of(5, 0), at, 4),
		    1);
	CHECK_EQUAL(at[0], location);
	fixture_end(&fixture);
}

static size_t functions_at(struct fixture *fixture, uint64_t number)
{
	uint32_t at[4];

	return symbols_functions_at(fixture->symbols, fixture->object, offset_of(number, 4), at, 4);
}

TEST("a function of the library counts in call chains, as those of C's libraries do")
{
	struct fixture all = fixture_of(TARGET_LINE), narrow = fixture_of(TARGET_LINE);
	uint32_t at[4];

	add(&all, 1, "/usr/lib/python3.11/json/encoder.py", "_iterencode");
	add(&all, 2, "<frozen importlib._bootstrap>", "_load");
	CHECK_EQUAL(functions_at(&all, 1), 1);
	CHECK_EQUAL(functions_at(&all, 2), 0);
	CHECK_EQUAL(symbols_functions_at(all.symbols, all.object, offset_of(1, 4), at, 4), 1);
	CHECK_TEXT(symbols_location(all.symbols, at[0])->name, "inclusive:encoder._iterencode");
	scope_add(narrow.scope, "app.py", true);
	add(&narrow, 1, "/usr/lib/python3.11/json/encoder.py", "_iterencode");
	CHECK_EQUAL(functions_at(&narrow, 1), 0);
	fixture_end(&all);
	fixture_end(&narrow);
}
