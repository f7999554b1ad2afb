/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_marker - texts that programs write to trace_marker, those of Android and any others. */
#include "check.h"

#include "trace/trace_marker.h"

/* "KIND NAME VALUE", or "nothing". */
static const char *told(const char *text)
{
	static char said[256];
	struct trace_marker marker;

	if (!trace_marker_parse(text, strlen(text), &marker))
		return "nothing";
	snprintf(said, sizeof(said), "%d '%.*s' %lld", (int)marker.kind, (int)marker.name_length,
		 marker.name ? marker.name : "", (long long)marker.value);
	return said;
}

TEST("spans begin with their name and end without one")
{
	CHECK_TEXT(told("B|123|draw"), "2 'draw' 0");
	CHECK_TEXT(told("B|123|a|b"), "2 'a|b' 0");
	CHECK_TEXT(told("E|123"), "3 '' 0");
	CHECK_TEXT(told("E\n"), "3 '' 0");
	CHECK_TEXT(told("E|"), "3 '' 0");
}

TEST("counters and work that is handed on have a number behind the name")
{
	CHECK_TEXT(told("C|1|queue|17"), "5 'queue' 17");
	CHECK_TEXT(told("C|1|queue|-17\n"), "5 'queue' -17");
	CHECK_TEXT(told("C|1|a|b|3"), "5 'a|b' 3");
	CHECK_TEXT(told("S|1|load|9"), "6 'load' 9");
	CHECK_TEXT(told("F|1|load|9"), "7 'load' 9");
	CHECK_TEXT(told("G|1|track|load|9"), "6 'load' 9");
	CHECK_TEXT(told("H|1|track|load|9"), "7 'load' 9");
	CHECK_TEXT(told("H|1|track|9"), "7 'track' 9");
}

TEST("instants, with and without a track")
{
	CHECK_TEXT(told("I|1|here"), "4 'here' 0");
	CHECK_TEXT(told("N|1|track|here"), "4 'here' 0");
}

TEST("any other text is its own name, and nothing is nothing")
{
	CHECK_TEXT(told("hello world\n"), "4 'hello world' 0");
	CHECK_TEXT(told("C|1|queue|many"), "4 'C|1|queue|many' 0");
	CHECK_TEXT(told("C|1|5"), "4 'C|1|5' 0");
	CHECK_TEXT(told("B|1|"), "4 'B|1|' 0");
	CHECK_TEXT(told("B|1"), "4 'B|1' 0");
	CHECK_TEXT(told("Ex"), "4 'Ex' 0");
	CHECK_TEXT(told("|"), "4 '|' 0");
	CHECK_TEXT(told("C|1||"), "4 'C|1||' 0");
	CHECK_TEXT(told(""), "nothing");
	CHECK_TEXT(told("\n"), "nothing");
}

TEST("a text need not end, and what is behind a 0 is not read")
{
	struct trace_marker marker;

	CHECK(trace_marker_parse("B|1|nameXYZ", 8, &marker));
	CHECK_EQUAL(marker.name_length, 4);
	CHECK(trace_marker_parse("I|1|a\0b", 7, &marker));
	CHECK_EQUAL(marker.name_length, 1);
	CHECK(!trace_marker_parse("", 0, &marker));
}
