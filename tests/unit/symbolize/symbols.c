/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols - attribution and its inverse on programs of several compilers and DWARF versions,
 * compared with what binutils' addr2line says of the same addresses.
 */
#include "symbolize/symbols.h"

#include "fixture.h"

#include "check.h"

#include <errno.h>
#include <sys/stat.h>

static const char *const builds[][2] = {
	{"gcc-2", "gcc -O2 -gdwarf-2"},
	{"gcc-4", "gcc -O2 -gdwarf-4"},
	{"gcc-5", "gcc -O2 -gdwarf-5"},
	{"gcc-static", "gcc -O2 -g -static"},
	{"gcc-fixed", "gcc -O2 -g -no-pie"},
	{"gcc-lto", "gcc -O2 -g -flto"},
	{"gcc-sections", "gcc -O2 -g -ffunction-sections -Wl,--gc-sections"},
	{"gcc-compressed", "gcc -O2 -g -gz"},
	{"gcc-split-4", "mkdir -p s4 && cd s4 && gcc -O2 -gdwarf-4 -gsplit-dwarf -I.."},
	{"gcc-split-5", "mkdir -p s5 && cd s5 && gcc -O2 -gdwarf-5 -gsplit-dwarf -I.."},
	{"clang-4", "clang -O2 -gdwarf-4"},
	{"clang-5", "clang -O2 -gdwarf-5"},
	{"clang-split-4", "mkdir -p c4 && cd c4 && clang -O2 -gdwarf-4 -gsplit-dwarf -I.."},
	{"clang-split-5", "mkdir -p c5 && cd c5 && clang -O2 -gdwarf-5 -gsplit-dwarf -I.."},
};
#define BUILDS (sizeof(builds) / sizeof(*builds))

TEST("the descriptor of an object stays that of the file that was read")
{
	struct fixture fixture;
	struct stat read_file, now;

	fixture_begin();
	CHECK(fixture_run("gcc -g main.c -o named && gcc -g main.c -o other"));
	AUTO(text) char *path = text_format("%s/named", fixture_directory);
	CHECK(stat(path, &read_file) == 0);
	CHECK(fixture_open(&fixture, "named", TARGET_LINE, NULL) == 0);
	CHECK(fixture_run("mv other named"));
	CHECK(fstat(symbols_object(fixture.symbols, fixture.object)->fd, &now) == 0);
	CHECK(now.st_ino == read_file.st_ino && now.st_dev == read_file.st_dev);
	fixture_close(&fixture);
}

/* Builds one; false if this machine lacks its compiler. */
static bool build(size_t i)
{
	const char *compiler = strncmp(builds[i][0], "clang", 5) == 0 ? "clang" : "gcc";
	fixture_begin();
	bool is_clang = strcmp(compiler, "clang") == 0;
	if (!fixture_run("command -v %s && %s", compiler,
			 is_clang ? "command -v llvm-addr2line" : ":"))
		return false;
	if (fixture_run("test -e %s", builds[i][0]))
		return true;
	if (fixture_run("%s %s/main.c -o %s/%s", builds[i][1], fixture_directory, fixture_directory,
			builds[i][0]))
		return true;
	printf("# cannot build %s\n", builds[i][0]);
	exit(1);
}

/* Address minus offset of the code: what the program headers say, asked of readelf. */
static uint64_t code_bias(const char *name)
{
	AUTO(text)
	char *command =
		text_format("readelf -lW %s/%s | awk '$1==\"LOAD\" && / R E /{print $2, $3}'",
			    fixture_directory, name);
	FILE *lines = popen(command, "r");
	unsigned long long offset = 0, address = 0;
	if (!lines || fscanf(lines, "%llx %llx", &offset, &address) != 2)
		address = offset = 0;
	if (lines)
		pclose(lines);
	return address - offset;
}

/*
 * addr2line's answer for an address: the innermost line not in `excluded`, as "main.c:12". Empty if
 * it has none, "?" if it does not know a line.
 */
