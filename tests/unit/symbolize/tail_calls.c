/* SPDX-License-Identifier: BSD-2-Clause */
/* tail_calls - functions that end in a jump stand in chains, where it is known that they ran. */
#include "fixture.h"

#include "symbolize/far_calls.h"
#include "symbolize/internal.h"
#include "symbolize/machine/instruction.h"

#include "check.h"

#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"
#define CALL_WITHIN 14 /* bytes of a function that calls at once; none is shorter */

static const char source[] =
	"#include <stdlib.h>\n"
	"#include <unistd.h>\n"
	"volatile int seen;\n"
	"int (*volatile pointer)(int);\n"
	"#define KEPT __attribute__((noinline, noclone))\n"
	"KEPT int last(int x) { seen += x; for (int i = 0; i < x; i++) seen ^= i; return seen; }\n"
	"KEPT int second(int x) { seen *= 3; return last(x + 1); }\n"
	"KEPT int first(int x) { seen += 2; return second(x ^ 1); }\n"
	"KEPT int other(int x) { seen -= 5; return last(x - 9); }\n"
	"KEPT int either(int x) { seen++; return x > seen ? second(x) : other(x); }\n"
	"KEPT int plain(int x) { seen--; return last(x) + 1; }\n"
	"KEPT int flush(int x) { seen += 9; return fsync(x); }\n"
	"KEPT int through(int x) { seen += 8; return pointer(x); }\n"
	"KEPT int rare(int x) {\n"
	"	if (__builtin_expect(x == 77, 0)) { seen = 1; abort(); }\n"
	"	return x + seen;\n"
	"}\n"
	"int call_first(int x) { return first(x) + 1; }\n"
	"int call_either(int x) { return either(x) + 1; }\n"
	"int call_plain(int x) { return plain(x) + 1; }\n"
	"int call_flush(int x) { return flush(x) + 1; }\n"
	"int call_through(int x) { return through(x) + 1; }\n"
	"int call_rare(int x) { return rare(x) + 1; }\n"
	"int main(int n, char **v) {\n"
	"	(void)v;\n"
	"	pointer = last;\n"
	"	return call_first(n) + call_either(n) + call_plain(n) + call_flush(n) +\n"
	"	       call_through(n) + call_rare(n);\n"
	"}\n";

static const char *const compilers[] = {"gcc", "clang"};

/* Builds the program, once for each way. False: this machine lacks what it needs. */
static bool build(const char *compiler, const char *options)
{
	fixture_begin();
	fixture_write("tails.c", source, strlen(source));
	return instruction_is_available() && fixture_run("command -v %s", compiler) &&
	       fixture_run("%s -O2 %s tails.c -o tails", compiler, options);
}

static uint64_t offset_of(struct fixture *fixture, uint32_t object, const char *name)
{
	struct symbols *symbols = fixture->symbols;
	const struct symtab *symtab =
		object_symtab(symbols_open(symbols, object), &symbols->sources.texts);

	for (size_t i = 0; i < symtab->count; i++)
		if (!symtab->items[i].is_part &&
		    !strcmp(interner_text(&symbols->sources.texts, symtab->items[i].name), name))
			return symtab->items[i].start;
	return 0;
}

/* The functions without frames between any call in `caller` and `callee`; "" if there are none. */
static char *between(struct fixture *fixture, uint64_t caller, uint32_t object, uint64_t callee)
{
	struct symbols_address code = {.object = object, .offset = callee};
	struct symbols_addresses jumps = {0};
	char *text = text_copy("");

	for (uint64_t offset = caller; offset < caller + CALL_WITHIN && !jumps.count; offset++)
		symbols_tail_calls(fixture->symbols,
				   &(struct symbols_address){.object = fixture->object,
							     .offset = offset},
				   &code, &jumps);
	for (size_t i = 0; i < jumps.count; i++) {
		char *longer =
			text_format("%s%s%s", text, i ? " " : "",
				    symbols_function_at(fixture->symbols, jumps.items[i].object,
							jumps.items[i].offset));
		free(text);
		text = longer;
	}
	array_free(&jumps);
	return text;
}

