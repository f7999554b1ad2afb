/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_dump - functions and lines of a jitdump, also while it grows, moves, or is damaged. */
#include "symbolize/symbols.h"

#include "../fixture.h"

#include "wire/jit_dump.h"

#include "check.h"

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
