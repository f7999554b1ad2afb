/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * damage - torn and altered binaries give an error or less to say, never a crash.
 *
 * Each case runs in a child: what kills it (a signal, a sanitizer, 20 s) is a failed test. The
 * numbers come from a fixed seed, so a failure can be repeated.
 */
#include "symbolize/symbols.h"

#include "fixture.h"

#include "check.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char *original;
static size_t original_size;

static void read_original(void)
{
	fixture_begin();
	if (original)
		return;
	if (!fixture_run("gcc -O2 -g main.c -o whole"))
		abort();
	AUTO(text) char *path = text_format("%s/whole", fixture_directory);
	AUTO(file) FILE *file = fopen(path, "r");
	if (!file || fseek(file, 0, SEEK_END) != 0)
		abort();
	original_size = (size_t)ftell(file);
	original = memory_new(original_size, 1);
	rewind(file);
	if (fread(original, 1, original_size, file) != original_size)
		abort();
}

/* Calls every function on the file. */
static void use(const char *name, enum target_kind kind)
{
	struct fixture fixture;
	struct symbols_addresses addresses = {0};
	const struct range *ranges;
	uint32_t location;
	if (fixture_open(&fixture, name, kind, NULL) == 0) {
		struct symbols *symbols = fixture.symbols;
		for (uint64_t at = 0; at < original_size; at += 7)
			symbols_location_at(symbols, fixture.object, at);
		symbols_scope_ranges(symbols, fixture.object, &ranges);
		symbols_find(symbols, "work", &location, NULL);
		symbols_find(symbols, "main.c:7", &location, NULL);
		symbols_breakpoints(symbols, "helper", SYMBOLS_NONE, &addresses, NULL);
		symbols_breakpoints(symbols, "main.c:12", SYMBOLS_NONE, &addresses, NULL);
		symbols_usdt(symbols, "app", "item", &addresses, NULL);
		array_free(&addresses);
		symbols_references(symbols, fixture.object, "printf");
		symbols_function_at(symbols, fixture.object, 4200);
		for (uint32_t i = 0; i < symbols_location_count(symbols); i++)
			symbols_location_ranges(symbols, i, &ranges);
	} else if (!fixture.error.text[0]) {
		_exit(3); /* a failure without a reason */
	}
	fixture_close(&fixture);
}

static bool survives(const char *content, size_t size, enum target_kind kind)
{
	fixture_write("damaged", content, size);
	pid_t child = fork();
	if (child == 0) {
		alarm(20);
		use("damaged", kind);
		_exit(0);
	}
	int status = 0;
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	printf("# size %zu: status %#x; kept as /tmp/lever-damaged\n", size, (unsigned)status);
	return fixture_run("cp damaged /tmp/lever-damaged") && false;
}

TEST("a binary truncated at any length is survived")
{
	read_original();
	for (size_t size = 0; size < original_size; size += size < 256 ? 16 : original_size / 60)
		CHECK(survives(original, size, TARGET_LINE));
}

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

TEST("a binary with altered bytes is survived")
{
	uint64_t state = 20240601;
	read_original();
	char *copy = memory_new(original_size, 1);
	for (int i = 0; i < 150; i++) {
		memcpy(copy, original, original_size);
		unsigned changes = 1u << (i % 8);
		/* Half of them in the last part: section headers, debug information. */
		for (unsigned j = 0; j < changes; j++) {
			size_t at = random_next(&state) % original_size;
			if (i % 2)
				at = original_size - 1 - at / 4;
			copy[at] ^= (char)(1 << random_next(&state) % 8);
		}
		CHECK(survives(copy, original_size, i % 3 ? TARGET_LINE : TARGET_FUNCTION));
	}
	free(copy);
}

TEST("a binary with an altered header is survived")
{
	uint64_t state = 7;
	read_original();
	char *copy = memory_new(original_size, 1);
	for (int i = 0; i < 100; i++) {
		memcpy(copy, original, original_size);
		for (int j = 0; j < 3; j++)
			copy[16 + random_next(&state) % 800] = (char)random_next(&state);
		CHECK(survives(copy, original_size, TARGET_LINE));
	}
	free(copy);
	free(original);
	original = NULL;
}

/* As root; the binary is another user's, who shortens it between opening and reading. */
static void use_shortened(void)
{
	struct fixture fixture;
	AUTO(text) char *path = text_format("%s/shortened", fixture_directory);

	fixture_write("shortened", original, original_size);
	if (chown(path, 65534, 65534) || fixture_open(&fixture, "shortened", TARGET_LINE, NULL))
		_exit(4);
	if (truncate(path, 0))
		_exit(5);
	uint32_t location;
	_exit(symbols_find(fixture.symbols, "work", &location, NULL) ? 6 : 0);
}

TEST("another user's binary that is shortened while it is read has all its names")
{
	if (geteuid() != 0)
		SKIP("only root can give a file away");
	read_original();
	pid_t child = fork();
	int status;
	if (child == 0)
		use_shortened();
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status));
	CHECK_EQUAL(WEXITSTATUS(status), 0);
}

/* 20,000 functions that all have the same list of 20,000 ranges. */
static const char many_ranges[] =
	".file 1 \"x.c\"\n.text\n.globl main\nmain:\n.loc 1 1\nnop\n.skip 100000, 0x90\nend:\n"
	".section .debug_abbrev,\"\",@progbits\n"
	".byte 1, 0x11, 1, 0x11, 1, 0x12, 1, 0x10, 0x17, 0, 0\n" /* low_pc, high_pc, stmt_list */
	".byte 2, 0x2e, 0, 0x03, 8, 0x55, 0x17, 0, 0, 0\n"       /* name, ranges */
	".section .debug_ranges,\"\",@progbits\n.set i, 0\n"
	".rept 20000\n.quad i, i + 1\n.set i, i + 2\n.endr\n.quad 0, 0\n"
	".section .debug_line,\"\",@progbits\nlines:\n"
	".section .debug_info,\"\",@progbits\n.long after - begin\nbegin:\n.value 4\n"
	".long .debug_abbrev\n.byte 8\n.byte 1\n.quad main, end\n.long lines\n"
	".rept 20000\n.byte 2\n.asciz \"f\"\n.long .debug_ranges\n.endr\n.byte 0\nafter:\n"
	".section .note.GNU-stack,\"\",@progbits\n";

TEST("functions that share one long list of ranges take neither hours nor all memory")
{
	fixture_begin();
	fixture_write("ranges.s", many_ranges, strlen(many_ranges));
	if (!fixture_run("gcc -nostartfiles -no-pie ranges.s -o ranges"))
		return; /* not x86-64 */
	pid_t child = fork();
	if (child == 0) {
		struct rlimit memory = {2ull << 30, 2ull << 30};
		struct fixture fixture;
		if (!getenv("ASAN_OPTIONS"))
			setrlimit(RLIMIT_AS, &memory);
		alarm(60);
		if (fixture_open(&fixture, "ranges", TARGET_FUNCTION, NULL))
			_exit(2);
		for (uint64_t at = 0x1000; at < 0x2000; at += 64)
			symbols_location_at(fixture.symbols, fixture.object, at);
		_exit(symbols_location_count(fixture.symbols) ? 0 : 3);
	}
	int status = 0;
	waitpid(child, &status, 0);
	CHECK_EQUAL(status, 0);
}
