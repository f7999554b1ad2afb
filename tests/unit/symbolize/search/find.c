/* SPDX-License-Identifier: BSD-2-Clause */
/* find - typed names find their code in C, C++ and Rust; errors offer near names. */
#include "symbolize/parser/start.h"
#include "symbolize/patterns.h"
#include "symbolize/variables.h"

#include "../fixture.h"

#include "check.h"

#include <errno.h>

static const char cpp_source[] =
	"#include <algorithm>\n"
	"#include <cstdio>\n"
	"#include <vector>\n"
	"namespace app {\n"
	"template <class T> struct list {\n"
	"	std::vector<T> items;\n"
	"	__attribute__((noinline)) void push(T x) { items.push_back(x); }\n"
	"	__attribute__((noinline)) void order()\n"
	"	{\n"
	"		std::sort(items.begin(), items.end());\n"
	"	}\n"
	"};\n"
	"__attribute__((noinline)) int total(const list<int> &l)\n"
	"{\n"
	"	int n = 0;\n"
	"	for (int x : l.items)\n"
	"		n += x;\n"
	"	return n;\n"
	"}\n"
	"__attribute__((noinline)) int total(int a, int b)\n"
	"{\n"
	"	return a * b;\n"
	"}\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	app::list<int> l;\n"
	"	for (int i = 0; i < argc * 100; i++)\n"
	"		l.push(i ^ 21);\n"
	"	l.order();\n"
	"	std::printf(\"%d\\n\", app::total(l) + app::total(argc, 3));\n"
	"	return argv == nullptr;\n"
	"}\n";

static int find(struct fixture *fixture, const char *name, uint32_t *location)
{
	fixture->error = (struct error){0};
	return symbols_find(fixture->symbols, name, location, &fixture->error);
}

static size_t breakpoints(struct fixture *fixture, const char *name, uint64_t *offset)
{
	struct symbols_addresses addresses = {0};
	fixture->error = (struct error){0};
	if (symbols_breakpoints(fixture->symbols, name, SYMBOLS_NONE, &addresses,
				&fixture->error) != 0)
		return 0;
	size_t count = addresses.count;
	*offset = addresses.items[0].offset;
	array_free(&addresses);
	return count;
}

static void open_main(struct fixture *fixture, enum target_kind kind)
{
	fixture_begin();
	if (!fixture_run("gcc -O2 -g main.c -o main") ||
	    fixture_open(fixture, "main", kind, NULL) != 0)
		abort();
}

TEST("a line is found by its name and by any end of its path")
{
	struct fixture fixture;
	uint32_t location, other;
	open_main(&fixture, TARGET_LINE);
	CHECK_EQUAL(find(&fixture, "main.c:12", &location), 0);
	const struct symbols_location *found = symbols_location(fixture.symbols, location);
	CHECK_TEXT(found->name, "main.c:12");
	CHECK_TEXT(found->function, "work");
	CHECK_EQUAL(found->line, 12);
	CHECK_EQUAL(found->kind, TARGET_LINE);
	CHECK_EQUAL(find(&fixture, found->file, &other), -ENOENT);
	AUTO(text) char *whole = text_format("%s:12", found->file);
	CHECK_EQUAL(find(&fixture, whole, &other), 0);
	CHECK_EQUAL(other, location);
	AUTO(text) char *tail = text_format("%s/main.c:12", strrchr(fixture_directory, '/') + 1);
	CHECK_EQUAL(find(&fixture, tail, &other), 0);
	CHECK_EQUAL(other, location);
	CHECK_EQUAL(find(&fixture, "ain.c:12", &other), -ENXIO);
	fixture_close(&fixture);
}

