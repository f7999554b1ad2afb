/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vmlinux - time and memory to read a kernel's debug information, and lookups in it.
 *
 *	bench-vmlinux VMLINUX NAMES [ADDRESSES]
 *
 * VMLINUX is any kernel's, with DWARF; NAMES has its symbols in the form of /proc/kallsyms, as
 * printed by `nm VMLINUX`. Addresses are drawn evenly from the functions whose names begin with
 * vfs_ and ext4_.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static double begun;

static void tell(const char *what)
{
	struct rusage usage;
	double now = (double)clock_now_ns() / 1e9;

	getrusage(RUSAGE_SELF, &usage);
	printf("%-60s %7.2f s, %6.0f MB at most\n", what, now - begun,
	       (double)usage.ru_maxrss / 1024);
	begun = (double)clock_now_ns() / 1e9;
}

/* Looks up at most `most` addresses in functions of file systems; returns how many have a line. */
static size_t name_addresses(struct symbols *symbols, FILE *names, size_t most, size_t *asked)
{
	char line[512], name[400], kind;
	unsigned long long start;
	size_t lines = 0;

	while (*asked < most && fgets(line, sizeof(line), names)) {
		uint32_t object;
		uint64_t offset;
		if (sscanf(line, "%llx %c %399s", &start, &kind, name) != 3 ||
		    !strchr("tT", kind) ||
		    (strncmp(name, "vfs_", 4) != 0 && strncmp(name, "ext4_", 5) != 0))
			continue;
		++*asked;
		if (!symbols_kernel_offset(symbols, start + 8, &object, &offset))
			continue;
		uint32_t place = symbols_location_at(symbols, object, offset);
		lines += place != SYMBOLS_NONE && symbols_location(symbols, place)->line > 0;
	}
	return lines;
}

int main(int count, char **arguments)
{
	struct error error = {0};
	struct scope *scope = scope_new();
	size_t asked = 0;
	uint32_t place;
	const struct range *ranges;

	if (count < 3) {
		fprintf(stderr, "usage: %s VMLINUX NAMES [ADDRESSES]\n", arguments[0]);
		return 2;
	}
	scope_add(scope, "fs/*", true);
	struct symbols *symbols = symbols_new(TARGET_LINE, scope);
	begun = (double)clock_now_ns() / 1e9;
	if (symbols_add_kernel(symbols, arguments[2], arguments[1], true, &error)) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	tell("symbols read, file opened");
	FILE *names = fopen(arguments[2], "re");
	size_t most = count > 3 ? strtoul(arguments[3], NULL, 10) : 1000;
	size_t lines = names ? name_addresses(symbols, names, most, &asked) : 0;
	AUTO(text)
	char *what = text_format("%zu addresses, %zu of them with a line in fs/*", asked, lines);
	tell(what);
	if (symbols_find_kernel(symbols, "vfs_read", &place, &error))
		printf("%s\n", error.text);
	tell("kernel:vfs_read found");
	if (symbols_find_kernel(symbols, "fs/read_write.c:450", &place, &error))
		printf("%s\n", error.text);
	tell("fs/read_write.c:450 looked for");
	for (uint32_t i = 0; i < symbols_object_count(symbols); i++) {
		size_t pieces = symbols_scope_ranges(symbols, i, &ranges);
		printf("%s: %zu pieces of code in scope\n", symbols_object(symbols, i)->path,
		       pieces);
	}
	tell("scope listed");
	symbols_free(symbols);
	scope_free(scope);
	return 0;
}
