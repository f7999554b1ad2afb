/* SPDX-License-Identifier: BSD-2-Clause */
/* display - numbers with signs, as they are shown. */
#include "report/display.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include "check.h"

#define MINUS "\xe2\x88\x92"

static void check_minus(const char *text, const char *expected)
{
	AUTO(text) char *shown = display_minus(text_copy(text));

	CHECK_TEXT(shown, expected);
}

TEST("a minus sign is that of gains; hyphens of words and ranges stay")
{
	check_minus("(-0.3 to 1.2)", "(" MINUS "0.3 to 1.2)");
	check_minus("-3.1 % (-5.0 to -1.2)", MINUS "3.1 % (" MINUS "5.0 to " MINUS "1.2)");
	check_minus("read-1 of 2-3 - x", "read-1 of 2-3 - x");
	check_minus("", "");
}

TEST("a gain has a sign, and none where it is shown as zero")
{
	AUTO(text) char *less = display_gain(-0.031), *zero = display_gain(-0.0004);

	CHECK_TEXT(less, MINUS "3.1 %");
	CHECK_TEXT(zero, "+0.0 %");
}
