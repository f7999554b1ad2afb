/* SPDX-License-Identifier: BSD-2-Clause */
/* address_spaces - newer mappings hide older ones, children begin with their parent's. */
#include "check.h"

#include "base/cleanup.h"
#include "collect/perf/address_spaces.h"

#include <unistd.h>

CLEANUP_DEFINE(spaces, struct address_spaces *, address_spaces_free, NULL)

static void map(struct address_spaces *spaces, uint32_t process, uint64_t start, uint64_t inode)
{
	struct perf_record record = {.pid = process,
				     .start = start,
				     .bytes = 0x1000,
				     .offset = 0x2000,
				     .inode = inode,
				     .text = inode ? "/lib/some.so" : "//anon"};
	address_spaces_map(spaces, &record);
}

TEST("an address is found at its offset in the file, and its file can be named")
{
	AUTO(spaces) struct address_spaces *spaces = address_spaces_new();
	struct perf_location place;

	map(spaces, 7, 0x10000, 99);
	CHECK(!address_spaces_find(spaces, 7, 0xffff, &place));
	CHECK(!address_spaces_find(spaces, 7, 0x11000, &place));
	CHECK(!address_spaces_find(spaces, 8, 0x10000, &place));
	CHECK(address_spaces_find(spaces, 7, 0x10080, &place));
	CHECK(place.offset == 0x2080);
	CHECK_TEXT(place.file->path, "/lib/some.so");
	CHECK(place.file->object == WIRE_OBJECT_UNKNOWN);
	address_spaces_name(spaces, &(struct wire_file){.inode = 99}, 5);
	CHECK(place.file->object == 5);
}

TEST("the newest of two mappings at one address counts; one without a file has none")
{
	AUTO(spaces) struct address_spaces *spaces = address_spaces_new();
	struct perf_location place;

	map(spaces, 7, 0x10000, 99);
	map(spaces, 7, 0x10000, 98);
	CHECK(address_spaces_find(spaces, 7, 0x10000, &place));
	CHECK(place.file->file.inode == 98);
	map(spaces, 7, 0x10000, 0);
	CHECK(address_spaces_find(spaces, 7, 0x10004, &place));
	CHECK(!place.file);
	CHECK(place.offset == 0x10004);
}

TEST("a child has its parent's mappings, until it forgets them")
{
	AUTO(spaces) struct address_spaces *spaces = address_spaces_new();
	struct perf_location place;

	map(spaces, 7, 0x10000, 99);
	address_spaces_fork(spaces, 7, 8);
	CHECK(address_spaces_find(spaces, 8, 0x10000, &place));
	address_spaces_remove(spaces, 8);
	CHECK(!address_spaces_find(spaces, 8, 0x10000, &place));
	CHECK(address_spaces_find(spaces, 7, 0x10000, &place));
}

TEST("code of a process that runs already is found, this test's own")
{
	AUTO(spaces) struct address_spaces *spaces = address_spaces_new();
	struct perf_location place;

	address_spaces_read(spaces, getpid());
	CHECK(address_spaces_find(spaces, (uint32_t)getpid(), (uint64_t)(uintptr_t)map, &place));
	CHECK(place.file && strstr(place.file->path, "test_collect_perf_address_spaces"));
}
