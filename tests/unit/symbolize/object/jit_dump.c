/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_dump - functions and lines of a jitdump, also while it grows, moves, or is damaged. */
#include "symbolize/symbols.h"

#include "../fixture.h"

#include "wire/jit_dump.h"

#include "check.h"

#include <unistd.h>

static char dump[8192];
static size_t dump_bytes, record_at;

static void add(const void *bytes, size_t count)
{
	memcpy(dump + dump_bytes, bytes, count);
	dump_bytes += count;
}

static void add_text(const char *text)
{
	add(text, strlen(text) + 1);
}

static void begin_record(enum jit_dump_kind kind)
{
	struct jit_dump_prefix prefix = {.kind = kind};
	record_at = dump_bytes;
	add(&prefix, sizeof(prefix));
}

static void end_record(void)
{
	uint32_t bytes = (uint32_t)(dump_bytes - record_at);
	memcpy(dump + record_at + offsetof(struct jit_dump_prefix, total_bytes), &bytes, 4);
}

static void begin_dump(void)
{
	struct jit_dump_header header = {.magic = JIT_DUMP_MAGIC,
					 .version = 1,
					 .total_bytes = sizeof(header)};
	dump_bytes = 0;
	add(&header, sizeof(header));
}

static void add_code(uint64_t code, uint64_t bytes, const char *name)
{
	struct jit_dump_load load = {.code = code, .code_bytes = bytes};
	begin_record(JIT_DUMP_LOAD);
	add(&load, sizeof(load));
	add_text(name);
	end_record();
}

static void begin_lines(enum jit_dump_kind kind, uint64_t code, uint64_t count)
{
	struct jit_dump_lines lines = {.code = code, .count = count};
	begin_record(kind);
	add(&lines, sizeof(lines));
}

static void add_line(uint64_t address, int line, const char *file, const char *function)
{
	struct jit_dump_line one = {.address = address, .line = line};
	add(&one, sizeof(one));
	add_text(file);
	if (function)
		add_text(function);
}

/* A method of 0x100 bytes with one that is inlined in its middle. */
static void add_method(void)
{
	begin_lines(JIT_DUMP_INLINE_LINES, 0x1000, 3);
	add_line(0x1000, 10, "com/acme/Order.java", "com.acme.Order.total");
	add_line(0x1040, 20, "com/acme/Line.java", "com.acme.Line.price");
	add_line(0x1080, 11, "com/acme/Order.java", "com.acme.Order.total");
	end_record();
	add_code(0x1000, 0x100, "com.acme.Order.total");
}

static void write_dump(void)
{
	fixture_write("jit-1.dump", dump, dump_bytes);
}

static int open_dump(struct fixture *fixture, enum target_kind granularity)
{
	fixture_begin();
	write_dump();
	AUTO(text) char *path = text_format("%s/jit-1.dump", fixture_directory);
	*fixture = (struct fixture){.scope = scope_new()};
	fixture->symbols = symbols_new(granularity, fixture->scope);
	return symbols_add_jit(fixture->symbols, path, &fixture->object, &fixture->error);
}

static const char *name_at(struct fixture *fixture, uint64_t address)
{
	uint32_t location = symbols_location_at(fixture->symbols, fixture->object, address);
	return location == SYMBOLS_NONE ? NULL : symbols_location(fixture->symbols, location)->name;
}

TEST("lines are told with their functions, inlined ones too")
{
	struct fixture fixture;
	begin_dump();
	add_method();
	CHECK_EQUAL(open_dump(&fixture, TARGET_LINE), 0);
	CHECK_TEXT(name_at(&fixture, 0x1000), "Order.java:10");
	CHECK_TEXT(name_at(&fixture, 0x107f), "Line.java:20");
	CHECK_TEXT(name_at(&fixture, 0x10ff), "Order.java:11");
	CHECK_TEXT(name_at(&fixture, 0x1100), NULL);
	uint32_t inlined = symbols_location_at(fixture.symbols, fixture.object, 0x1050);
	CHECK_TEXT(symbols_location(fixture.symbols, inlined)->function, "com.acme.Line.price");
	CHECK_TEXT(symbols_location(fixture.symbols, inlined)->file, "com/acme/Line.java");
	fixture_close(&fixture);
}