static void check_between(struct fixture *fixture, const char *caller, const char *callee,
			  const char *expected)
{
	AUTO(text)
	char *found = between(fixture, offset_of(fixture, fixture->object, caller), fixture->object,
			      offset_of(fixture, fixture->object, callee));
	CHECK_TEXT(found, expected);
}

TEST("the jumps between a call and the code that it led to give the functions without frames")
{
	unsigned built = 0;

	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++) {
		struct fixture fixture;
		if (!build(compilers[i], "-g"))
			continue;
		built++;
		CHECK_EQUAL(fixture_open(&fixture, "tails", TARGET_LINE, NULL), 0);
		check_between(&fixture, "call_first", "last", "first second");
		check_between(&fixture, "call_first", "second", "first");
		check_between(&fixture, "call_first", "first", "");
		check_between(&fixture, "call_plain", "plain", "");
		check_between(&fixture, "call_rare", "rare", "");
		fixture_close(&fixture);
	}
	if (!built)
		SKIP("needs a compiler and Zydis");
}

TEST("a call of the very function that runs reads no symbol table, which may have a million rows")
{
	struct fixture known, fresh;

	if (!build("gcc", ""))
		SKIP("no gcc, or no decoder");
	CHECK_EQUAL(fixture_open(&known, "tails", TARGET_FUNCTION, NULL), 0);
	CHECK_EQUAL(fixture_open(&fresh, "tails", TARGET_FUNCTION, NULL), 0);
	uint64_t caller = offset_of(&known, known.object, "call_plain");
	uint64_t callee = offset_of(&known, known.object, "plain");
	uint64_t reached = offset_of(&known, known.object, "last");
	struct object *object = symbols_open(fresh.symbols, fresh.object);
	AUTO(text) char *nothing = between(&fresh, caller, fresh.object, callee);
	CHECK_TEXT(nothing, "");
	CHECK(caller && callee && reached && !object->has_read_symbols);
	AUTO(text)
	char *told = between(&fresh, offset_of(&known, known.object, "call_first"), fresh.object,
			     reached);
	CHECK(object->has_read_symbols && strstr(told, "second"));
	fixture_close(&known);
	fixture_close(&fresh);
}

TEST("where several ways lead to the code, only what they share is told")
{
	struct fixture fixture;

	if (!build("gcc", "-g"))
		SKIP("needs gcc and Zydis");
	CHECK_EQUAL(fixture_open(&fixture, "tails", TARGET_LINE, NULL), 0);
	check_between(&fixture, "call_either", "last", "either");
	check_between(&fixture, "call_either", "other", "either");
	check_between(&fixture, "call_plain", "last", ""); /* it keeps its frame */
	fixture_close(&fixture);
}

TEST("a jump through a pointer, or into another file, is one too")
{
	struct fixture fixture;
	uint32_t libc;

	if (!build("gcc", "-g"))
		SKIP("needs gcc and Zydis");
	CHECK_EQUAL(fixture_open(&fixture, "tails", TARGET_LINE, NULL), 0);
	check_between(&fixture, "call_through", "last", "through");
	if (symbols_add_object(fixture.symbols, LIBC, NULL, false, &libc, NULL))
		SKIP("needs " LIBC);
	AUTO(text)
	char *found = between(&fixture, offset_of(&fixture, fixture.object, "call_flush"), libc,
			      offset_of(&fixture, libc, "fsync"));
	CHECK_TEXT(found, "flush");
	fixture_close(&fixture);
}

TEST("symbols of programs that nobody asked about are not read to find where a jump leads")
{
	struct fixture fixture;
	uint32_t another, libc;

	if (!build("gcc", "-g") || !fixture_run("cp tails another"))
		SKIP("needs gcc and Zydis");
	CHECK_EQUAL(fixture_open(&fixture, "tails", TARGET_LINE, NULL), 0);
	AUTO(text) char *path = text_format("%s/another", fixture_directory);
	CHECK(!symbols_add_object(fixture.symbols, path, NULL, true, &another, NULL));
	if (symbols_add_object(fixture.symbols, LIBC, NULL, false, &libc, NULL))
		SKIP("needs " LIBC);
	AUTO(text)
	char *found = between(&fixture, offset_of(&fixture, fixture.object, "call_flush"), libc,
			      offset_of(&fixture, libc, "fsync"));
	CHECK_TEXT(found, "flush");
	CHECK(!symbols_open(fixture.symbols, another)->has_read_symbols);
	fixture_close(&fixture);
}

