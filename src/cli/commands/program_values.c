/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program_values - asks the parser, which has no rights, and looks through the program's sources.
 *
 * A binary does not tell the names of its points of lever.h before it runs; its sources do.
 */
#include "cli/commands/program_values.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "symbolize/listing.h"
#include "symbolize/parser/start.h"
#include "symbolize/scope.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCES_MOST 1000
#define SOURCE_MOST_BYTES (4 << 20)

CLEANUP_DEFINE(scope, struct scope *, scope_free, NULL)
CLEANUP_DEFINE(symbols, struct symbols *, symbols_free, NULL)

/* As a shell finds it; NULL: it does not. */
static char *find_program(const char *name)
{
	AUTO(text) char *folders = text_copy(getenv("PATH"));
	char *rest = folders;

	if (strchr(name, '/'))
		return realpath(name, NULL);
	for (char *folder; (folder = strsep(&rest, ":"));) {
		AUTO(text) char *path = text_format("%s/%s", *folder ? folder : ".", name);
		if (!access(path, X_OK))
			return realpath(path, NULL);
	}
	return NULL;
}

/* A regular file that is not too large; NULL: it is none. */
static char *read_source(const char *path)
{
	struct stat status;
	AUTO(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) ||
	    status.st_size > SOURCE_MOST_BYTES)
		return NULL;
	char *text = memory_new((size_t)status.st_size + 1, 1);
	ssize_t got = read(fd, text, (size_t)status.st_size);
	text[got < 0 ? 0 : got] = 0;
	return text;
}

/* Behind the name of a macro: ("NAME" with blanks anywhere. */
static void print_argument(FILE *out, const char *at)
{
	at += strspn(at, " \t\n");
	if (*at++ != '(')
		return;
	at += strspn(at, " \t\n");
	size_t length = *at == '"' ? strcspn(at + 1, "\"\\\n") : 0;
	if (length && at[1 + length] == '"')
		fprintf(out, "%.*s\n", (int)length, at + 1);
}

static void print_macros(FILE *out, const char *text)
{
	static const char *const macros[] = {"LEVER_PROGRESS_NAMED", "COZ_PROGRESS_NAMED"};

	for (size_t i = 0; i < sizeof(macros) / sizeof(*macros); i++) {
		const char *at = text;
		while ((at = strstr(at, macros[i]))) {
			bool is_whole = at == text || (!isalnum(at[-1]) && at[-1] != '_');
			at += strlen(macros[i]);
			if (is_whole)
				print_argument(out, at);
		}
	}
}

static void print_points_of_sources(FILE *out, struct symbols *symbols)
{
	AUTO(text) char *sources = listing_of(symbols, LISTING_SOURCES);
	char *rest = sources;
	unsigned left = SOURCES_MOST;

	for (char *path; left && (path = strsep(&rest, "\n")); left--) {
		AUTO(text) char *content = read_source(path);
		if (content)
			print_macros(out, content);
	}
}

static void print_probes(FILE *out, struct symbols *symbols)
{
	AUTO(text) char *probes = listing_of(symbols, LISTING_PROBES);
	char *rest = probes;

	for (char *probe; (probe = strsep(&rest, "\n"));)
		if (*probe)
			fprintf(out, "usdt:%s\n", probe);
}

static char *values_of(const char *program, bool with_points)
{
	AUTO(text) char *path = find_program(program);
	AUTO(scope) struct scope *scope = scope_new();
	AUTO(symbols) struct symbols *symbols = symbols_start(TARGET_FUNCTION, scope);
	uint32_t object;
	char *lines = NULL;
	size_t size;

	if (!path || symbols_add_object(symbols, path, NULL, true, &object, NULL))
		return text_copy("");
	FILE *out = open_memstream(&lines, &size);
	if (with_points) {
		print_points_of_sources(out, symbols);
		print_probes(out, symbols);
	}
	AUTO(text) char *functions = listing_of(symbols, LISTING_FUNCTIONS);
	fputs(functions, out);
	fclose(out);
	return lines;
}

char *program_points(const char *program)
{
	return values_of(program, true);
}

char *program_functions(const char *program)
{
	return values_of(program, false);
}
