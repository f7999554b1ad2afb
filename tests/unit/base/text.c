/* SPDX-License-Identifier: BSD-2-Clause */
/* text - numbers and nearest names. */
#include "base/text.h"

#include "check.h"

TEST("an unsigned number is read whole or not at all")
{
	static const char *const wrong[] = {"",   "-1",   "+1",  " 1",
					    "1 ", "0x10", "1.0", "18446744073709551616"};
	uint64_t value = 7;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!text_to_unsigned(wrong[i], &value));
	CHECK_EQUAL(value, 7);
	CHECK(text_to_unsigned("18446744073709551615", &value));
	CHECK(value == UINT64_MAX);
}

TEST("a double is decimal, finite and whole")
{
	static const char *const wrong[] = {"",      "-",     "1e3", "nan", "inf",
					    "0x1p3", "1.2.3", "2pp", "."};
	double value = 7;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(!text_to_double(wrong[i], &value));
	CHECK_NEAR(value, 7, 0);
	CHECK(text_to_double("-2.5", &value));
	CHECK_NEAR(value, -2.5, 0);
}

TEST("a duration needs its unit")
{
	uint64_t duration_ns = 0;
	CHECK(!text_to_duration_ns("250", &duration_ns));
	CHECK(!text_to_duration_ns("us", &duration_ns));
	CHECK(!text_to_duration_ns("-1ms", &duration_ns));
	CHECK(!text_to_duration_ns("1 ms", &duration_ns));
	CHECK(!text_to_duration_ns("10000000000s", &duration_ns));
	CHECK_EQUAL(duration_ns, 0);
	CHECK(text_to_duration_ns("250us", &duration_ns));
	CHECK_EQUAL(duration_ns, 250000);
	CHECK(text_to_duration_ns("1.5ms", &duration_ns));
	CHECK_EQUAL(duration_ns, 1500000);
	CHECK(text_to_duration_ns("2m", &duration_ns));
	CHECK_EQUAL(duration_ns, 120000000000);
}

TEST("minutes and hours have two names and one")
{
	uint64_t duration_ns = 0;
	CHECK(text_to_duration_ns("10min", &duration_ns));
	CHECK_EQUAL(duration_ns, 600000000000);
	CHECK(text_to_duration_ns("10m", &duration_ns));
	CHECK_EQUAL(duration_ns, 600000000000);
	CHECK(text_to_duration_ns("1.5h", &duration_ns));
	CHECK_EQUAL(duration_ns, 5400000000000);
}

TEST("a size needs its unit")
{
	uint64_t size_bytes = 7;
	CHECK(!text_to_size_bytes("2", &size_bytes));
	CHECK(!text_to_size_bytes("GB", &size_bytes));
	CHECK(!text_to_size_bytes("2 GB", &size_bytes));
	CHECK(!text_to_size_bytes("-2GB", &size_bytes));
	CHECK(!text_to_size_bytes("99999999TB", &size_bytes));
	CHECK_EQUAL(size_bytes, 7);
	CHECK(text_to_size_bytes("2GB", &size_bytes));
	CHECK_EQUAL(size_bytes, 2000000000);
	CHECK(text_to_size_bytes("0.5kB", &size_bytes));
	CHECK_EQUAL(size_bytes, 500);
}

TEST("the distance counts inserted, deleted, replaced and swapped letters")
{
	CHECK_EQUAL(text_distance("", ""), 0);
	CHECK_EQUAL(text_distance("abc", ""), 3);
	CHECK_EQUAL(text_distance("", "abc"), 3);
	CHECK_EQUAL(text_distance("progress", "progres"), 1);
	CHECK_EQUAL(text_distance("sacle", "scale"), 1);
	CHECK_EQUAL(text_distance("kitten", "sitting"), 3);
}

TEST("a mistyped name has a nearest one, an unknown name has none")
{
	static const char *const names[] = {"progress", "period", "runs", "scope"};
	CHECK_TEXT(text_nearest("progess", names, 4), "progress");
	CHECK_TEXT(text_nearest("scpoe", names, 4), "scope");
	CHECK_TEXT(text_nearest("zzzzzzzz", names, 4), NULL);
	CHECK_TEXT(text_nearest("runs", names, 0), NULL);
}

TEST("an abbreviation, and a part of four letters, have a nearest name")
{
	static const char *const names[] = {"system-and-kernel", "progress-points", "runs"};
	CHECK_TEXT(text_nearest("progress", names, 3), "progress-points");
	CHECK_TEXT(text_nearest("kernel", names, 3), "system-and-kernel");
	CHECK_TEXT(text_nearest("and", names, 3), NULL);
	CHECK_TEXT(text_nearest("", names, 3), NULL);
}

TEST("texts are equal by value, and NULL equals NULL only")
{
	char copy[] = "a";

	CHECK(text_equals("a", copy) && text_equals(NULL, NULL));
	CHECK(!text_equals("a", "b") && !text_equals("a", NULL) && !text_equals(NULL, ""));
}