TEST("a method as target has its code without what is inlined in it, wherever that is")
{
	struct fixture fixture;
	const struct range *ranges;
	begin_dump();
	add_method();
	add_code(0x2000, 0x80, "com.acme.Line.price");
	CHECK_EQUAL(open_dump(&fixture, TARGET_FUNCTION), 0);
	CHECK_TEXT(name_at(&fixture, 0x1000), "com.acme.Order.total");
	CHECK_TEXT(name_at(&fixture, 0x1040), "com.acme.Line.price");
	uint32_t inlined = symbols_location_at(fixture.symbols, fixture.object, 0x1050);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, inlined, &ranges), 2);
	CHECK_EQUAL(ranges[0].start, 0x1040);
	CHECK_EQUAL(ranges[0].end, 0x1080);
	CHECK_EQUAL(ranges[1].end, 0x2080);
	fixture_close(&fixture);
}

TEST("a line is found by its name, and stays one target when its code is compiled again")
{
	struct fixture fixture;
	const struct range *ranges;
	uint32_t location = SYMBOLS_NONE;
	begin_dump();
	add_method();
	CHECK_EQUAL(open_dump(&fixture, TARGET_LINE), 0);
	CHECK_EQUAL(symbols_find(fixture.symbols, "acme/Order.java:11", &location, &fixture.error),
		    0);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 1);
	begin_lines(JIT_DUMP_LINES, 0x5000, 2);
	add_line(0x5000, 11, "com/acme/Order.java", NULL);
	add_line(0x5010, 12, "\xff", NULL);
	end_record();
	add_code(0x5000, 0x20, "com.acme.Order.total");
	write_dump();
	CHECK_EQUAL(symbols_location_at(fixture.symbols, fixture.object, 0x5008), location);
	CHECK_TEXT(name_at(&fixture, 0x501f), "Order.java:12");
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 2);
	CHECK_EQUAL(ranges[1].start, 0x5000);
	CHECK_EQUAL(ranges[1].end, 0x5010);
	CHECK(symbols_find(fixture.symbols, "Order.java:99", &location, &fixture.error) != 0);
	fixture_close(&fixture);
}

TEST("code that moves takes its lines along")
{
	struct fixture fixture;
	struct jit_dump_move move = {.code = 0x1000, .moved_to = 0x9000, .code_bytes = 0x100};
	begin_dump();
	add_method();
	begin_record(JIT_DUMP_MOVE);
	add(&move, sizeof(move));
	end_record();
	CHECK_EQUAL(open_dump(&fixture, TARGET_LINE), 0);
	CHECK_TEXT(name_at(&fixture, 0x9041), "Line.java:20");
	fixture_close(&fixture);
}

TEST("Node.js: names without their tier, the function's file for a damaged one, no own scripts")
{
	struct fixture fixture;
	begin_dump();
	begin_lines(JIT_DUMP_LINES, 0x1000, 2);
	add_line(0x1040, 3, "\x05\xff\xfe.js", NULL);
	add_line(0x1050, 4, "Uu)?", NULL);
	end_record();
	add_code(0x1000, 0x40, "JS:*first /srv/app.js:2:15");
	add_code(0x2000, 0x40, "JS:^first /srv/app.js:2:15");
	begin_lines(JIT_DUMP_LINES, 0x3000, 1);
	add_line(0x3040, 9, "node:internal/util", NULL);
	end_record();
	add_code(0x3000, 0x40, "JS:^inspect node:internal/util:8:1");
	add_code(0x4000, 0x40, "LazyCompile:*older /srv/app.js:14");
	add_code(0x5000, 0x40, "Function:^ /srv/app.js:1");
	CHECK_EQUAL(open_dump(&fixture, TARGET_LINE), 0);
	CHECK_TEXT(name_at(&fixture, 0x4000), "older");
	CHECK_TEXT(name_at(&fixture, 0x5000), "(module)");
	CHECK_TEXT(name_at(&fixture, 0x100f), "app.js:3");
	CHECK_TEXT(name_at(&fixture, 0x1010), "app.js:4");
	CHECK_TEXT(name_at(&fixture, 0x2000), "first");
	CHECK_TEXT(name_at(&fixture, 0x3000), NULL);
	fixture_close(&fixture);
}