TEST("a line without code gets the nearest lines that have some")
{
	struct fixture fixture;
	uint32_t location;
	open_main(&fixture, TARGET_LINE);
	CHECK_EQUAL(find(&fixture, "main.c:7", &location), -ENXIO);
	CHECK(strstr(fixture.error.text, "main.c:6"));
	CHECK(strstr(fixture.error.text, "main.c:9") || strstr(fixture.error.text, "main.c:8"));
	CHECK_EQUAL(find(&fixture, "man.c:12", &location), -ENXIO);
	CHECK(strstr(fixture.error.text, "main.c"));
	fixture_close(&fixture);
}

TEST("an unknown function gets the nearest names")
{
	struct fixture fixture;
	uint32_t location;
	uint64_t offset;
	open_main(&fixture, TARGET_LINE);
	CHECK_EQUAL(find(&fixture, "wrok", &location), -ENXIO);
	CHECK(strstr(fixture.error.text, "nearest: work"));
	CHECK_EQUAL(breakpoints(&fixture, "wrok", &offset), 0);
	CHECK_EQUAL(fixture.error.code, -ENXIO);
	CHECK_EQUAL(find(&fixture, "nothing_of_the_kind", &location), -ENOENT);
	fixture_close(&fixture);
}

TEST("a pattern that no function matches gets the nearest names")
{
	struct fixture fixture;
	open_main(&fixture, TARGET_LINE);
	CHECK_EQUAL(symbols_find_pattern(fixture.symbols, "w*k", false, &fixture.error), 0);
	CHECK_EQUAL(symbols_find_pattern(fixture.symbols, "wrok*", false, &fixture.error), -ENXIO);
	CHECK(strstr(fixture.error.text, "'wrok*'; nearest: work"));
	CHECK_EQUAL(symbols_find_pattern(fixture.symbols, "*wrok", false, &fixture.error), -ENXIO);
	CHECK(strstr(fixture.error.text, "nearest: work"));
	CHECK_EQUAL(symbols_find_pattern(fixture.symbols, "nothing_of_the_kind*", false,
					 &fixture.error),
		    -ENOENT);
	fixture_close(&fixture);
}

TEST("a function's ranges are its body where lines are the targets")
{
	struct fixture fixture;
	uint32_t location;
	uint64_t start = 0, size = 0, offset = 0;
	const struct range *ranges;
	open_main(&fixture, TARGET_LINE);
	CHECK(fixture_symbol("main", "work", &start, &size));
	CHECK_EQUAL(find(&fixture, "work", &location), 0);
	CHECK_EQUAL(symbols_location(fixture.symbols, location)->kind, TARGET_FUNCTION);
	CHECK_EQUAL(symbols_location(fixture.symbols, location)->line, 8);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), 1);
	CHECK_EQUAL(ranges[0].start, start);
	CHECK_EQUAL(ranges[0].end, start + size);
	CHECK_EQUAL(breakpoints(&fixture, "work", &offset), 1);
	CHECK_EQUAL(offset, start);
	fixture_close(&fixture);
}

TEST("a function that is only inlined has the ranges of its copies")
{
	struct fixture fixture;
	uint32_t helper, twice;
	uint64_t start = 0, size = 0, offset = 0;
	const struct range *ranges;
	open_main(&fixture, TARGET_FUNCTION);
	CHECK(fixture_symbol("main", "work", &start, &size));
	CHECK(!fixture_symbol("main", "helper", &offset, &offset));
	CHECK_EQUAL(find(&fixture, "helper", &helper), 0);
	CHECK_EQUAL(find(&fixture, "twice", &twice), 0);
	CHECK(symbols_location_ranges(fixture.symbols, helper, &ranges) > 0);
	CHECK(ranges[0].start >= start && ranges[0].end <= start + size);
	CHECK_EQUAL(symbols_location_at(fixture.symbols, fixture.object, ranges[0].start), helper);
	CHECK_EQUAL(breakpoints(&fixture, "helper", &offset), 2);
	CHECK_EQUAL(breakpoints(&fixture, "twice", &offset), 1);
	fixture_close(&fixture);
}

