/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_spaces - mappings of processes: newer ones hide older ones, children begin with their parent's. */
#include "check.h"

#include "base/own.h"
#include "collect/perf_spaces.h"

#include <unistd.h>

OWN_DEFINE(spaces, struct perf_spaces *, perf_spaces_free, NULL)

static void map(struct perf_spaces *spaces, uint32_t process, uint64_t start, uint64_t inode)
{
	struct perf_record record = {.pid = process,
				     .start = start,
				     .bytes = 0x1000,
				     .offset = 0x2000,
				     .inode = inode,
				     .text = inode ? "/lib/some.so" : "//anon"};
	perf_spaces_map(spaces, &record);
}

TEST("an address is found at its offset in the file, and its file can be named")
{
	AUTO(spaces) struct perf_spaces *spaces = perf_spaces_new();
	struct perf_place place;

	map(spaces, 7, 0x10000, 99);
	CHECK(!perf_spaces_find(spaces, 7, 0xffff, &place));
	CHECK(!perf_spaces_find(spaces, 7, 0x11000, &place));
	CHECK(!perf_spaces_find(spaces, 8, 0x10000, &place));
	CHECK(perf_spaces_find(spaces, 7, 0x10080, &place));
	CHECK(place.offset == 0x2080);
	CHECK_TEXT(place.file->path, "/lib/some.so");
	CHECK(place.file->object == KERNEL_OBJECT_UNKNOWN);
	perf_spaces_name(spaces, &(struct kernel_file){.inode = 99}, 5);
	CHECK(place.file->object == 5);
}

TEST("the newest of two mappings at one address counts; one without a file has none")
{
	AUTO(spaces) struct perf_spaces *spaces = perf_spaces_new();
	struct perf_place place;

	map(spaces, 7, 0x10000, 99);
	map(spaces, 7, 0x10000, 98);
	CHECK(perf_spaces_find(spaces, 7, 0x10000, &place));
	CHECK(place.file->file.inode == 98);
	map(spaces, 7, 0x10000, 0);
	CHECK(perf_spaces_find(spaces, 7, 0x10004, &place));
	CHECK(!place.file);
	CHECK(place.offset == 0x10004);
}

TEST("a child has its parent's mappings, until it forgets them")
{
	AUTO(spaces) struct perf_spaces *spaces = perf_spaces_new();
	struct perf_place place;

	map(spaces, 7, 0x10000, 99);
	perf_spaces_fork(spaces, 7, 8);
	CHECK(perf_spaces_find(spaces, 8, 0x10000, &place));
	perf_spaces_forget(spaces, 8);
	CHECK(!perf_spaces_find(spaces, 8, 0x10000, &place));
	CHECK(perf_spaces_find(spaces, 7, 0x10000, &place));
}

TEST("code of a process that runs already is found, this test's own")
{
	AUTO(spaces) struct perf_spaces *spaces = perf_spaces_new();
	struct perf_place place;

	perf_spaces_read(spaces, getpid());
	CHECK(perf_spaces_find(spaces, (uint32_t)getpid(), (uint64_t)(uintptr_t)map, &place));
	CHECK(place.file && strstr(place.file->path, "test_collect_perf_spaces"));
}