static void oracle(FILE *lines, const char *excluded, char *answer, size_t size)
{
	char line[1024];
	bool is_function = true;
	*answer = '\0';
	while (fgets(line, sizeof(line), lines) && strncmp(line, "0x", 2) != 0) {
		is_function = !is_function;
		if (!is_function || *answer)
			continue;
		char *base = strrchr(line, '/');
		base = base ? base + 1 : line;
		base[strcspn(base, " \n")] = '\0';
		const char *number = strrchr(base, ':');
		if (strpbrk(base, "?<") || (number && strcmp(number, ":0") == 0))
			snprintf(answer, size, "?");
		else if (!excluded || strncmp(base, excluded, strlen(excluded)) != 0)
			snprintf(answer, size, "%.200s", base);
	}
}

/*
 * Which bytes begin an instruction, by objdump: a sample there may be of the one before
 * (skid.h).
 */
static void find_instructions(const char *name, uint64_t start, uint64_t size, bool *begins)
{
	AUTO(text)
	char *command =
		text_format("objdump -d --no-show-raw-insn --start-address=%llu "
			    "--stop-address=%llu %s/%s | awk -F: '/^ *[0-9a-f]+:/{print $1}'",
			    (unsigned long long)start, (unsigned long long)(start + size),
			    fixture_directory, name);
	FILE *lines = popen(command, "r");
	unsigned long long address;

	while (lines && fscanf(lines, "%llx", &address) == 1)
		if (address >= start && address < start + size)
			begins[address - start] = true;
	if (lines)
		pclose(lines);
}

/*
 * Compares each address of `work` with what addr2line says of the same code in `reference`; returns
 * the number compared, negative if one differs.
 */
static int compare(struct fixture *fixture, const char *name, const char *reference,
		   const char *excluded)
{
	uint64_t start = 0, size = 0, start_there = 0, size_there = 0;
	char answer[256], before[256] = "";
	int compared = 0;
	if (!fixture_symbol(name, "work", &start, &size) ||
	    !fixture_symbol(reference, "work", &start_there, &size_there) || size != size_there)
		return -1;
	AUTO(text)
	char *command =
		text_format("for i in $(seq 0 %llu); do printf '0x%%x\\n' $((%llu + i)); done | "
			    "%s -a -i -f -e %s/%s",
			    (unsigned long long)size - 1, (unsigned long long)start_there,
			    strncmp(name, "clang", 5) == 0 ? "llvm-addr2line" : "addr2line",
			    fixture_directory, reference);
	FILE *lines = popen(command, "r");
	if (!lines || !fgets(answer, sizeof(answer), lines))
		return -1;
	uint64_t offset = start - code_bias(name);
	bool *begins = memory_new(size, sizeof(*begins));
	find_instructions(name, start, size, begins);
	for (uint64_t i = 0; i < size && compared >= 0; i++) {
		memcpy(before, answer, sizeof(before));
		oracle(lines, excluded, answer, sizeof(answer));
		uint32_t location =
			symbols_location_at(fixture->symbols, fixture->object, offset + i);
		const char *said = location == SYMBOLS_NONE ?
					   "" :
					   symbols_location(fixture->symbols, location)->name;
		if (strcmp(answer, "?") == 0)
			continue;
		bool is_of_before =
			i && begins[i] && (!strcmp(before, said) || !strcmp(before, "?"));
		if (strcmp(answer, said) != 0 && !is_of_before) {
			printf("# %s, work+%llu: \"%s\", addr2line says \"%s\"\n", name,
			       (unsigned long long)i, said, answer);
			compared = -2;
		}
		compared++;
	}
	pclose(lines);
	free(begins);
	return compared;
}

/*
 * addr2line does not read .dwo files of DWARF 4, so of split builds it is asked about the same code
 * built whole; of link-time optimized code it knows no files; of clang's DWARF 5 it loses inlined
 * calls, so LLVM's own is asked there.
 */
static bool compare_build(size_t i, const char *excluded)
{
	struct fixture fixture;
	const char *name = builds[i][0];
	AUTO(text) char *reference = text_copy(name);
	char *split = strstr(reference, "split-");
	if (strcmp(name, "gcc-lto") == 0)
		return true;
	if (split)
		memmove(split, split + 6, strlen(split + 6) + 1);
	bool same = fixture_open(&fixture, name, TARGET_LINE, excluded) == 0 &&
		    symbols_object(fixture.symbols, fixture.object)->has_lines;
	int compared = same ? compare(&fixture, name, reference, excluded) : 0;
	if (compared < 40)
		printf("# %s: %d addresses compared; %s\n", name, compared, fixture.error.text);
	fixture_close(&fixture);
	return compared >= 40;
}