TEST("a breakpoint of a line is at an address of that line")
{
	struct fixture fixture;
	uint64_t offset = 0;
	open_main(&fixture, TARGET_LINE);
	CHECK_EQUAL(breakpoints(&fixture, "main.c:18", &offset), 1);
	uint32_t location = symbols_location_at(fixture.symbols, fixture.object, offset);
	CHECK(location != SYMBOLS_NONE);
	CHECK_TEXT(symbols_location(fixture.symbols, location)->name, "main.c:18");
	fixture_close(&fixture);
}

TEST("locations of the other granularity are found, too")
{
	struct fixture fixture;
	uint32_t location;
	const struct range *ranges;
	open_main(&fixture, TARGET_FUNCTION);
	CHECK_EQUAL(find(&fixture, "main.c:12", &location), 0);
	CHECK_EQUAL(symbols_location(fixture.symbols, location)->kind, TARGET_LINE);
	size_t count = symbols_location_ranges(fixture.symbols, location, &ranges);
	CHECK(count > 0);
	uint64_t end = ranges[count - 1].end;
	CHECK_EQUAL(find(&fixture, "main.c:12", &location), 0);
	CHECK_EQUAL(symbols_location_ranges(fixture.symbols, location, &ranges), count);
	CHECK_EQUAL(ranges[count - 1].end, end);
	fixture_close(&fixture);
}

/* Compiles the C++ fixture; the test is skipped without a compiler. */
static void open_cpp(struct fixture *fixture, const char *command)
{
	fixture_begin();
	fixture_write("app.cc", cpp_source, strlen(cpp_source));
	if (!fixture_run("command -v %s", strncmp(command, "clang", 5) == 0 ? "clang++" : "g++"))
		SKIP("no C++ compiler");
	if (!fixture_run("%s app.cc -o app", command) ||
	    fixture_open(fixture, "app", TARGET_FUNCTION, NULL) != 0)
		abort();
}

static void check_cpp(const char *command)
{
	struct fixture fixture;
	uint32_t location, other;
	open_cpp(&fixture, command);
	CHECK_EQUAL(find(&fixture, "app::total(int, int)", &location), 0);
	CHECK_TEXT(symbols_location(fixture.symbols, location)->name, "app::total(int, int)");
	CHECK_EQUAL(find(&fixture, "_ZN3app5totalEii", &other), 0);
	CHECK_EQUAL(other, location);
	CHECK_EQUAL(find(&fixture, "app::total", &other), -ENOTUNIQ);
	CHECK(strstr(fixture.error.text, "app::total(int, int)"));
	CHECK(strstr(fixture.error.text, "app::total(app::list<int> const&)"));
	CHECK_EQUAL(find(&fixture, "app::list<int>::push", &location), 0);
	CHECK_TEXT(symbols_location(fixture.symbols, location)->name, "app::list<int>::push(int)");
	CHECK_EQUAL(find(&fixture, "app::list::push", &other), 0);
	CHECK_EQUAL(other, location);
	CHECK_EQUAL(find(&fixture, "list::push", &other), 0);
	CHECK_EQUAL(other, location);
	/* std::sort is inlined or called from here; it is out of scope, so its time is app's. */
	CHECK_EQUAL(find(&fixture, "order", &location), 0);
	for (uint32_t i = 0; i < symbols_location_count(fixture.symbols); i++) {
		const char *file = symbols_location(fixture.symbols, i)->file;
		CHECK(!file || strncmp(file, "/usr/include", 12) != 0);
	}
	fixture_close(&fixture);
}

TEST("C++ functions of gcc are found by full, short and linker names")
{
	check_cpp("g++ -O2 -g");
}

TEST("C++ functions of clang are found by full, short and linker names")
{
	check_cpp("clang++ -O2 -g");
}

