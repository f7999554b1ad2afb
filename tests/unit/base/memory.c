/* SPDX-License-Identifier: BSD-2-Clause */
/* memory - zeroed allocation, growing arrays, formatted texts, owned locals. */
#include "base/memory.h"

#include "base/cleanup.h"
#include "check.h"

static unsigned counted_releases;

static void counted_release(char *text)
{
	free(text);
	counted_releases++;
}
CLEANUP_DEFINE(counted, char *, counted_release, NULL)

TEST("new memory is zeroed, also of size 0")
{
	AUTO(text) char *memory = memory_new(100, 1);
	for (size_t i = 0; i < 100; i++)
		CHECK_EQUAL(memory[i], 0);
	AUTO(text) char *nothing = memory_new(0, 8);
	CHECK(nothing);
}

TEST("an array keeps its items while it grows, and new items are zeroed")
{
	struct pair {
		int a, b;
	};
	ARRAY(struct pair) pairs = {0};
	for (int i = 0; i < 1000; i++) {
		struct pair *pair = array_add(&pairs);
		CHECK_EQUAL(pair->b, 0);
		pair->a = i;
	}
	CHECK_EQUAL(pairs.count, 1000);
	for (int i = 0; i < 1000; i++)
		CHECK_EQUAL(pairs.items[i].a, i);
	array_free(&pairs);
	CHECK(!pairs.items);
	CHECK_EQUAL(pairs.count + pairs.capacity, 0);
}

TEST("formatted texts are as long as they need to be")
{
	AUTO(text) char *text = text_format("%s-%0300d", "a", 7);
	CHECK_EQUAL(strlen(text), 302);
	CHECK(!text_copy(NULL));
}

TEST("an owned local is released at the end of its scope, a taken one is not")
{
	counted_releases = 0;
	{
		AUTO(counted) char *owned = text_copy("x");
		CHECK(owned);
	}
	CHECK_EQUAL(counted_releases, 1);
	char *kept;
	{
		AUTO(counted) char *owned = text_copy("y");
		kept = take(&owned);
		CHECK(!owned);
	}
	CHECK_EQUAL(counted_releases, 1);
	CHECK_TEXT(kept, "y");
	free(kept);
}
