/* SPDX-License-Identifier: BSD-2-Clause */
/* path - source paths as texts. */
#include "check.h"

#include "base/cleanup.h"
#include "base/path.h"

static int cleans(const char *directory, const char *file, const char *expected)
{
	AUTO(text) char *path = path_clean(directory, file);
	if (strcmp(path, expected) == 0)
		return 1;
	printf("# %s in %s gives %s\n", file, directory ? directory : "nothing", path);
	return 0;
}

TEST("paths are normalized")
{
	CHECK(cleans("/home/u", "a.c", "/home/u/a.c"));
	CHECK(cleans("/home/u", "/b/a.c", "/b/a.c"));
	CHECK(cleans("/home/u/", "./x//y/../a.c", "/home/u/x/a.c"));
	CHECK(cleans(NULL, "/usr/bin/../lib/gcc/../../include/v", "/usr/include/v"));
	CHECK(cleans(NULL, "../a.c", "../a.c"));
	CHECK(cleans("..", "../a.c", "../../a.c"));
	CHECK(cleans("/", "../../a.c", "/a.c"));
	CHECK(cleans(NULL, "/", "/"));
	CHECK(cleans("x", "../a.c", "a.c"));
}

TEST("a tail of a path is whole components")
{
	CHECK(path_has_tail("/home/u/a.c", "a.c"));
	CHECK(path_has_tail("/home/u/a.c", "u/a.c"));
	CHECK(path_has_tail("/home/u/a.c", "/home/u/a.c"));
	CHECK(path_has_tail("/home/u/a.c", "./u/a.c"));
	CHECK(!path_has_tail("/home/u/aa.c", "a.c"));
	CHECK(!path_has_tail("/home/u/a.c", "/u/b.c"));
	CHECK(!path_has_tail("a.c", ""));
	CHECK_TEXT(path_tail("/home/u/a.c", 1), "a.c");
	CHECK_TEXT(path_tail("/home/u/a.c", 2), "u/a.c");
	CHECK_TEXT(path_tail("/home/u/a.c", 9), "/home/u/a.c");
}