TEST("C++ functions are found in DWARF 4 without split parts, and without debug information")
{
	struct fixture fixture;
	uint32_t location;
	check_cpp("g++ -O2 -gdwarf-4");
	open_cpp(&fixture, "g++ -O2");
	CHECK_EQUAL(find(&fixture, "app::total(int, int)", &location), 0);
	CHECK_EQUAL(find(&fixture, "app::list<int>::push", &location), 0);
	fixture_close(&fixture);
}

/* Inlined in a function, called by main, and inlined in a template that main calls. */
static const char lambda_source[] =
	"#include <cstdlib>\n"
	"static volatile unsigned sink;\n"
	"template <class F> __attribute__((noinline)) void each(int n, F f)\n"
	"{\n"
	"	for (int i = 0; i < n; i++)\n"
	"		f(i);\n"
	"}\n"
	"static unsigned mixed(unsigned x)\n"
	"{\n"
	"	auto step = [](unsigned y) {\n"
	"		for (int i = 0; i < 99; i++)\n"
	"			y = y * 3 + sink;\n"
	"		return y;\n"
	"	};\n"
	"	return step(x);\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	auto called = [](int n) __attribute__((noinline)) {\n"
	"		while (n--)\n"
	"			sink = sink * 5 + n;\n"
	"	};\n"
	"	each(argc * 100, [](int i) { sink = sink * 7 + i; });\n"
	"	called(atoi(argv[0]) + 50);\n"
	"	return mixed(argc) != 0;\n"
	"}\n";

TEST("lambdas are told apart by the function around them and their line, and found so")
{
	static const char *const names[] = {"mixed::{lambda:10}", "main::{lambda:19}",
					    "main::{lambda:23}"};
	struct fixture fixture;
	uint32_t locations[3];

	fixture_begin();
	fixture_write("app.cc", lambda_source, strlen(lambda_source));
	if (!fixture_run("command -v g++"))
		SKIP("no C++ compiler");
	if (!fixture_run("g++ -O2 -g app.cc -o app") ||
	    fixture_open(&fixture, "app", TARGET_FUNCTION, NULL) != 0)
		abort();
	for (int i = 0; i < 3; i++) {
		CHECK_EQUAL(find(&fixture, names[i], &locations[i]), 0);
		CHECK_TEXT(symbols_location(fixture.symbols, locations[i])->name, names[i]);
	}
	CHECK(locations[0] != locations[1] && locations[1] != locations[2]);
	fixture_close(&fixture);
}

TEST("static functions of one name differ by their file")
{
	struct fixture fixture;
	uint32_t one, two, location;
	static const char pattern[] =
		"int %c(int);\n"
		"__attribute__((noinline)) static int shared(int n)\n"
		"{\n\tint s = %d;\n\twhile (n--)\n\t\ts ^= n * s;\n\treturn s;\n}\n"
		"int %c(int n)\n{\n\treturn shared(n);\n}\n";
	fixture_begin();
	AUTO(text) char *a = text_format(pattern, 'a', 5, 'a');
	AUTO(text) char *b = text_format(pattern, 'b', 6, 'b');
	static const char caller[] =
		"int a(int);\nint b(int);\n"
		"int main(int n, char **v)\n{\n\treturn v ? a(n) + b(n) : 0;\n}\n";
	fixture_write("a.c", a, strlen(a));
	fixture_write("b.c", b, strlen(b));
	fixture_write("two.c", caller, strlen(caller));
	CHECK(fixture_run("gcc -O2 -g a.c b.c two.c -o two"));
	CHECK_EQUAL(fixture_open(&fixture, "two", TARGET_FUNCTION, NULL), 0);
	CHECK_EQUAL(find(&fixture, "shared", &location), -ENOTUNIQ);
	CHECK(strstr(fixture.error.text, "a.c:shared"));
	CHECK_EQUAL(find(&fixture, "a.c:shared", &one), 0);
	CHECK_EQUAL(find(&fixture, "b.c:shared", &two), 0);
	CHECK(one != two);
	CHECK_TEXT(symbols_location(fixture.symbols, one)->name, "a.c:shared");
	CHECK_TEXT(symbols_location(fixture.symbols, two)->name, "b.c:shared");
	fixture_close(&fixture);
}