TEST("each address is attributed to the line that addr2line names, in every format")
{
	int done = 0;
	for (size_t i = 0; i < BUILDS; i++) {
		if (!build(i))
			continue;
		CHECK(compare_build(i, NULL));
		done++;
	}
	CHECK(done >= 10);
}

TEST("code inlined from a file out of scope is attributed to the line of its call")
{
	for (size_t i = 0; i < BUILDS; i++)
		CHECK(!build(i) || compare_build(i, "helper.h"));
}

/* Looks at each address in scope; the number of those in no location is kept in `holes`. */
static void look_at_all(struct fixture *fixture, uint64_t *holes)
{
	const struct range *ranges;
	size_t count = symbols_scope_ranges(fixture->symbols, fixture->object, &ranges);
	struct range *copy = memory_new(count, sizeof(*copy));
	for (size_t i = 0; i < count; i++)
		copy[i] = ranges[i];
	*holes = 0;
	for (size_t i = 0; i < count; i++) {
		for (uint64_t at = copy[i].start; at < copy[i].end; at++)
			*holes += symbols_location_at(fixture->symbols, fixture->object, at) ==
				  SYMBOLS_NONE;
	}
	free(copy);
}

/* Are the ranges sorted, not empty, and all attributed to the location? Their bytes, or 0. */
static uint64_t inverse_bytes(struct fixture *fixture, uint32_t location)
{
	const struct range *ranges;
	size_t count = symbols_location_ranges(fixture->symbols, location, &ranges);
	uint64_t bytes = 0;
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].start >= ranges[i].end || (i && ranges[i].start <= ranges[i - 1].end))
			return 0;
		for (uint64_t at = ranges[i].start; at < ranges[i].end; at++, bytes++) {
			if (symbols_location_at(fixture->symbols, fixture->object, at) != location)
				return 0;
		}
	}
	return bytes;
}

/*
 * Of all addresses: are locations and ranges each other's inverse, and do they make up the scope?
 */
static bool is_inverse(struct fixture *fixture)
{
	const struct range *ranges;
	uint64_t holes, bytes = 0, scope_bytes = 0;
	look_at_all(fixture, &holes);
	for (uint32_t i = 0; i < symbols_location_count(fixture->symbols); i++) {
		uint64_t found = inverse_bytes(fixture, i);
		if (!found)
			return false;
		bytes += found;
	}
	size_t count = symbols_scope_ranges(fixture->symbols, fixture->object, &ranges);
	for (size_t i = 0; i < count; i++)
		scope_bytes += ranges[i].end - ranges[i].start;
	return bytes > 0 && bytes == scope_bytes;
}

TEST("the ranges of locations are exactly the addresses attributed to them")
{
	for (size_t i = 0; i < BUILDS; i++) {
		for (int j = 0; j < 4; j++) {
			struct fixture fixture;
			if (!build(i))
				continue;
			CHECK_EQUAL(fixture_open(&fixture, builds[i][0],
						 j & 1 ? TARGET_FUNCTION : TARGET_LINE,
						 j & 2 ? "helper.h" : NULL),
				    0);
			CHECK(is_inverse(&fixture));
			fixture_close(&fixture);
		}
	}
}

TEST("a function that is only inlined is found in every format")
{
	for (size_t i = 0; i < BUILDS; i++) {
		struct fixture fixture;
		uint32_t location;
		size_t count;
		uint64_t start = 0, size = 0;
		const struct range *ranges;
		if (!build(i))
			continue;
		CHECK(fixture_symbol(builds[i][0], "work", &start, &size));
		uint64_t offset = start - code_bias(builds[i][0]);
		CHECK_EQUAL(fixture_open(&fixture, builds[i][0], TARGET_LINE, NULL), 0);
		CHECK_EQUAL(symbols_find(fixture.symbols, "twice", &location, &fixture.error), 0);
		CHECK_TEXT(symbols_location(fixture.symbols, location)->name, "twice");
		CHECK_EQUAL(symbols_location(fixture.symbols, location)->line, 3);
		count = symbols_location_ranges(fixture.symbols, location, &ranges);
		CHECK(count > 0 && ranges[0].start >= offset &&
		      ranges[count - 1].end <= offset + size);
		struct symbols_addresses addresses = {0};
		CHECK_EQUAL(symbols_breakpoints(fixture.symbols, "helper", SYMBOLS_NONE, &addresses,
						&fixture.error),
			    0);
		CHECK(addresses.count >= 2 && addresses.items[0].offset >= offset &&
		      addresses.items[0].offset < offset + size);
		array_free(&addresses);
		fixture_close(&fixture);
	}
}