static void add_place(uint64_t address, int line, int column)
{
	struct jit_dump_line one = {.address = address + 0x40,
				    .line = line,
				    .discriminator = column};
	add(&one, sizeof(one));
	add_text("/srv/app.js");
}

/* outer() and what it calls: inner() of its own file, and helper() of another. */
static void add_scripts(void)
{
	begin_lines(JIT_DUMP_LINES, 0x1000, 2);
	add_place(0x1000, 8, 3);
	add_place(0x1010, 9, 1);
	end_record();
	add_code(0x1000, 0x40, "JS:^inner /srv/app.js:7:15");
	begin_lines(JIT_DUMP_LINES, 0x2000, 1);
	add_place(0x2000, 30, 5);
	end_record();
	add_code(0x2000, 0x40, "JS:^helper /srv/lib.js:29:16");
	begin_lines(JIT_DUMP_LINES, 0x3000, 2);
	add_place(0x3000, 3, 3);
	add_place(0x3010, 5, 1);
	end_record();
	add_code(0x3000, 0x40, "JS:^outer /srv/app.js:2:15");
	begin_lines(JIT_DUMP_LINES, 0x4000, 5);
	add_place(0x4000, 3, 3);
	add_place(0x4010, 8, 3);
	add_place(0x4020, 8, 9);
	add_place(0x4030, 30, 5);
	add_place(0x4040, 77, 1);
	end_record();
	add_code(0x4000, 0x50, "JS:*outer /srv/app.js:2:15");
}

TEST("Node.js: inlined code has its own function and file, by the places in unoptimized code")
{
	struct fixture fixture;
	const struct range *ranges;
	begin_dump();
	add_scripts();
	CHECK_EQUAL(open_dump(&fixture, TARGET_FUNCTION), 0);
	CHECK_TEXT(name_at(&fixture, 0x400f), "outer");
	CHECK_TEXT(name_at(&fixture, 0x4010), "inner");
	CHECK_TEXT(name_at(&fixture, 0x4020), "inner");
	CHECK_TEXT(name_at(&fixture, 0x4030), "helper");
	CHECK_TEXT(name_at(&fixture, 0x4040), "outer");
	uint32_t inner = symbols_location_at(fixture.symbols, fixture.object, 0x4010);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, inner, &ranges), 2);
	CHECK_EQUAL(ranges[1].start, 0x4010);
	CHECK_EQUAL(ranges[1].end, 0x4030);
	fixture_close(&fixture);
	CHECK_EQUAL(open_dump(&fixture, TARGET_LINE), 0);
	CHECK_TEXT(name_at(&fixture, 0x4010), "app.js:8");
	CHECK_TEXT(name_at(&fixture, 0x4030), "lib.js:30");
	CHECK_TEXT(name_at(&fixture, 0x4040), "outer"); /* app.js has no such line in outer() */
	fixture_close(&fixture);
}

TEST("code is named before its bytes are written, and told with its lines once, when they are")
{
	struct fixture fixture;
	const struct range *ranges;
	begin_dump();
	add_code(0x8000, 0x10, "before");
	add_method();
	struct jit_dump_load load = {.code = 0x9000, .code_bytes = 0x40};
	begin_record(JIT_DUMP_LOAD);
	add(&load, sizeof(load));
	add_text("late");
	size_t named = dump_bytes;
	add("0123456789abcdef", 16);
	end_record();
	size_t whole = dump_bytes;
	dump_bytes = named;
	CHECK_EQUAL(open_dump(&fixture, TARGET_FUNCTION), 0);
	CHECK_TEXT(name_at(&fixture, 0x9010), "late");
	uint32_t location = symbols_location_at(fixture.symbols, fixture.object, 0x9010);
	dump_bytes = whole;
	add_code(0xa000, 0x40, "late");
	write_dump();
	CHECK_EQUAL(symbols_location_at(fixture.symbols, fixture.object, 0xa000), location);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 2);
	CHECK_EQUAL(ranges[0].end, 0x9040);
	CHECK_TEXT(name_at(&fixture, 0x8000), "before");
	fixture_close(&fixture);
}

