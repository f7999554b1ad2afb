/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of analyze/diff/function_match.h. */
#include "analyze/diff/function_match.h"
#include "base/cleanup.h"
#include "check.h"

static size_t match_one(const char *before, const char *before_file, const char *after,
			const char *after_file)
{
	struct function_name a = {before, before_file, 0}, b = {after, after_file, 0};
	size_t match;

	function_match(&a, 1, &b, 1, &match);
	return match;
}

TEST("additions of compilers are no part of a name")
{
	AUTO(text) char *part = function_match_normal("find_customer.part.0");
	AUTO(text) char *clone = function_match_normal("ns::find(int) [clone .constprop.1]");
	AUTO(text) char *plain = function_match_normal("main");

	CHECK_TEXT(part, "find_customer");
	CHECK_TEXT(clone, "ns::find(int)");
	CHECK_TEXT(plain, "main");
	CHECK_EQUAL(match_one("find.cold", "a.c", "find.isra.0", "b.c"), 0);
}

TEST("a function keeps its match when its file moves or its parameters change")
{
	CHECK_EQUAL(match_one("find", "/old/a.c", "find", "/new/b.c"), 0);
	CHECK_EQUAL(match_one("ns::find(int)", "/old/a.cc", "ns::find(long)", "/new/a.cc"), 0);
	CHECK_EQUAL(match_one("ns::find(int)", "a.cc", "ns::find(long)", "b.cc"), 0);
}

TEST("similar names match in files of the same name only")
{
	CHECK_EQUAL(match_one("find_customer", "x/a.c", "find_customers", "y/a.c"), 0);
	CHECK_EQUAL(match_one("find_customer", "x/a.c", "find_customers", "y/b.c"),
		    FUNCTION_MATCH_NONE);
	CHECK_EQUAL(match_one("find", "a.c", "sort", "a.c"), FUNCTION_MATCH_NONE);
	CHECK_EQUAL(match_one(NULL, "a.c", NULL, "a.c"), FUNCTION_MATCH_NONE);
}

TEST("equal names win over similar ones, and each function is matched once")
{
	struct function_name before[] = {{"find_all", "a.c", 0}, {"find_alls", "a.c", 0}};
	struct function_name after[] = {{"find_alls", "a.c", 0}, {"find_allx", "a.c", 0}};
	size_t matches[2];

	function_match(before, 2, after, 2, matches);
	CHECK_EQUAL(matches[0], 1);
	CHECK_EQUAL(matches[1], 0);
}

TEST("a function with another name is known by its distance from a neighbour, though lines moved")
{
	struct function_name before[] = {{"parse", "a.c", 10},
					 {"lookup", "a.c", 42},
					 {"reply", "a.c", 80}};
	struct function_name after[] = {{"reply", "b/a.c", 93},
					{"parse", "b/a.c", 17},
					{"find_customer", "b/a.c", 49}};
	size_t matches[3];

	function_match(before, 3, after, 3, matches);
	CHECK_EQUAL(matches[0], 1);
	CHECK_EQUAL(matches[1], 2);
	CHECK_EQUAL(matches[2], 0);
	CHECK(function_match_is_renamed(&before[1], &after[2]));
	CHECK(!function_match_is_renamed(&before[0], &after[1]));
	after[2].line = 60; /* neither as far from parse nor from reply */
	function_match(before, 3, after, 3, matches);
	CHECK_EQUAL(matches[1], FUNCTION_MATCH_NONE);
}

TEST("without a neighbour the same line tells, without lines or in another file nothing does")
{
	struct function_name before = {"lookup", "a.c", 42}, after = {"find_customer", "a.c", 42};
	size_t match;

	function_match(&before, 1, &after, 1, &match);
	CHECK_EQUAL(match, 0);
	after.file = "b.c";
	function_match(&before, 1, &after, 1, &match);
	CHECK_EQUAL(match, FUNCTION_MATCH_NONE);
	after.file = "a.c";
	before.line = after.line = 0;
	function_match(&before, 1, &after, 1, &match);
	CHECK_EQUAL(match, FUNCTION_MATCH_NONE);
}

TEST("names of GCC with libstdc++ and of clang with libc++ match, in files of other names, too")
{
	CHECK_EQUAL(match_one("main::{lambda(int)#1}::operator()(int) const", "a.cc",
			      "main::$_0::operator()(int) const", "b.cc"),
		    0);
	CHECK_EQUAL(match_one("name_of[abi:cxx11](std::__cxx11::basic_string<char>)", "a.cc",
			      "name_of(std::__1::basic_string<char>)", "a.cc"),
		    0);
	CHECK_EQUAL(match_one("(anonymous namespace)::Hidden::run(int)", "a.cc",
			      "(anonymous namespace)::Hidden::run(long)", "b.cc"),
		    0);
	CHECK_EQUAL(match_one("main::{lambda(int", "a.cc", "main::$_0", "a.cc"),
		    FUNCTION_MATCH_NONE);
}

TEST("of several lambdas, or functions with one name in other files, none is taken for another")
{
	struct function_name before[] = {{"main::{lambda(int)#1}::operator()(int) const", "a.cc",
					  0},
					 {"main::{lambda(int)#2}::operator()(int) const", "a.cc",
					  0},
					 {"get(int)", "b.cc", 0}};
	struct function_name after[] = {{"main::$_0::operator()(int) const", "c.cc", 0},
					{"get(long)", "d.cc", 0},
					{"get(char)", "e.cc", 0}};
	size_t matches[3];

	function_match(before, 3, after, 3, matches);
	for (int i = 0; i < 3; i++)
		CHECK_EQUAL(matches[i], FUNCTION_MATCH_NONE);
}
