/* SPDX-License-Identifier: BSD-2-Clause */
/* interner, hash, hash_map - texts by number, and values by pairs of keys. */
#include "check.h"

#include "base/hash.h"
#include "base/hash_map.h"
#include "base/interner.h"

TEST("the hash is FNV-1a")
{
	CHECK_EQUAL(hash_text(""), 0xcbf29ce484222325u);
	CHECK_EQUAL(hash_text("a"), 0xaf63dc4c8601ec8cu);
	CHECK_EQUAL(hash_bytes("foobar and more", 6), 0x85944171f73967e8u);
}

TEST("a text has one number, and a map keeps its values")
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
