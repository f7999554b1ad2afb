/* SPDX-License-Identifier: BSD-2-Clause */
/* tables - the small structures below the symbols: ranges, covers, texts, maps and paths. */
#include "symbolize/cover.h"
#include "symbolize/map.h"
#include "symbolize/path.h"
#include "symbolize/ranges.h"
#include "symbolize/texts.h"

#include "base/own.h"

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

/* Who owns `at` by the rule of cover.h, worked out span by span. */
static uint32_t owner_of(const struct cover_span *spans, size_t count, uint64_t at)
{
	const struct cover_span *owner = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct cover_span *span = &spans[i];
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
		struct cover_span spans[12];
		struct cover cover = {0};
		for (uint32_t i = 0; i < 12; i++) {
			state = state * 1103515245u + 12345u;
			uint64_t start = state >> 16 & 31, size = state >> 22 & 15;
			spans[i] = (struct cover_span){.start = start,
						       .end = start + size,
						       .value = i,
						       .depth = state >> 28 & 3};
			cover_add(&cover, start, start + size, i, spans[i].depth);
		}
		cover_flatten(&cover);
		for (uint64_t at = 0; at < 50; at++) {
			const struct cover_span *span = cover_at(&cover, at);
			CHECK_EQUAL(span ? span->value : UINT32_MAX, owner_of(spans, 12, at));
		}
		cover_clear(&cover);
	}
}

TEST("a text has one number, and a map keeps what it was given")
{
	struct texts texts = {0};
	struct map map = {0};
	CHECK_EQUAL(texts_add(&texts, NULL), 0);
	CHECK_TEXT(texts_get(&texts, 0), NULL);
	for (uint32_t i = 0; i < 5000; i++) {
		char text[16];
		snprintf(text, sizeof(text), "t%u", i);
		CHECK_EQUAL(texts_add(&texts, text), i + 1);
		map_set(&map, i, i % 7, i);
	}
	CHECK_EQUAL(texts_add_part(&texts, "t42 and more", 3), 43);
	CHECK_TEXT(texts_get(&texts, 43), "t42");
	CHECK_EQUAL(texts_find(&texts, "t5000"), 0);
	for (uint32_t i = 0; i < 5000; i++)
		CHECK_EQUAL(map_get(&map, i, i % 7), i);
	CHECK_EQUAL(map_get(&map, 3, 4), MAP_NONE);
	map_set(&map, 3, 3, 99);
	CHECK_EQUAL(map_get(&map, 3, 3), 99);
	CHECK_EQUAL(map.count, 5000);
	texts_clear(&texts);
	map_clear(&map);
}
