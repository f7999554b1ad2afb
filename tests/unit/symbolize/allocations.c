/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocations - readers of foreign files without memory: each allocation fails once, also those of
 * libelf, libdw and the demangler.
 *
 * Lever's own end the process with a sentence (base/memory.h); those of libraries give less to say.
 * Never a crash.
 */
#include "symbolize/symbols.h"

#include "symbolize/object/unwind.h"

#include "fixture.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)

TEST("each allocation of the readers may fail")
{
	SKIP("the allocator is another one");
}

#else

void *__libc_malloc(size_t size);               /* NOLINT(bugprone-reserved-identifier) */
void *__libc_calloc(size_t count, size_t size); /* NOLINT(bugprone-reserved-identifier) */
void *__libc_realloc(void *old, size_t size);   /* NOLINT(bugprone-reserved-identifier) */

static long allocations; /* until now */
static long failing;     /* this one fails; 0: none */

static bool fails(void)
{
	if (++allocations != failing)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

static void read_binary(void)
{
	struct fixture fixture;
	struct symbols_addresses addresses = {0};
	const struct range *ranges;
	struct unwind_row *rows;
	uint32_t location;

	if (!fixture_open(&fixture, "reads", TARGET_LINE, NULL)) {
		struct symbols *symbols = fixture.symbols;
		symbols_unwind_rows(symbols, fixture.object, &rows);
		free(rows);
		for (uint64_t at = 0x1000; at < 0x1400; at += 3)
			symbols_location_at(symbols, fixture.object, at);
		symbols_function_at(symbols, fixture.object, 0x1150);
		symbols_find(symbols, "work", &location, NULL);
		symbols_find(symbols, "wirk", &location, NULL);
		symbols_breakpoints(symbols, "main.c:12", SYMBOLS_NONE, &addresses, NULL);
		symbols_usdt(symbols, "app", "item", &addresses, NULL);
		array_free(&addresses);
		symbols_scope_ranges(symbols, fixture.object, &ranges);
		symbols_references(symbols, fixture.object, "none");
	}
	fixture_close(&fixture);
}

static void read_maps(void)
{
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(TARGET_FUNCTION, scope);
	AUTO(text) char *map = text_format("%s/perf-1.map", fixture_directory);
	AUTO(text) char *names = text_format("%s/kallsyms", fixture_directory);
	uint32_t object;

	if (!symbols_add_jit(symbols, map, &object, NULL))
		symbols_location_at(symbols, object, 0x1008);
	symbols_add_kernel(symbols, names, NULL, true, NULL);
	symbols_free(symbols);
	scope_free(scope);
}

static void read_all(void)
{
	read_binary();
	read_maps();
}

/* How many allocations a child made; -1: it crashed. */
static long try_failing(long number)
{
	int status, ends[2];
	long made = 0;

	if (pipe(ends))
		return -1;
	pid_t pid = fork();
	if (!pid) {
		int nothing = open("/dev/null", O_WRONLY);
		dup2(nothing, STDERR_FILENO);
		alarm(20);
		allocations = 0;
		failing = number;
		read_all();
		_exit(write(ends[1], &allocations, sizeof(allocations)) < 0);
	}
	close(ends[1]);
	if (read(ends[0], &made, sizeof(made)) != sizeof(made))
		made = 0; /* ended with a sentence */
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) <= 1 ? made : -1;
}

TEST("each allocation of the readers may fail: the process ends in order, or tells less")
{
	static const char map[] = "1000 10 first\n2000 10 void second<int>()\n";
	static const char names[] = "ffffffff81000000 T _stext\nffffffff81000100 T one\n"
				    "ffffffffc0000000 t two\t[module]\n";

	fixture_begin();
	CHECK(fixture_run("gcc -O1 -g main.c -o reads"));
	fixture_write("perf-1.map", map, strlen(map));
	fixture_write("kallsyms", names, strlen(names));
	long all = try_failing(0), crashes = 0;
	CHECK(all > 200);
	for (long number = 1; number <= all; number++) {
		if (try_failing(number) >= 0)
			continue;
		crashes++;
		printf("# a crash when allocation %ld of %ld failed\n", number, all);
	}
	CHECK_EQUAL(crashes, 0);
}

#endif
