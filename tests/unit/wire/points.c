/* SPDX-License-Identifier: BSD-2-Clause */
/* points - compares the layouts in lever.h and in wire/points.h, at compile time. */
#include "wire/points.h"
#include "wire/annotations.h"

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
SAME(LEVER_LISTEN_COUNT, POINTS_LISTEN_COUNT);
SAME(LEVER_LISTEN_TRACE, POINTS_LISTEN_TRACE);
SAME_PLACE(trace, names, trace);
SAME_PLACE(stamp, names, stamp);
SAME_PLACE(opens, names, opens);
SAME_PLACE(trace_path, names, trace_path);
SAME_PLACE(serials, names, serials);
SAME_PLACE(lock_word, names, lock_word);
SAME(LEVER_PATH_BYTES, POINTS_PATH_BYTES);
SAME_PLACE(entries, names, entries);
SAME_PLACE(counts, counts, counts);
SAME_PLACE(process, process, process);
SAME_PLACE(owner, process, owner);
SAME_PLACE(claim, process, claim);
SAME_PLACE(written, process, written);

/* ---- wire/annotations.h ---- */

#define SAME_IN(ours, theirs, field) \
	SAME(offsetof(struct ours, field), offsetof(struct theirs, field))

SAME(sizeof(struct lever_opens), sizeof(struct points_opens));
SAME(LEVER_OPENS, POINTS_OPENS);
SAME(LEVER_OPEN_PROBES, POINTS_OPEN_PROBES);
SAME(LEVER_OPEN_DEPTH, POINTS_OPEN_DEPTH);
SAME(LEVER_SERIALS_DEPTH, POINTS_SERIALS_DEPTH);
SAME(LEVER_CROSSING, POINTS_CROSSING);
SAME_IN(lever_opens, points_opens, threads);
SAME_IN(lever_opens, points_opens, serials);
SAME_IN(lever_open, points_open, spans);
SAME_IN(lever_span_serials, points_span_serials, at);

SAME(LEVER_TRACE_MAGIC, ANNOTATIONS_MAGIC);
SAME(LEVER_TRACE_VERSION, ANNOTATIONS_VERSION);
SAME(LEVER_TRACE_NAMES, ANNOTATIONS_NAMES);
SAME(LEVER_TRACE_NAME_BYTES, ANNOTATIONS_NAME_BYTES);
SAME(LEVER_TRACE_HEAD_BYTES, ANNOTATIONS_HEAD_BYTES);
SAME((int)LEVER_POINT_PROGRESS, (int)ANNOTATION_PROGRESS);
SAME((int)LEVER_POINT_BEGIN, (int)ANNOTATION_BEGIN);
SAME((int)LEVER_POINT_END, (int)ANNOTATION_END);
SAME(LEVER_MARK_INSTANT, (unsigned)ANNOTATION_INSTANT);
SAME(LEVER_MARK_COUNTER, (unsigned)ANNOTATION_COUNTER);
SAME(LEVER_MARK_FLOW_OUT, (unsigned)ANNOTATION_FLOW_OUT);
SAME(LEVER_MARK_FLOW_IN, (unsigned)ANNOTATION_FLOW_IN);
SAME(LEVER_MARK_THREAD_NAME, (unsigned)ANNOTATION_THREAD_NAME);
SAME(LEVER_MARK_PROCESS_NAME, (unsigned)ANNOTATION_PROCESS_NAME);
SAME(LEVER_MARK_CONTINUED, (unsigned)ANNOTATION_CONTINUED);
SAME(LEVER_MARK_KINDS, ANNOTATION_KINDS);
SAME(LEVER_MARK_VALUE, ANNOTATION_VALUE);
SAME(LEVER_MARK_TEXT, ANNOTATION_TEXT);
SAME(LEVER_MARK_WIDE, ANNOTATION_WIDE);

SAME(sizeof(struct lever_trace), sizeof(struct annotations));
SAME(sizeof(struct lever_ring), sizeof(struct annotations_ring));
SAME(sizeof(struct lever_record), sizeof(struct annotations_record));
SAME_IN(lever_trace, annotations, names);
SAME_IN(lever_trace_head, annotations_head, rings);
SAME_IN(lever_trace_head, annotations_head, ring_bytes);
SAME_IN(lever_trace_head, annotations_head, bytes);
SAME_IN(lever_trace_head, annotations_head, without_ring);
SAME_IN(lever_trace_head, annotations_head, without_name);
SAME_IN(lever_name, annotations_name, is_written);
SAME_IN(lever_name, annotations_name, text);
SAME_IN(lever_ring, annotations_ring, stamp);
SAME_IN(lever_ring, annotations_ring, head);
SAME_IN(lever_ring, annotations_ring, dropped);
SAME_IN(lever_ring, annotations_ring, tail_seen);
SAME_IN(lever_ring, annotations_ring, mask);
SAME_IN(lever_ring, annotations_ring, room);
SAME_IN(lever_ring, annotations_ring, is_over);
SAME_IN(lever_ring, annotations_ring, clock);
SAME_IN(lever_ring, annotations_ring, is_left);
SAME_IN(lever_ring, annotations_ring, tail);

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