TEST("a file out of scope is cut out of the scope once it is decoded")
{
	struct fixture fixture;
	uint64_t holes;
	const struct range *ranges;
	CHECK(build(2));
	CHECK_EQUAL(fixture_open(&fixture, "gcc-5", TARGET_LINE, "main.c"), 0);
	uint64_t generation = symbols_generation(fixture.symbols);
	CHECK(symbols_scope_ranges(fixture.symbols, fixture.object, &ranges) > 0);
	look_at_all(&fixture, &holes);
	CHECK(holes > 0);
	CHECK(symbols_generation(fixture.symbols) != generation);
	for (uint32_t i = 0; i < symbols_location_count(fixture.symbols); i++)
		CHECK(strncmp(symbols_location(fixture.symbols, i)->name, "helper.h:", 9) == 0);
	fixture_close(&fixture);
}

TEST("a separate debug file is found by its link and gives the same lines")
{
	struct fixture fixture;
	CHECK(build(2));
	CHECK(fixture_run("objcopy --only-keep-debug gcc-5 linked.debug && "
			  "objcopy --strip-all --add-gnu-debuglink=linked.debug gcc-5 linked"));
	CHECK_EQUAL(fixture_open(&fixture, "linked", TARGET_LINE, "helper.h"), 0);
	CHECK(symbols_object(fixture.symbols, fixture.object)->has_lines);
	uint32_t location;
	CHECK_EQUAL(symbols_find(fixture.symbols, "main.c:12", &location, &fixture.error), 0);
	CHECK(is_inverse(&fixture));
	fixture_close(&fixture);
}

TEST("a debug file shortened by dwz gives the same lines")
{
	struct fixture fixture;
	CHECK(build(2));
	if (!fixture_run("command -v dwz"))
		SKIP("dwz is not installed");
	CHECK(fixture_run("gcc -O2 -g -DOTHER main.c -o other && cp gcc-5 short && "
			  "dwz -m common.dwz short other"));
	CHECK_EQUAL(fixture_open(&fixture, "short", TARGET_LINE, "helper.h"), 0);
	CHECK(compare(&fixture, "short", "gcc-5", "helper.h") > 40);
	CHECK(is_inverse(&fixture));
	uint32_t location;
	CHECK_EQUAL(symbols_find(fixture.symbols, "twice", &location, &fixture.error), 0);
	CHECK_EQUAL(symbols_find(fixture.symbols, "helper", &location, &fixture.error), 0);
	fixture_close(&fixture);
}

static bool has_location(const struct symbols *symbols, const uint32_t *locations, size_t count,
			 const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(symbols_location(symbols, locations[i])->name, name))
			return true;
	return false;
}

static bool location_has(struct symbols *symbols, uint32_t location, uint64_t offset)
{
	const struct range *ranges;
	size_t count = symbols_location_ranges(symbols, location, &ranges);

	for (size_t i = 0; i < count; i++)
		if (ranges[i].start <= offset && offset < ranges[i].end)
			return true;
	return false;
}

