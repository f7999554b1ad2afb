/* SPDX-License-Identifier: BSD-2-Clause */
/* tables - the small structures below the symbols: ranges, covers, texts, maps and paths. */
#include "base/hash_map.h"
#include "base/interner.h"
#include "base/interval_map.h"
#include "base/path.h"
#include "symbolize/ranges.h"

#include "base/cleanup.h"

#include "check.h"

static int cleans(const char *directory, const char *file, const char *expected)
{
	AUTO(text) char *path = path_clean(directory, file);
	if (strcmp(path, expected) == 0)
		return 1;
	printf("# %s in %s gives %s\n", file, directory ? directory : "nothing", path);
	return 0;
}

TEST("paths are cleaned of what does not matter")
{
	CHECK(cleans("/home/u", "a.c", "/home/u/a.c"));
	CHECK(cleans("/home/u", "/b/a.c", "/b/a.c"));
	CHECK(cleans("/home/u/", "./x//y/../a.c", "/home/u/x/a.c"));
	CHECK(cleans(NULL, "/usr/bin/../lib/gcc/../../include/v", "/usr/include/v"));
	CHECK(cleans(NULL, "../a.c", "../a.c"));
	CHECK(cleans("..", "../a.c", "../../a.c"));
	CHECK(cleans("/", "../../a.c", "/a.c"));
	CHECK(cleans(NULL, "/", "/"));
	CHECK(cleans("x", "../a.c", "a.c"));
}

TEST("a tail of a path is whole components")
{
	CHECK(path_has_tail("/home/u/a.c", "a.c"));
	CHECK(path_has_tail("/home/u/a.c", "u/a.c"));
	CHECK(path_has_tail("/home/u/a.c", "/home/u/a.c"));
	CHECK(path_has_tail("/home/u/a.c", "./u/a.c"));
	CHECK(!path_has_tail("/home/u/aa.c", "a.c"));
	CHECK(!path_has_tail("/home/u/a.c", "/u/b.c"));
	CHECK(!path_has_tail("a.c", ""));
	CHECK_TEXT(path_tail("/home/u/a.c", 1), "a.c");
	CHECK_TEXT(path_tail("/home/u/a.c", 2), "u/a.c");
	CHECK_TEXT(path_tail("/home/u/a.c", 9), "/home/u/a.c");
}

TEST("ranges that touch become one, and know what they hold")
{
	struct ranges ranges = {0}, clipped = {0}, cut = {0};
	ranges_add(&ranges, 30, 40);
	ranges_add(&ranges, 10, 20);
	ranges_add(&ranges, 20, 25);
	ranges_add(&ranges, 12, 14);
	ranges_add(&ranges, 50, 50);
	ranges_merge(&ranges);
	CHECK_EQUAL(ranges.count, 2);
	CHECK_EQUAL(ranges.items[0].end, 25);
	CHECK(ranges_has(&ranges, 24) && !ranges_has(&ranges, 25) && ranges_has(&ranges, 30));
	CHECK_EQUAL(ranges_end(&ranges, 33), 40);
	CHECK_EQUAL(ranges_end(&ranges, 26), 26);
	ranges_clip(&ranges, 15, 35, &clipped);
	CHECK_EQUAL(clipped.count, 2);
	CHECK_EQUAL(clipped.items[0].start, 15);
	CHECK_EQUAL(clipped.items[1].end, 35);
	ranges_cut(&ranges, 15, 45, &cut);
	CHECK_EQUAL(cut.count, 2);
	CHECK_EQUAL(cut.items[0].start, 25);
	CHECK_EQUAL(cut.items[0].end, 30);
	CHECK_EQUAL(cut.items[1].start, 40);
	CHECK_EQUAL(cut.items[1].end, 45);
	ranges_clear(&ranges);
	ranges_clear(&clipped);
	ranges_clear(&cut);
}

/* Who owns `at` by the rule of interval_map.h, worked out span by span. */
static uint32_t owner_of(const struct interval_map_entry *spans, size_t count, uint64_t at)
{
	const struct interval_map_entry *owner = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct interval_map_entry *span = &spans[i];
		if (span->start > at || span->end <= at)
			continue;
		if (!owner || span->start > owner->start ||
		    (span->start == owner->start && span->depth >= owner->depth))
			owner = span;
	}
	return owner ? owner->value : UINT32_MAX;
}

TEST("of overlapping spans the one that starts last owns an address, then the deepest")
{
	unsigned state = 1;
	for (int round = 0; round < 300; round++) {
		struct interval_map_entry spans[12];
		struct interval_map interval_map = {0};
		for (uint32_t i = 0; i < 12; i++) {
			state = state * 1103515245u + 12345u;
			uint64_t start = state >> 16 & 31, size = state >> 22 & 15;
			spans[i] = (struct interval_map_entry){.start = start,
							       .end = start + size,
							       .value = i,
							       .depth = state >> 28 & 3};
			interval_map_add(&interval_map, start, start + size, i, spans[i].depth);
		}
		interval_map_flatten(&interval_map);
		for (uint64_t at = 0; at < 50; at++) {
			const struct interval_map_entry *span = interval_map_at(&interval_map, at);
			CHECK_EQUAL(span ? span->value : UINT32_MAX, owner_of(spans, 12, at));
		}
		interval_map_clear(&interval_map);
	}
}

TEST("a text has one number, and a map keeps what it was given")
{
	struct interner texts = {0};
	struct hash_map map = {0};
	CHECK_EQUAL(interner_add(&texts, NULL), 0);
	CHECK_TEXT(interner_text(&texts, 0), NULL);
	for (uint32_t i = 0; i < 5000; i++) {
		char text[16];
		snprintf(text, sizeof(text), "t%u", i);
		CHECK_EQUAL(interner_add(&texts, text), i + 1);
		hash_map_set(&map, i, i % 7, i);
	}
	CHECK_EQUAL(interner_add_part(&texts, "t42 and more", 3), 43);
	CHECK_TEXT(interner_text(&texts, 43), "t42");
	CHECK_EQUAL(interner_find(&texts, "t5000"), 0);
	for (uint32_t i = 0; i < 5000; i++)
		CHECK_EQUAL(hash_map_get(&map, i, i % 7), i);
	CHECK_EQUAL(hash_map_get(&map, 3, 4), HASH_MAP_NONE);
	hash_map_set(&map, 3, 3, 99);
	CHECK_EQUAL(hash_map_get(&map, 3, 3), 99);
	CHECK_EQUAL(map.count, 5000);
	interner_clear(&texts);
	hash_map_clear(&map);
}