static void write_file(const char *path, const void *content, size_t size)
{
	AUTO(file) FILE *file = fopen(path, "w");
	CHECK(file && fwrite(content, 1, size, file) == size);
}

TEST("Node.js: names of freed memory, with zeros in them, and a record that is cut, hide no line")
{
	struct fixture fixture = {.scope = scope_new()};
	AUTO(text) char *path = text_format("/tmp/jit-%d.dump", getpid());
	AUTO(text) char *names = text_format("/tmp/perf-%d.map", getpid());
	static const char map[] = "8000 10 before\n1000 40 JS:*first /srv/app.js:2:15\n";

	begin_dump();
	add_code(0x8000, 0x10, "before");
	begin_lines(JIT_DUMP_LINES, 0x1000, 3);
	for (int i = 0; i < 3; i++) {
		struct jit_dump_line one = {.address = 0x1040 + 0x10 * (uint64_t)i, .line = 3 + i};
		add(&one, sizeof(one));
		add("\x05\0/p.js\xff\0\0\0", 12);
	}
	add("\0\0\0", 3);
	end_record();
	dump_bytes -= 15;
	write_file(path, dump, dump_bytes);
	write_file(names, map, sizeof(map) - 1);
	fixture.symbols = symbols_new(TARGET_LINE, fixture.scope);
	CHECK_EQUAL(symbols_add_jit(fixture.symbols, path, &fixture.object, &fixture.error), 0);
	CHECK_TEXT(name_at(&fixture, 0x1000), "app.js:3");
	CHECK_TEXT(name_at(&fixture, 0x1010), "first"); /* its end is cut away */
	unlink(path);
	unlink(names);
	fixture_close(&fixture);
}

TEST("what a jitdump does not tell yet is named by the perf map beside it")
{
	struct fixture fixture = {.scope = scope_new()};
	AUTO(text) char *path = text_format("/tmp/jit-%d.dump", getpid());
	AUTO(text) char *names = text_format("/tmp/perf-%d.map", getpid());
	static const char lines[] = "1000 40 old\n5000 40 first\n1000 40 second\n6000 40 thi";

	begin_dump();
	add_code(0x1000, 0x40, "old");
	add_code(0x5000, 0x40, "first");
	write_file(path, dump, dump_bytes);
	write_file(names, lines, sizeof(lines) - 1);
	fixture.symbols = symbols_new(TARGET_FUNCTION, fixture.scope);
	CHECK_EQUAL(symbols_add_jit(fixture.symbols, path, &fixture.object, &fixture.error), 0);
	CHECK_TEXT(name_at(&fixture, 0x1000), "second");
	CHECK_TEXT(name_at(&fixture, 0x5000), "first");
	CHECK_TEXT(name_at(&fixture, 0x6000), NULL);
	add_code(0x1000, 0x40, "second");
	add_code(0x6000, 0x40, "third");
	write_file(path, dump, dump_bytes);
	CHECK_EQUAL(symbols_add_jit(fixture.symbols, path, &fixture.object, &fixture.error), 0);
	CHECK_TEXT(name_at(&fixture, 0x6000), "third");
	unlink(path);
	unlink(names);
	fixture_close(&fixture);
}

TEST("a dump that ends within a record, at any byte, tells what is whole")
{
	struct fixture fixture;
	begin_dump();
	add_code(0x8000, 0x10, "before");
	add_method();
	size_t whole = dump_bytes;
	for (size_t bytes = 1; bytes < whole; bytes++) {
		dump_bytes = bytes;
		CHECK_EQUAL(open_dump(&fixture, TARGET_LINE), 0);
		CHECK_TEXT(name_at(&fixture, 0x1000), NULL);
		fixture_close(&fixture);
	}
}
