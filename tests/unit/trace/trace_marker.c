/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_marker - texts that programs write to trace_marker, those of Android and any others. */
#include "check.h"

#include "trace/trace_marker.h"

/* "KIND NAME VALUE", or "nothing". */
static const char *parsed(const char *text)
{
	static char text_form[256];
	struct trace_marker marker;

	if (!trace_marker_parse(text, strlen(text), &marker))
		return "nothing";
	snprintf(text_form, sizeof(text_form), "%d '%.*s' %lld", (int)marker.kind,
		 (int)marker.name_length, marker.name ? marker.name : "", (long long)marker.value);
	return text_form;
}

TEST("spans begin with their name and end without one")
{
	CHECK_TEXT(parsed("B|123|draw"), "2 'draw' 0");
	CHECK_TEXT(parsed("B|123|a|b"), "2 'a|b' 0");
	CHECK_TEXT(parsed("E|123"), "3 '' 0");
	CHECK_TEXT(parsed("E\n"), "3 '' 0");
	CHECK_TEXT(parsed("E|"), "3 '' 0");
}

TEST("counters and flows have a number behind the name")
{
	CHECK_TEXT(parsed("C|1|queue|17"), "5 'queue' 17");
	CHECK_TEXT(parsed("C|1|queue|-17\n"), "5 'queue' -17");
	CHECK_TEXT(parsed("C|1|a|b|3"), "5 'a|b' 3");
	CHECK_TEXT(parsed("S|1|load|9"), "6 'load' 9");
	CHECK_TEXT(parsed("F|1|load|9"), "7 'load' 9");
	CHECK_TEXT(parsed("G|1|track|load|9"), "6 'load' 9");
	CHECK_TEXT(parsed("H|1|track|load|9"), "7 'load' 9");
	CHECK_TEXT(parsed("H|1|track|9"), "7 'track' 9");
}

TEST("instants, with and without a track")
{
	CHECK_TEXT(parsed("I|1|here"), "4 'here' 0");
	CHECK_TEXT(parsed("N|1|track|here"), "4 'here' 0");
}

TEST("any other text is an instant, and an empty text is none")
{
	CHECK_TEXT(parsed("hello world\n"), "4 'hello world' 0");
	CHECK_TEXT(parsed("C|1|queue|many"), "4 'C|1|queue|many' 0");
	CHECK_TEXT(parsed("C|1|5"), "4 'C|1|5' 0");
	CHECK_TEXT(parsed("B|1|"), "4 'B|1|' 0");
	CHECK_TEXT(parsed("B|1"), "4 'B|1' 0");
	CHECK_TEXT(parsed("Ex"), "4 'Ex' 0");
	CHECK_TEXT(parsed("|"), "4 '|' 0");
	CHECK_TEXT(parsed("C|1||"), "4 'C|1||' 0");
	CHECK_TEXT(parsed(""), "nothing");
	CHECK_TEXT(parsed("\n"), "nothing");
}

TEST("a text ends with its size or a 0")
{
	struct trace_marker marker;

	CHECK(trace_marker_parse("B|1|nameXYZ", 8, &marker));
	CHECK_EQUAL(marker.name_length, 4);
	CHECK(trace_marker_parse("I|1|a\0b", 7, &marker));
	CHECK_EQUAL(marker.name_length, 1);
	CHECK(!trace_marker_parse("", 0, &marker));
}