TEST("a stripped file gives functions without names")
{
	struct fixture fixture;

	if (!build("gcc", ""))
		SKIP("needs gcc and Zydis");
	CHECK_EQUAL(fixture_open(&fixture, "tails", TARGET_LINE, NULL), 0);
	uint64_t caller = offset_of(&fixture, fixture.object, "call_first");
	uint64_t callee = offset_of(&fixture, fixture.object, "last");
	fixture_close(&fixture);
	CHECK(fixture_run("strip -s tails"));
	CHECK_EQUAL(fixture_open(&fixture, "tails", TARGET_LINE, NULL), 0);
	AUTO(text) char *found = between(&fixture, caller, fixture.object, callee);
	CHECK(!strncmp(found, "tails+0x", 8) && strstr(found, " tails+0x"));
	fixture_close(&fixture);
}

/* The location of a sample whose innermost code in scope is a call in `caller`. */
static const struct symbols_location *told(struct fixture *fixture, const char *caller,
					   uint64_t *call)
{
	uint64_t start = offset_of(fixture, fixture->object, caller);

	for (uint64_t offset = start; offset < start + CALL_WITHIN; offset++) {
		uint32_t before = symbols_location_at(fixture->symbols, fixture->object, offset);
		uint32_t after =
			symbols_tail_location(fixture->symbols, fixture->object, offset, before);
		*call = offset;
		if (after != before)
			return symbols_location(fixture->symbols, after);
	}
	return NULL;
}

TEST("time out of scope belongs to the function that jumped there, with the byte of the call")
{
	const struct range *ranges;
	struct fixture fixture;
	uint64_t call = 0;
	uint32_t found;

	if (!build("gcc", "-g"))
		SKIP("needs gcc and Zydis");
	CHECK_EQUAL(fixture_open(&fixture, "tails", TARGET_FUNCTION, NULL), 0);
	CHECK(!told(&fixture, "call_first", &call)); /* it stays in scope */
	CHECK(!told(&fixture, "call_plain", &call));
	const struct symbols_location *location = told(&fixture, "call_flush", &call);
	CHECK(location);
	CHECK_TEXT(location->name, "flush");
	CHECK_EQUAL(symbols_find(fixture.symbols, "flush", &found, &fixture.error), 0);
	size_t count = symbols_location_ranges(fixture.symbols, found, &ranges);
	CHECK_EQUAL(count, 2);
	bool has_byte = false;
	for (size_t i = 0; i < count; i++)
		has_byte |= ranges[i].start == call && ranges[i].end == call + 1;
	CHECK(has_byte);
	CHECK_EQUAL(symbols_find(fixture.symbols, "call_flush", &found, &fixture.error), 0);
	count = symbols_location_ranges(fixture.symbols, found, &ranges);
	for (size_t i = 0; i < count; i++)
		CHECK(call < ranges[i].start || call >= ranges[i].end);
	fixture_close(&fixture);
}

/* Whether a call in the caller has the function around it, with all that this calls. */
static bool is_around_call(struct fixture *fixture, const char *caller, const char *function)
{
	uint64_t start = offset_of(fixture, fixture->object, caller);
	uint32_t locations[8];
	bool is_around = false;

	for (uint64_t offset = start; offset < start + CALL_WITHIN; offset++) {
		size_t count = symbols_functions_at(fixture->symbols, fixture->object, offset,
						    locations, 8);
		const char *first = symbols_location(fixture->symbols, locations[0])->name;
		if (count < 2 || strcmp(first, function))
			continue;
		is_around = location_has(fixture->symbols, locations[0], offset);
		CHECK_TEXT(symbols_location(fixture->symbols, locations[1])->function, caller);
	}
	return is_around;
}

