/* SPDX-License-Identifier: BSD-2-Clause */
/* ranges - sets of addresses. */
#include "check.h"

#include "base/ranges.h"

TEST("touching ranges are merged, and found by address")
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

TEST("ranges that are included one by one are those that are added and merged")
{
	for (uint64_t seed = 1; seed < 200; seed++) {
		struct ranges included = {0}, merged = {0};
		for (uint64_t i = 0; i < 40; i++) {
			uint64_t start = (seed * 7919 + i * 104729) % 97,
				 length = (seed + i * i) % 7;
			ranges_include(&included, start, start + length);
			ranges_add(&merged, start, start + length);
		}
		ranges_merge(&merged);
		CHECK_EQUAL(included.count, merged.count);
		for (size_t i = 0; i < included.count && i < merged.count; i++) {
			CHECK_EQUAL(included.items[i].start, merged.items[i].start);
			CHECK_EQUAL(included.items[i].end, merged.items[i].end);
		}
		ranges_clear(&included);
		ranges_clear(&merged);
	}
}