TEST("the functions at an address are those inlined there and the one around them, inclusive")
{
	struct fixture fixture;
	uint64_t start = 0, size = 0;
	uint32_t found[8], named;
	bool has_inlined = false;

	fixture_begin();
	CHECK(fixture_run("gcc -O2 -g main.c -o inclusive"));
	CHECK_EQUAL(fixture_open(&fixture, "inclusive", TARGET_INCLUSIVE, NULL), 0);
	CHECK(fixture_symbol("inclusive", "work", &start, &size));
	for (uint64_t at = start; at < start + size; at++) {
		size_t count = symbols_functions_at(fixture.symbols, fixture.object, at, found, 8);
		CHECK(has_location(fixture.symbols, found, count, "inclusive:work"));
		has_inlined |= count == 3 &&
			       has_location(fixture.symbols, found, count, "inclusive:helper") &&
			       has_location(fixture.symbols, found, count, "inclusive:twice");
		for (size_t i = 0; i < count; i++)
			CHECK(location_has(fixture.symbols, found[i], at));
	}
	CHECK(has_inlined);
	CHECK_EQUAL(symbols_find_inclusive(fixture.symbols, "work", &named, &fixture.error), 0);
	CHECK(location_has(fixture.symbols, named, start));
	CHECK(location_has(fixture.symbols, named, start + size - 1));
	CHECK(symbols_find_inclusive(fixture.symbols, "main.c:5", &named, &fixture.error) < 0);
	fixture_close(&fixture);
}

TEST("a function with its callees is one target by name and by samples, also by an alias")
{
	static const char source[] =
		"__attribute__((noinline)) int __work(int x) { return x * 3; }\n"
		"int work(int x) __attribute__((weak, alias(\"__work\")));\n"
		"int main(int argc, char **argv) { return work(argc) + !argv; }\n";
	struct fixture fixture;
	uint64_t start = 0, size = 0;
	uint32_t found = SYMBOLS_NONE, named = SYMBOLS_NONE;

	fixture_begin();
	fixture_write("alias.c", source, strlen(source));
	CHECK(fixture_run("gcc -O2 -g alias.c -o alias"));
	CHECK_EQUAL(fixture_open(&fixture, "alias", TARGET_INCLUSIVE, NULL), 0);
	CHECK(fixture_symbol("alias", "__work", &start, &size));
	CHECK_EQUAL(symbols_find_inclusive(fixture.symbols, "work", &named, &fixture.error), 0);
	CHECK_EQUAL(symbols_functions_at(fixture.symbols, fixture.object, start + 1, &found, 1), 1);
	CHECK_TEXT(symbols_location(fixture.symbols, found)->name, "inclusive:work");
	CHECK_EQUAL(named, found);
	fixture_close(&fixture);
}

TEST("malloc, free and their like of a file are one function, too")
{
	static const char *const names[] = {"malloc", "free", "calloc"};
	struct fixture fixture;
	uint64_t start = 0, size = 0;
	uint32_t found[8], one;

	fixture_begin();
	CHECK(fixture_run(
		"printf 'void *malloc(unsigned long n) { return n ? (char *)8 + n : 0; }\\n"
		"void *calloc(unsigned long a, unsigned long b) { return (char *)a + b; }\\n"
		"void free(void *p) { *(volatile char *)p = 0; }\\n"
		"int other(int x) { return x * 3; }\\n"
		"int main(int n, char **a) { (void)a; return other(n); }\\n' > own.c && "
		"gcc -O1 -fno-builtin -g own.c -o own"));
	CHECK_EQUAL(fixture_open(&fixture, "own", TARGET_INCLUSIVE, NULL), 0);
	CHECK_EQUAL(symbols_find_inclusive(fixture.symbols, SYMBOLS_ALLOCATION, &one,
					   &fixture.error),
		    0);
	for (size_t i = 0; i < 3; i++) {
		CHECK(fixture_symbol("own", names[i], &start, &size));
		size_t count =
			symbols_functions_at(fixture.symbols, fixture.object, start, found, 8);
		CHECK_EQUAL(count, 2);
		CHECK_EQUAL(found[1], one);
		CHECK(location_has(fixture.symbols, one, start));
		CHECK(location_has(fixture.symbols, one, start + size - 1));
	}
	CHECK(fixture_symbol("own", "other", &start, &size));
	CHECK_EQUAL(symbols_functions_at(fixture.symbols, fixture.object, start, found, 8), 1);
	CHECK(!location_has(fixture.symbols, one, start));
	fixture_close(&fixture);
}

