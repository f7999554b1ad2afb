/* SPDX-License-Identifier: BSD-2-Clause */
/* source_lines - equal lines have equal numbers, and no other user's file is read. */
#include "check.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbolize/source_lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/lever-lines-XXXXXX";

static char *write_file(const char *name, const char *text)
{
	char *path = text_format("%s/%s", folder, name);
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
	chmod(path, 0644);
	return path;
}

TEST("lines that differ by white space only are equal, and short ones are unknown")
{
	struct source_lines *lines = source_lines_new();

	CHECK(mkdtemp(folder));
	chmod(folder, 0755);
	AUTO(text) char *one = write_file("a.c", "\tsum += item(i);\n}\nother(item);\n");
	AUTO(text) char *two = write_file("b.c", "{\n  sum+=item( i );");
	AUTO(text) char *first = source_lines_content(lines, one, 1);
	AUTO(text) char *same = source_lines_content(lines, two, 2);
	AUTO(text) char *other = source_lines_content(lines, one, 3);
	CHECK(first && same && other);
	CHECK_TEXT(first, same);
	CHECK(strcmp(first, other));
	CHECK(!source_lines_content(lines, one, 2)); /* } */
	CHECK(!source_lines_content(lines, one, 4)); /* there is none */
	CHECK(!source_lines_content(lines, "a.c", 1));
	CHECK(!source_lines_content(lines, folder, 1));
	unlink(two);
	source_lines_free(lines);
}

TEST("under sudo a file counts only if that user reaches it, and as root none behind a link")
{
	AUTO(text) char *file = text_format("%s/a.c", folder);
	AUTO(text) char *link = text_format("%s/link.c", folder);
	const bool is_root = geteuid() == 0;

	CHECK(!symlink(file, link));
	struct source_lines *lines = source_lines_new();
	AUTO(text) char *by_link = source_lines_content(lines, link, 1);
	CHECK_EQUAL(!by_link, is_root);
	source_lines_free(lines);
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65534", 1);
	lines = source_lines_new();
	AUTO(text) char *reached = source_lines_content(lines, file, 1);
	CHECK(reached);
	source_lines_free(lines);
	chmod(folder, 0700);
	lines = source_lines_new();
	AUTO(text) char *hidden = source_lines_content(lines, file, 1);
	CHECK_EQUAL(!hidden, is_root);
	source_lines_free(lines);
	unlink(link);
	unlink(file);
	rmdir(folder);
}
