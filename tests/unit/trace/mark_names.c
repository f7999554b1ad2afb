/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_names - numbers of texts: the same for the same, and one for all when there are too many. */
#include "check.h"

#include "base/cleanup.h"
#include "trace/mark_names.h"

CLEANUP_DEFINE(mark_names, struct mark_names *, mark_names_free, NULL)

TEST("a text has one number, and is found by it")
{
	AUTO(mark_names) struct mark_names *names = mark_names_new();
	unsigned first = mark_names_id(names, "first and more", 5);

	CHECK_EQUAL(first, MARK_NAMES_FIRST);
	CHECK_EQUAL(mark_names_id(names, "second", 6), MARK_NAMES_FIRST + 1);
	CHECK_EQUAL(mark_names_id(names, "first", 5), first);
	CHECK_EQUAL(mark_names_count(names), 2);
	CHECK_TEXT(mark_names_text(names, 0), "first");
}

TEST("names beyond the limit share one name")
{
	AUTO(mark_names) struct mark_names *names = mark_names_new();
	char text[16];
	unsigned last = 0;

	for (unsigned i = 0; i < MARK_NAMES_MAX + 100; i++) {
		snprintf(text, sizeof(text), "name %u", i);
		last = mark_names_id(names, text, strlen(text));
	}
	CHECK_EQUAL(mark_names_count(names), MARK_NAMES_MAX);
	CHECK_EQUAL(last, MARK_NAMES_FIRST + MARK_NAMES_MAX - 1);
	CHECK_TEXT(mark_names_text(names, MARK_NAMES_MAX - 1), "(other names)");
}