TEST("without lines locations are functions, without symbols those of the unwind information")
{
	struct fixture fixture;
	uint64_t start = 0, size = 0;
	fixture_begin();
	CHECK(fixture_run("gcc -O2 main.c -o plain && strip -o stripped plain"));
	CHECK(fixture_symbol("plain", "work", &start, &size));
	CHECK_EQUAL(fixture_open(&fixture, "plain", TARGET_LINE, NULL), 0);
	CHECK(!symbols_object(fixture.symbols, fixture.object)->has_lines);
	CHECK(symbols_object(fixture.symbols, fixture.object)->has_symbols);
	uint32_t location = symbols_location_at(fixture.symbols, fixture.object, start);
	CHECK(location != SYMBOLS_NONE);
	CHECK_TEXT(symbols_location(fixture.symbols, location)->name, "work");
	CHECK_EQUAL(symbols_location(fixture.symbols, location)->kind, TARGET_FUNCTION);
	CHECK_EQUAL(inverse_bytes(&fixture, location), size);
	CHECK(is_inverse(&fixture));
	fixture_close(&fixture);

	CHECK_EQUAL(fixture_open(&fixture, "stripped", TARGET_LINE, NULL), 0);
	CHECK(!symbols_object(fixture.symbols, fixture.object)->has_symbols);
	location = symbols_location_at(fixture.symbols, fixture.object, start);
	CHECK(location != SYMBOLS_NONE);
	AUTO(text)
	char *name = text_format("stripped+0x%llx", (unsigned long long)start);
	CHECK_TEXT(symbols_location(fixture.symbols, location)->name, name);
	/* With the bytes up to the next function. */
	CHECK(inverse_bytes(&fixture, location) >= size);
	CHECK(is_inverse(&fixture));
	uint32_t inclusive = SYMBOLS_NONE, again = SYMBOLS_NONE;
	AUTO(text) char *inclusive_name = text_format("inclusive:%s", name);
	CHECK_EQUAL(symbols_functions_at(fixture.symbols, fixture.object, start, &inclusive, 1), 1);
	CHECK_TEXT(symbols_location(fixture.symbols, inclusive)->name, inclusive_name);
	CHECK_EQUAL(symbols_functions_at(fixture.symbols, fixture.object, start + size - 1, &again,
					 1),
		    1);
	CHECK_EQUAL(again, inclusive);
	fixture_close(&fixture);
}

TEST("a 32-bit program can be read and is marked as one")
{
	struct fixture fixture;
	static const char code[] =
		"int work(int n)\n{\n\tint s = 0;\n\twhile (n--)\n\t\ts ^= n * s;\n"
		"\treturn s;\n}\nvoid _start(void)\n{\n\twork(3);\n}\n";
	fixture_begin();
	fixture_write("small.c", code, strlen(code));
	if (!fixture_run("gcc -m32 -O1 -g -ffreestanding -nostdlib -static small.c -o small"))
		SKIP("gcc -m32 does not work here");
	CHECK_EQUAL(fixture_open(&fixture, "small", TARGET_LINE, NULL), 0);
	CHECK(symbols_object(fixture.symbols, fixture.object)->is_32_bit);
	CHECK(compare(&fixture, "small", "small", NULL) > 10);
	CHECK(is_inverse(&fixture));
	fixture_close(&fixture);
}

TEST("files that are not programs are refused with a reason")
{
	struct fixture fixture;
	fixture_begin();
	fixture_write("script", "#!/bin/sh\n", 10);
	CHECK(fixture_run("gcc -c main.c -o object.o"));
	static const char *const wrong[][2] = {
		{"missing", "cannot open"},
		{"script", "interpreter"},
		{"object.o", "neither a program nor a library"},
		{".", "is not a file"},
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK(fixture_open(&fixture, wrong[i][0], TARGET_LINE, NULL) < 0);
		CHECK(strstr(fixture.error.text, wrong[i][1]));
		fixture_close(&fixture);
	}
}

TEST("an object out of scope has no locations, but its functions have names")
{
	struct fixture fixture;
	uint64_t start = 0, size = 0;
	const struct range *ranges;
	CHECK(build(2));
	CHECK(fixture_symbol("gcc-5", "work", &start, &size));
	CHECK_EQUAL(fixture_open(&fixture, "gcc-5", TARGET_LINE, "bin:gcc-5"), 0);
	CHECK(!symbols_object(fixture.symbols, fixture.object)->in_scope);
	CHECK_EQUAL(symbols_location_at(fixture.symbols, fixture.object, start), SYMBOLS_NONE);
	CHECK_EQUAL(symbols_scope_ranges(fixture.symbols, fixture.object, &ranges), 0);
	CHECK_TEXT(symbols_function_at(fixture.symbols, fixture.object, start + 1), "work");
	CHECK_TEXT(symbols_function_at(fixture.symbols, fixture.object, 1), "gcc-5+0x1");
	CHECK(symbols_references(fixture.symbols, fixture.object, "printf"));
	CHECK(!symbols_references(fixture.symbols, fixture.object, "print"));
	fixture_close(&fixture);
}

