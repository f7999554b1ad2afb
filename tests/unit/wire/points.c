/* SPDX-License-Identifier: BSD-2-Clause */
/* points - lever.h repeats the layout of wire/points.h; here the two are compared, at compile time. */
#include "wire/points.h"

#include "check.h"

#include <lever.h>
#include <stddef.h>

#define SAME(left, right) _Static_assert((left) == (right), #left " is not " #right)
#define SAME_PLACE(theirs, part, field)             \
	SAME(offsetof(struct lever_points, theirs), \
	     offsetof(struct points_page, part) + offsetof(struct points_##part, field))

SAME(LEVER_POINTS_ADDRESS, POINTS_ADDRESS);
SAME(LEVER_POINTS_ADDRESS_OTHER, POINTS_ADDRESS_OTHER);
SAME(LEVER_POINTS_MAGIC, POINTS_MAGIC);
SAME(LEVER_POINTS_VERSION, POINTS_VERSION);
SAME(LEVER_POINTS_MOST, POINTS_MOST);
SAME(LEVER_STRIPES, POINTS_STRIPES);
SAME(LEVER_SHARED_STRIPE, POINTS_SHARED_STRIPE);
SAME(LEVER_NAME_BYTES, POINTS_NAME_BYTES);
SAME((int)LEVER_POINT_PROGRESS, (int)POINTS_PROGRESS);
SAME((int)LEVER_POINT_BEGIN, (int)POINTS_BEGIN);
SAME((int)LEVER_POINT_END, (int)POINTS_END);

SAME(sizeof(struct lever_points), sizeof(struct points_page));
SAME(sizeof(struct lever_entry), sizeof(struct points_entry));
SAME(offsetof(struct lever_entry, hash), offsetof(struct points_entry, hash));
SAME(offsetof(struct lever_entry, kind), offsetof(struct points_entry, kind));
SAME(offsetof(struct lever_entry, name), offsetof(struct points_entry, name));

SAME_PLACE(head.magic, names, magic);
SAME_PLACE(head.version, names, version);
SAME_PLACE(head.listening, names, listening);
SAME_PLACE(head.generation, names, generation);
SAME_PLACE(head.count, names, count);
SAME_PLACE(head.stripes, names, stripes);
SAME_PLACE(head.shared, names, shared);
SAME_PLACE(head.dropped, names, dropped);
SAME_PLACE(reserved, names, reserved);
SAME_PLACE(entries, names, entries);
SAME_PLACE(counts, counts, counts);
SAME_PLACE(process, process, process);
SAME_PLACE(owner, process, owner);
SAME_PLACE(claim, process, claim);
SAME_PLACE(written, process, written);

TEST("both addresses are aligned to 64 KiB and lie apart")
{
	CHECK_EQUAL(POINTS_ADDRESS % 65536, 0);
	CHECK_EQUAL(POINTS_ADDRESS_OTHER % 65536, 0);
	CHECK(POINTS_ADDRESS + sizeof(struct points_page) <= POINTS_ADDRESS_OTHER);
}

TEST("what is wiped on fork begins and ends at a page of 4 KiB")
{
	CHECK_EQUAL(offsetof(struct points_page, counts) % 4096, 0);
	CHECK_EQUAL(sizeof(struct points_page) % 4096, 0);
}

TEST("a name's hash is FNV-1a over the kind and the name")
{
	/* Reference values: computed in Python by a function that gives the FNV authors' own
	 * values for "a" and "foobar". */
	CHECK(lever_name_hash("", POINTS_PROGRESS) == 0xaf63bc4c8601b62cULL);
	CHECK(lever_name_hash("requests", POINTS_PROGRESS) == 0x36b5a856d610c732ULL);
	CHECK(lever_name_hash("requests", POINTS_BEGIN) == 0x4a580a626e7a6b13ULL);
	CHECK(lever_name_hash("\xc3\xa9t\xc3\xa9", POINTS_END) == 0xf34da76587deb24aULL);
}
