/* SPDX-License-Identifier: BSD-2-Clause */
/* target_pattern - which names of --target are patterns, and what they match. */
#include "experiment/target/target_pattern.h"

#include "check.h"

TEST("stars in brackets and of operators belong to a plain name")
{
	CHECK(target_pattern_is("store::*"));
	CHECK(target_pattern_is("get_?"));
	CHECK(target_pattern_is("list<int *>::*"));
	CHECK(target_pattern_is("syscall:f*sync"));
	CHECK(!target_pattern_is("store::get"));
	CHECK(!target_pattern_is("print(char *)"));
	CHECK(!target_pattern_is("list<char *>::push"));
	CHECK(!target_pattern_is("vector::operator*"));
	CHECK(!target_pattern_is("cache.c:88"));
}

TEST("a pattern of code has functions as targets, others what their prefix says")
{
	CHECK_EQUAL(target_pattern_granularity("store::*", TARGET_LINE), TARGET_FUNCTION);
	CHECK_EQUAL(target_pattern_granularity("store::*", TARGET_INCLUSIVE), TARGET_INCLUSIVE);
	CHECK_EQUAL(target_pattern_granularity("inclusive:s*", TARGET_LINE), TARGET_INCLUSIVE);
	CHECK_EQUAL(target_pattern_granularity("syscall:*sync", TARGET_LINE), TARGET_SYSTEM_CALL);
	CHECK(target_pattern_is_kernel("kernel:ext4_*"));
	CHECK(!target_pattern_is_kernel("ext4_*"));
	CHECK_TEXT(target_pattern_glob("kernel:ext4_*"), "ext4_*");
	CHECK(target_pattern_is_code("inclusive:*"));
	CHECK(!target_pattern_is_code("span:*"));
}

TEST("code matches by its function, calls and spans by their whole name")
{
	struct symbols_location code = {.kind = TARGET_FUNCTION,
					.name = "a.cc:long store::get<int>(int)",
					.function = "long store::get<int>(int)"};
	struct symbols_location call = {.kind = TARGET_SYSTEM_CALL, .name = "syscall:fsync"};

	CHECK(target_pattern_matches("store::*", &code));
	CHECK(target_pattern_matches("g?t", &code));
	CHECK(!target_pattern_matches("stor::*", &code));
	CHECK(target_pattern_matches("syscall:f*", &call));
	CHECK(!target_pattern_matches("syscall:w*", &call));
}