TEST("the same path twice is the same object")
{
	struct fixture fixture;
	uint32_t again = 7;
	CHECK(build(2));
	CHECK_EQUAL(fixture_open(&fixture, "gcc-5", TARGET_LINE, NULL), 0);
	const char *path = symbols_object(fixture.symbols, fixture.object)->path;
	CHECK_EQUAL(symbols_add_object(fixture.symbols, path, NULL, true, &again, NULL), 0);
	CHECK_EQUAL(again, fixture.object);
	CHECK_EQUAL(symbols_object_count(fixture.symbols), 1);
	fixture_close(&fixture);
}

TEST("a function with an internal and a public name has the public one")
{
	static const char source[] = "__attribute__((noinline, used)) int __inner_work(int n)\n"
				     "{\n"
				     "	return n * 3;\n"
				     "}\n"
				     "int work(int n) __attribute__((alias(\"__inner_work\")));\n"
				     "__attribute__((noinline)) int _alone(int n)\n"
				     "{\n"
				     "	return n * 5;\n"
				     "}\n"
				     "int main(int argc, char **argv)\n"
				     "{\n"
				     "	(void)argv;\n"
				     "	return work(argc) + _alone(argc);\n"
				     "}\n";
	static const struct {
		const char *symbol, *shown;
	} names[] = {{"__inner_work", "work"}, {"_alone", "_alone"}};
	struct fixture fixture;
	uint64_t start = 0, size = 0;

	fixture_begin();
	fixture_write("alias.c", source, strlen(source));
	CHECK(fixture_run("gcc -O1 -g %s/alias.c -o %s/alias", fixture_directory,
			  fixture_directory));
	for (size_t i = 0; i < 4; i++) {
		CHECK_EQUAL(fixture_open(&fixture, "alias", i & 1 ? TARGET_LINE : TARGET_FUNCTION,
					 NULL),
			    0);
		CHECK(fixture_symbol("alias", names[i / 2].symbol, &start, &size));
		uint32_t location = symbols_location_at(fixture.symbols, fixture.object,
							start - code_bias("alias"));
		CHECK_TEXT(symbols_location(fixture.symbols, location)->function,
			   names[i / 2].shown);
		fixture_close(&fixture);
	}
}

TEST("a label without size ends where a function without a name begins")
{
	static const char source[] = "asm(\".text\\n.globl label\\n.p2align 4\\n\"\n"
				     "    \"label:\\n.skip 40, 0x90\\nret\\n\");\n"
				     "static __attribute__((noinline)) int behind(int n)\n"
				     "{\n"
				     "	volatile int s = 0;\n"
				     "	for (int i = 0; i < n; i++)\n"
				     "		s += i;\n"
				     "	return s;\n"
				     "}\n"
				     "int last(int n)\n"
				     "{\n"
				     "	return behind(n) + 1;\n"
				     "}\n";
	struct fixture fixture;
	uint64_t behind = 0, size = 0;

	fixture_begin();
	fixture_write("label.c", source, strlen(source));
	CHECK(fixture_run("gcc -O1 -fno-toplevel-reorder -shared -fPIC label.c -o label && "
			  "strip -o nameless label"));
	CHECK(fixture_symbol("label", "behind", &behind, &size));
	CHECK_EQUAL(fixture_open(&fixture, "nameless", TARGET_FUNCTION, NULL), 0);
	uint64_t bias = code_bias("nameless");
	AUTO(text) char *name = text_format("nameless+0x%llx", (unsigned long long)(behind - bias));
	CHECK_TEXT(symbols_function_at(fixture.symbols, fixture.object, behind - bias - 1),
		   "label");
	CHECK_TEXT(symbols_function_at(fixture.symbols, fixture.object, behind - bias), name);
	fixture_close(&fixture);
}