TEST("a call is inside the function that it enters, if a jump may leave that")
{
	struct fixture fixture;

	if (!build("gcc", "-g"))
		SKIP("needs gcc and Zydis");
	CHECK_EQUAL(fixture_open(&fixture, "tails", TARGET_LINE, NULL), 0);
	CHECK(is_around_call(&fixture, "call_first", "inclusive:first"));
	CHECK(is_around_call(&fixture, "call_flush", "inclusive:flush"));
	CHECK(!is_around_call(&fixture, "call_plain", "inclusive:plain")); /* has a frame */
	fixture_close(&fixture);
}

static const char far_source[] = "#include <unistd.h>\n"
				 "volatile int asked;\n"
				 "int far(int x) { asked += x; return fsync(x + asked); }\n"
				 "int near(int x) { return x + asked; }\n";
static const char far_caller[] =
	"int far(int);\n"
	"int near(int);\n"
	"int call_far(int x) { return far(x) + 1; }\n"
	"int call_near(int x) { return near(x) + 1; }\n"
	"int main(int n, char **v) { (void)v; return call_far(n) + call_near(n); }\n";

/* The function of another file around a call in the caller; SYMBOLS_NONE: there is none. */
static uint32_t far_function(struct fixture *fixture, const char *caller,
			     struct symbols_address *call)
{
	uint64_t start = offset_of(fixture, fixture->object, caller);
	uint32_t locations[8];

	for (uint64_t offset = start; offset < start + CALL_WITHIN; offset++) {
		size_t count = symbols_functions_at(fixture->symbols, fixture->object, offset,
						    locations, 8);
		*call = (struct symbols_address){.object = fixture->object, .offset = offset};
		if (count == 2 &&
		    symbols_location(fixture->symbols, locations[0])->object != fixture->object)
			return locations[0];
	}
	return SYMBOLS_NONE;
}

TEST("a call is inside the function of another file that it enters, if a jump may leave that")
{
	struct fixture fixture;
	struct symbols_address call;
	const struct symbols_address *calls;
	uint32_t library, found;

	fixture_begin();
	fixture_write("far.c", far_source, strlen(far_source));
	fixture_write("caller.c", far_caller, strlen(far_caller));
	if (!instruction_is_available() ||
	    !fixture_run("gcc -O2 -fPIC -shared far.c -o libfar.so && strip -x libfar.so && "
			 "gcc -O2 caller.c -o caller ./libfar.so"))
		SKIP("needs gcc and Zydis");
	CHECK_EQUAL(fixture_open(&fixture, "caller", TARGET_LINE, NULL), 0);
	AUTO(text) char *path = text_format("%s/libfar.so", fixture_directory);
	CHECK(!symbols_add_object(fixture.symbols, path, NULL, false, &library, NULL));
	CHECK_EQUAL(symbols_find_inclusive(fixture.symbols, "far", &found, &fixture.error), 0);
	CHECK_EQUAL(symbols_far_calls(fixture.symbols, found, &calls), 0);
	CHECK_EQUAL(far_function(&fixture, "call_far", &call), found);
	CHECK_EQUAL(far_function(&fixture, "call_far", &call), found);
	CHECK_EQUAL(symbols_far_calls(fixture.symbols, found, &calls), 1);
	CHECK(calls[0].object == call.object && calls[0].offset == call.offset);
	CHECK_EQUAL(far_function(&fixture, "call_near", &call), SYMBOLS_NONE); /* has a frame */
	fixture_close(&fixture);
}

static void check_jumps(struct fixture *fixture, const char *name, const char *expected)
{
	uint32_t location;

	CHECK_EQUAL(symbols_find_inclusive(fixture->symbols, name, &location, &fixture->error), 0);
	AUTO(text) char *names = symbols_jumps_to(fixture->symbols, location);
	CHECK_TEXT(names ? names : "", expected);
}

TEST("where a function goes by jumps at its end is told by name")
{
	struct fixture fixture;

	if (!build("gcc", "-g"))
		SKIP("needs gcc and Zydis");
	CHECK_EQUAL(fixture_open(&fixture, "tails", TARGET_LINE, NULL), 0);
	check_jumps(&fixture, "first", "second");
	check_jumps(&fixture, "flush", "fsync");
	check_jumps(&fixture, "through", "where a pointer says");
	check_jumps(&fixture, "plain", "");
	check_jumps(&fixture, "rare", ""); /* to its cold part */
	fixture_close(&fixture);
}
