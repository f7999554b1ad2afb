/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fixture - little programs compiled by the test itself, in a directory of its own.
 */
#pragma once

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <ftw.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>

static char fixture_directory[] = "/tmp/lever-symbolize-XXXXXX";

/* An inlined helper from another file, called on two lines; `quiet` is never inlined. */
static const char fixture_header[] = "static inline int helper(int x)\n"
				     "{\n"
				     "	int r = 0;\n"
				     "	for (int i = 0; i < x; i++)\n"
				     "		r += i * x ^ (r >> 3);\n"
				     "	return r;\n"
				     "}\n";
static const char fixture_source[] = "#include <stdio.h>\n"
				     "#include \"helper.h\"\n"
				     "static int twice(int x)\n"
				     "{\n"
				     "	return helper(x) +\n"
				     "	       helper(x + 1);\n"
				     "}\n"
				     "__attribute__((noinline)) int work(int n)\n"
				     "{\n"
				     "	int s = 0;\n"
				     "	for (int i = 0; i < n; i++)\n"
				     "		s ^= twice(i);\n"
				     "	return s;\n"
				     "}\n"
				     "int main(int argc, char **argv)\n"
				     "{\n"
				     "	(void)argv;\n"
				     "	printf(\"%d\\n\", work(argc * 1000));\n"
				     "	return 0;\n"
				     "}\n";

static int fixture_remove(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void fixture_clean(void)
{
	nftw(fixture_directory, fixture_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void fixture_write(const char *name, const void *content, size_t size)
{
	AUTO(text) char *path = text_format("%s/%s", fixture_directory, name);
	AUTO(file) FILE *file = fopen(path, "w");
	if (!file || fwrite(content, 1, size, file) != size)
		abort();
}

/* Makes the directory with main.c and helper.h in it, once. */
static inline void fixture_begin(void)
{
	static bool begun;
	if (begun)
		return;
	begun = true;
	if (!mkdtemp(fixture_directory) || atexit(fixture_clean) != 0)
		abort();
	fixture_write("helper.h", fixture_header, strlen(fixture_header));
	fixture_write("main.c", fixture_source, strlen(fixture_source));
}

/* Runs a shell command in the directory; true if it succeeds. Its output goes to "log". */
static inline bool fixture_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline bool fixture_run(const char *format, ...)
{
	AUTO(text) char *command = NULL;
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(&command, format, arguments) < 0)
		abort();
	va_end(arguments);
	AUTO(text)
	char *line =
		text_format("cd %s && { %s; } >log 2>&1 </dev/null", fixture_directory, command);
	int status = system(line);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Symbols with one object, `name` of the directory, as the main executable. */
struct fixture {
	struct scope *scope;
	struct symbols *symbols;
	uint32_t object;
	struct error error;
};

static inline int fixture_open(struct fixture *fixture, const char *name, enum target_kind kind,
			       const char *exclude)
{
	AUTO(text) char *path = text_format("%s/%s", fixture_directory, name);
	*fixture = (struct fixture){.scope = scope_new()};
	if (exclude)
		scope_add(fixture->scope, exclude, false);
	fixture->symbols = symbols_new(kind, fixture->scope);
	return symbols_add_object(fixture->symbols, path, NULL, true, &fixture->object,
				  &fixture->error);
}

static inline void fixture_close(struct fixture *fixture)
{
	symbols_free(fixture->symbols);
	scope_free(fixture->scope);
}

/* The first of the file's lines of `nm -S --defined-only` with this name. */
static inline bool fixture_symbol(const char *file, const char *name, uint64_t *start,
				  uint64_t *size)
{
	AUTO(text)
	char *command = text_format("nm -S --defined-only %s/%s", fixture_directory, file);
	FILE *lines = popen(command, "r");
	char line[512], found[256];
	bool has = false;
	while (lines && fgets(line, sizeof(line), lines)) {
		unsigned long long at, length;
		if (sscanf(line, "%llx %llx %*c %255s", &at, &length, found) == 3 &&
		    strcmp(found, name) == 0 && !has) {
			*start = at;
			*size = length;
			has = true;
		}
	}
	if (lines)
		pclose(lines);
	return has;
}
