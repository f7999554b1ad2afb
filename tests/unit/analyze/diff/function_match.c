/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of analyze/diff/function_match.h. */
#include "analyze/diff/function_match.h"
#include "base/cleanup.h"
#include "check.h"

static void match(const struct function_name *before, size_t before_count,
		  const struct function_name *after, size_t after_count, size_t *matches)
{
	const struct content_sides no_lines = {.before.function_count = before_count,
					       .after.function_count = after_count};

	function_match(before, after, &no_lines, matches);
}

static size_t match_one(const char *before, const char *before_file, const char *after,
			const char *after_file)
{
	struct function_name a = {before, before_file, 0}, b = {after, after_file, 0};
	size_t found;

	match(&a, 1, &b, 1, &found);
	return found;
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

	match(before, 2, after, 2, matches);
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

	match(before, 3, after, 3, matches);
	CHECK_EQUAL(matches[0], 1);
	CHECK_EQUAL(matches[1], 2);
	CHECK_EQUAL(matches[2], 0);
	CHECK(function_match_is_renamed(&before[1], &after[2]));
	CHECK(!function_match_is_renamed(&before[0], &after[1]));
	after[2].line = 60; /* neither as far from parse nor from reply */
	match(before, 3, after, 3, matches);
	CHECK_EQUAL(matches[1], FUNCTION_MATCH_NONE);
}

TEST("without a neighbour the same line tells, without lines or in another file nothing does")
{
	struct function_name before = {"lookup", "a.c", 42}, after = {"find_customer", "a.c", 42};
	size_t found;

	match(&before, 1, &after, 1, &found);
	CHECK_EQUAL(found, 0);
	after.file = "b.c";
	match(&before, 1, &after, 1, &found);
	CHECK_EQUAL(found, FUNCTION_MATCH_NONE);
	after.file = "a.c";
	before.line = after.line = 0;
	match(&before, 1, &after, 1, &found);
	CHECK_EQUAL(found, FUNCTION_MATCH_NONE);
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

	match(before, 3, after, 3, matches);
	for (int i = 0; i < 3; i++)
		CHECK_EQUAL(matches[i], FUNCTION_MATCH_NONE);
}

TEST("a function that was renamed and moved is known by what its lines say")
{
	struct function_name before[] = {{"main", "a.c", 10}, {"lookup", "a.c", 42}};
	struct function_name after[] = {{"find_customer", "store.c", 7}, {"main", "a.c", 10}};
	struct content_line old[] = {{"aa", 1, 70}, {"bb", 1, 30}, {"cc", 0, 10}};
	struct content_line new[] = {{"aa", 0, 40}, {"dd", 0, 20}, {"cc", 1, 10}};
	struct content_sides lines = {{old, 3, 2}, {new, 3, 2}};
	size_t matches[2];

	function_match(before, after, &lines, matches);
	CHECK_EQUAL(matches[0], 1);
	CHECK_EQUAL(matches[1], 0);
	/* Less than half of its time is in lines that are still there. */
	old[1].sampled_ns = 90;
	function_match(before, after, &lines, matches);
	CHECK_EQUAL(matches[1], FUNCTION_MATCH_NONE);
	old[1].sampled_ns = 30;
	/* A line that two functions have tells nothing. */
	old[2].content = "aa";
	function_match(before, after, &lines, matches);
	CHECK_EQUAL(matches[1], FUNCTION_MATCH_NONE);
	/* Nor does one that is not known. */
	old[2].content = new[0].content = NULL;
	function_match(before, after, &lines, matches);
	CHECK_EQUAL(matches[1], FUNCTION_MATCH_NONE);
}

TEST("what lines say wins over a similar name and the same place")
{
	struct function_name before[] = {{"lookup_one", "a.c", 42}};
	struct function_name after[] = {{"lookup_two", "a.c", 42}, {"fetch", "b.c", 5}};
	struct content_line old[] = {{"aa", 0, 100}};
	struct content_line new[] = {{"zz", 0, 100}, {"aa", 1, 100}};
	struct content_sides lines = {{old, 1, 1}, {new, 2, 2}};
	size_t matches[1];

	function_match(before, after, &lines, matches);
	CHECK_EQUAL(matches[0], 1);
	new[1].content = "yy";
	function_match(before, after, &lines, matches);
	CHECK_EQUAL(matches[0], 0);
}

TEST("code that went into another function, or came out of one, is found there")
{
	struct content_line old[] = {{"aa", 0, 50}, {"bb", 1, 80}, {"cc", 1, 20}, {"dd", 2, 90}};
	struct content_line new[] = {{"aa", 0, 50}, {"bb", 0, 60}, {"dd", 1, 40}, {"ee", 2, 10}};
	struct content_sides lines = {{old, 4, 3}, {new, 4, 3}};
	/* 0 is 0, 2 is 2; 1 is gone before, and new after. */
	size_t matches[] = {0, FUNCTION_MATCH_NONE, 2}, into[3], from[3];

	content_match_joined(&lines, matches, into, from);
	CHECK_EQUAL(into[0], FUNCTION_MATCH_NONE);
	CHECK_EQUAL(into[1], 0);
	CHECK_EQUAL(into[2], FUNCTION_MATCH_NONE);
	CHECK_EQUAL(from[0], FUNCTION_MATCH_NONE);
	CHECK_EQUAL(from[1], 2);
	CHECK_EQUAL(from[2], FUNCTION_MATCH_NONE);
	/* Most of its time is in lines that are gone. */
	old[2].sampled_ns = 100;
	content_match_joined(&lines, matches, into, from);
	CHECK_EQUAL(into[1], FUNCTION_MATCH_NONE);
}
