/* SPDX-License-Identifier: BSD-2-Clause */
/* skid - a sample at the first instruction of a line is of the line that control comes from. */
#include "symbolize/symbols.h"

#include "fixture.h"

#include "check.h"

/* Each line is one instruction, or two. */
static const char source[] =
	"__attribute__((noinline)) void work(int *place)\n" /* 1 */
	"{\n"
	"	__asm__ volatile(\"mov (%0), %%eax\" : : \"r\"(place) : \"eax\");\n"
	"	__asm__ volatile(\"and $7, %%eax\" : : : \"eax\");\n" /* 4 */
	"	__asm__ volatile(\"7: sub $1, %%eax\" : : : \"eax\");\n"
	"	__asm__ volatile(\"jns 7b\");\n" /* 6 */
	"	__asm__ volatile(\"jmp 8f; nop\");\n"
	"	__asm__ volatile(\"8: nopl (%rax)\");\n" /* 8 */
	"	__asm__ volatile(\"call 9f; jmp 6f; 9: ret\");\n"
	"	__asm__ volatile(\"6: nopl (%rax)\");\n" /* 10 */
	"}\n"
	"static inline __attribute__((always_inline)) void inlined(int *place)\n"
	"{\n"
	"	__asm__ volatile(\"addl $1, (%0)\" : : \"r\"(place) : \"memory\");\n"
	"}\n"
	"__attribute__((noinline)) void around(int *place)\n"
	"{\n"
	"	__asm__ volatile(\"nopl (%rax)\");\n" /* 18 */
	"	inlined(place);\n"
	"	__asm__ volatile(\"nopl (%rax)\");\n" /* 20 */
	"}\n"
	"int main(void)\n"
	"{\n"
	"	int place = 5;\n"
	"	work(&place);\n"
	"	around(&place);\n"
	"	return 0;\n"
	"}\n";

static struct fixture opened(enum target_kind granularity)
{
	struct fixture fixture;

	fixture_begin();
	fixture_write("skid.c", source, strlen(source));
	if (!fixture_run("test -e skid || gcc -O1 -g skid.c -o skid") ||
	    fixture_open(&fixture, "skid", granularity, NULL))
		abort();
	return fixture;
}

/* The file offset of the line's first instruction. */
static uint64_t begin_of(struct fixture *fixture, unsigned line)
{
	struct symbols_addresses found = {0};
	AUTO(text) char *name = text_format("skid.c:%u", line);

	if (symbols_breakpoints(fixture->symbols, name, SYMBOLS_NONE, &found, NULL))
		abort();
	uint64_t offset = found.items[0].offset;
	array_free(&found);
	return offset;
}

static unsigned line_at(struct fixture *fixture, uint64_t offset)
{
	uint32_t location = symbols_location_at(fixture->symbols, fixture->object, offset);

	return location == SYMBOLS_NONE ? 0 : symbols_location(fixture->symbols, location)->line;
}

static const char *innermost_at(struct fixture *fixture, uint64_t offset)
{
	uint32_t location;

	if (!symbols_functions_at(fixture->symbols, fixture->object, offset, &location, 1))
		return "";
	return symbols_location(fixture->symbols, location)->function;
}

TEST("a load's samples stand at the next instruction, and are of the load's line")
{
	if (!symbols_finds_spin_loops())
		SKIP("built without Zydis, or not for x86-64");
	struct fixture fixture = opened(TARGET_LINE);
	CHECK_EQUAL(line_at(&fixture, begin_of(&fixture, 4)), 3);
	CHECK_EQUAL(line_at(&fixture, begin_of(&fixture, 4) + 1), 4);
	CHECK_EQUAL(line_at(&fixture, begin_of(&fixture, 6)), 5);
	CHECK_EQUAL(line_at(&fixture, begin_of(&fixture, 7)), 6); /* behind a branch */
	CHECK_EQUAL(line_at(&fixture, begin_of(&fixture, 9)), 8);
	fixture_close(&fixture);
}

TEST("where a jump leads, and where a function begins, samples are of the code itself")
{
	struct fixture fixture = opened(TARGET_LINE);

	CHECK_EQUAL(line_at(&fixture, begin_of(&fixture, 5)), 5);
	CHECK_EQUAL(line_at(&fixture, begin_of(&fixture, 8)), 8);
	CHECK_EQUAL(line_at(&fixture, begin_of(&fixture, 10)), 10);
	CHECK_EQUAL(line_at(&fixture, begin_of(&fixture, 18)), 18);
	fixture_close(&fixture);
}

TEST("the ranges of a line are its samples' addresses")
{
	struct fixture fixture = opened(TARGET_LINE);
	const struct range *ranges;
	uint32_t location;

	CHECK_EQUAL(symbols_find(fixture.symbols, "skid.c:4", &location, NULL), 0);
	uint64_t begin = begin_of(&fixture, 4), end = begin_of(&fixture, 5);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 1);
	CHECK_EQUAL(ranges[0].start, begin + symbols_finds_spin_loops());
	CHECK_EQUAL(ranges[0].end, end); /* a jump leads there */
	fixture_close(&fixture);
}

TEST("an inlined function's samples begin and end one instruction later")
{
	if (!symbols_finds_spin_loops())
		SKIP("built without Zydis, or not for x86-64");
	struct fixture fixture = opened(TARGET_FUNCTION);
	uint64_t after = begin_of(&fixture, 20), begin = after - 3; /* addl $1, (%rdi) */
	CHECK_TEXT(innermost_at(&fixture, begin), "around");
	CHECK_TEXT(innermost_at(&fixture, begin + 1), "inlined");
	CHECK_TEXT(innermost_at(&fixture, after), "inlined");
	CHECK_TEXT(innermost_at(&fixture, after + 1), "around");
	fixture_close(&fixture);
}