TEST("files of one name are named by distinct ends of their paths")
{
	struct fixture fixture;
	uint32_t location;
	fixture_begin();
	static const char one[] = "int one(int n);\nint one(int n)\n{\n\treturn n * 3;\n}\n";
	static const char two[] = "int one(int n);\nint main(int n, char **v)\n{\n"
				  "\treturn v ? one(n) : 0;\n}\n";
	CHECK(fixture_run("mkdir -p x/lib x/app"));
	fixture_write("x/lib/same.c", one, strlen(one));
	fixture_write("x/app/same.c", two, strlen(two));
	CHECK(fixture_run("gcc -O1 -g x/lib/same.c x/app/same.c -o same"));
	CHECK_EQUAL(fixture_open(&fixture, "same", TARGET_LINE, NULL), 0);
	CHECK_EQUAL(find(&fixture, "same.c:4", &location), -ENOTUNIQ);
	CHECK(strstr(fixture.error.text, "lib/same.c"));
	CHECK_EQUAL(find(&fixture, "app/same.c:4", &location), 0);
	CHECK_TEXT(symbols_location(fixture.symbols, location)->name, "app/same.c:4");
	fixture_close(&fixture);
}

TEST("Rust functions are found by their path, and the standard library is out of scope")
{
	struct fixture fixture;
	uint32_t location;
	static const char rust[] =
		"mod inner {\n"
		"    #[inline(never)]\n"
		"    pub fn work(n: u64) -> u64 {\n"
		"        (0..n).map(|x| x ^ (x >> 3)).fold(7, |a, b| a.wrapping_mul(b | 1))\n"
		"    }\n"
		"}\n"
		"fn main() {\n"
		"    println!(\"{}\", inner::work(std::env::args().count() as u64 * 1000));\n"
		"}\n";
	fixture_begin();
	fixture_write("prog.rs", rust, strlen(rust));
	if (!fixture_run("command -v rustc && rustc --version"))
		SKIP("rustc is not installed");
	if (!fixture_run("rustc -C opt-level=2 -g prog.rs -o prog"))
		SKIP("rustc does not link here");
	CHECK_EQUAL(fixture_open(&fixture, "prog", TARGET_LINE, NULL), 0);
	CHECK_EQUAL(find(&fixture, "prog::inner::work", &location), 0);
	CHECK_EQUAL(find(&fixture, "inner::work", &location), 0);
	CHECK_TEXT(symbols_location(fixture.symbols, location)->name, "prog::inner::work");
	CHECK_EQUAL(find(&fixture, "prog.rs:4", &location), 0);
	for (uint32_t i = 0; i < symbols_location_count(fixture.symbols); i++) {
		const char *file = symbols_location(fixture.symbols, i)->file;
		CHECK(file && !strstr(file, "/library/"));
	}
	fixture_close(&fixture);
}

