/* SPDX-License-Identifier: BSD-2-Clause */
/* names - numbers of texts: the same for the same, and one for all when there are too many. */
#include "check.h"

#include "base/own.h"
#include "trace/names.h"

OWN_DEFINE(names, struct names *, names_free, NULL)

TEST("a text has one number, and is found by it")
{
	AUTO(names) struct names *names = names_new();
	unsigned first = names_number(names, "first and more", 5);

	CHECK_EQUAL(first, NAMES_FIRST);
	CHECK_EQUAL(names_number(names, "second", 6), NAMES_FIRST + 1);
	CHECK_EQUAL(names_number(names, "first", 5), first);
	CHECK_EQUAL(names_count(names), 2);
	CHECK_TEXT(names_text(names, 0), "first");
}

TEST("names beyond the most are one name")
{
	AUTO(names) struct names *names = names_new();
	char text[16];
	unsigned last = 0;

	for (unsigned i = 0; i < NAMES_MOST + 100; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		last = names_number(names, text, strlen(text));
	}
	CHECK_EQUAL(names_count(names), NAMES_MOST);
	CHECK_EQUAL(last, NAMES_FIRST + NAMES_MOST - 1);
	CHECK_TEXT(names_text(names, NAMES_MOST - 1), "(other names)");
}
