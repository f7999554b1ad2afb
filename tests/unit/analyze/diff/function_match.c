/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of analyze/diff/function_match.h. */
#include "analyze/diff/function_match.h"
#include "base/cleanup.h"
#include "check.h"

static size_t match_one(const char *before, const char *before_file, const char *after,
			const char *after_file)
{
	struct function_name a = {before, before_file}, b = {after, after_file};
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
	struct function_name before[] = {{"find_all", "a.c"}, {"find_alls", "a.c"}};
	struct function_name after[] = {{"find_alls", "a.c"}, {"find_allx", "a.c"}};
	size_t matches[2];

	function_match(before, 2, after, 2, matches);
	CHECK_EQUAL(matches[0], 1);
	CHECK_EQUAL(matches[1], 0);
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
	struct function_name before[] = {{"main::{lambda(int)#1}::operator()(int) const", "a.cc"},
					 {"main::{lambda(int)#2}::operator()(int) const", "a.cc"},
					 {"get(int)", "b.cc"}};
	struct function_name after[] = {{"main::$_0::operator()(int) const", "c.cc"},
					{"get(long)", "d.cc"},
					{"get(char)", "e.cc"}};
	size_t matches[3];

	function_match(before, 3, after, 3, matches);
	for (int i = 0; i < 3; i++)
		CHECK_EQUAL(matches[i], FUNCTION_MATCH_NONE);
}