TEST("the probes of sys/sdt.h are found with their semaphores")
{
	struct fixture fixture;
	struct symbols_addresses probes = {0};
	static const char code[] =
		"#define _SDT_HAS_SEMAPHORES 1\n#include <sys/sdt.h>\n"
		"__extension__ unsigned short app_item_semaphore "
		"__attribute__((unused, section(\".probes\")));\n"
		"__extension__ unsigned short app_end_semaphore "
		"__attribute__((unused, section(\".probes\")));\n"
		"int main(int n, char **v)\n{\n"
		"\tfor (int i = 0; i < n; i++) {\n\t\tDTRACE_PROBE1(app, item, i);\n\t}\n"
		"\tDTRACE_PROBE(app, item);\n\tDTRACE_PROBE(app, end);\n\treturn !v;\n}\n";
	fixture_begin();
	fixture_write("probes.c", code, strlen(code));
	if (!fixture_run("gcc -O2 -g probes.c -o probes"))
		SKIP("sys/sdt.h is not installed");
	CHECK_EQUAL(fixture_open(&fixture, "probes", TARGET_LINE, NULL), 0);
	CHECK_EQUAL(symbols_usdt(fixture.symbols, "app", "item", &probes, &fixture.error), 0);
	CHECK_EQUAL(probes.count, 2);
	const struct symbols_address *items = probes.items;
	CHECK(items[0].semaphore_offset && items[0].semaphore_offset == items[1].semaphore_offset);
	CHECK(items[0].offset != items[1].offset);
	CHECK_TEXT(symbols_function_at(fixture.symbols, fixture.object, items[0].offset), "main");
	CHECK_EQUAL(symbols_usdt(fixture.symbols, "app", "items", &probes, &fixture.error),
		    -ENOENT);
	CHECK_EQUAL(probes.count, 2);
	array_free(&probes);
	fixture_close(&fixture);
}

TEST("every part of the lock of Python's interpreter has one name")
{
	static const char code[] = "char before[8] = {1}, _PyRuntime[64] = {1};\n"
				   "int main(void)\n{\n\treturn before[0] + _PyRuntime[0];\n}\n";
	struct fixture fixture;
	unsigned named = 0;

	fixture_begin();
	fixture_write("interpreter.c", code, strlen(code));
	CHECK(fixture_run("gcc interpreter.c -o python3.99"));
	CHECK_EQUAL(fixture_open(&fixture, "python3.99", TARGET_LINE, NULL), 0);
	for (uint64_t offset = 0; offset < 0x10000; offset++) {
		AUTO(text)
		char *name = symbols_variable_at(fixture.symbols, fixture.object, offset);
		named += name && !strcmp(name, "GIL of python3.99");
	}
	CHECK_EQUAL(named, 64);
	fixture_close(&fixture);
}

/* All binaries are in scope, and a library is known before the program. */
static void open_after_library(struct fixture *fixture, bool has_parser)
{
	static const char library[] = "int work(int n)\n{\n\treturn n / 3;\n}\n";
	AUTO(text) char *first = NULL, *second = NULL;
	uint32_t object;

	fixture_begin();
	first = text_format("%s/libwork.so", fixture_directory);
	second = text_format("%s/main", fixture_directory);
	fixture_write("work.c", library, strlen(library));
	if (!fixture_run("gcc -O2 -g -shared -fPIC work.c -o libwork.so") ||
	    !fixture_run("gcc -O2 -g main.c -o main"))
		abort();
	*fixture = (struct fixture){.scope = scope_new()};
	scope_add(fixture->scope, "bin:*", true);
	fixture->symbols = (has_parser ? symbols_start : symbols_new)(TARGET_LINE, fixture->scope);
	if (symbols_add_object(fixture->symbols, first, NULL, false, &object, &fixture->error) ||
	    symbols_add_object(fixture->symbols, second, NULL, true, &fixture->object,
			       &fixture->error))
		abort();
}

TEST("the program's own function comes before a library's, also where all binaries are in scope")
{
	for (int has_parser = 0; has_parser < 2; has_parser++) {
		struct fixture fixture;
		struct symbols_addresses addresses = {0};
		uint32_t location;

		open_after_library(&fixture, has_parser);
		CHECK_EQUAL(find(&fixture, "work", &location), 0);
		CHECK_EQUAL(symbols_location(fixture.symbols, location)->object, fixture.object);
		CHECK_EQUAL(symbols_breakpoints(fixture.symbols, "work", SYMBOLS_NONE, &addresses,
						&fixture.error),
			    0);
		CHECK_EQUAL(addresses.count, 1);
		CHECK_EQUAL(addresses.items[0].object, fixture.object);
		array_free(&addresses);
		fixture_close(&fixture);
	}
}
