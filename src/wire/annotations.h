/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotations - the memory into which a program that uses lever.h writes the marks of a trace.
 *
 * The engine creates one memory file: a head, names, and rings. A program that is started with
 * LEVER_LISTEN=2 maps it from the path LEVER_TRACE (below /proc/ENGINE/fd, so that nothing remains
 * when the engine is killed), and so do its children. A thread takes a free ring at its first mark;
 * the engine frees the ring when the thread has ended.
 *
 * A ring has one writer, a thread. It reserves records by raising `head` in one instruction and
 * then writes them: first the time, then the word. A signal handler may run in between, so a record
 * below head may be unfinished. Bit 0 of the word is that of the lap in which it was written, and
 * so tells whether it is finished; laps alternate, the first has 1. The engine reads finished
 * records in order and raises `tail`. A record that stays unfinished (its thread was killed) is
 * skipped after a while and counted. A mark that finds less than `room` is counted as `dropped`;
 * with ANNOTATIONS_ROOM_ANY it overwrites the oldest, and the reader counts by head those that it
 * missed. There the raised head is ordered before the record.
 *
 * Words: bit 0 the lap; bits 1 to 4 the kind, 5 to 7 the kind of the value; 16 to 31 the index of
 * the name; 32 to 63 the low half of the value. A wide value takes a second record, whose time is
 * the whole value and whose kind is ANNOTATION_CONTINUED.
 *
 * At its end the engine sets is_over in each ring, and room, tail and tail_seen to 0, so that a
 * thread that still writes takes the slow path and sees it. A process that ran before the engine
 * finds the path of the memory in its page of points (wire/points.h), written by the engine.
 *
 * Writers: the engine of the head, but for its two counts; the program of names and rings, but for
 * the fields of a ring that name the engine. Readers check everything. lever.h repeats this layout,
 * since it must stand alone; a test compares the two.
 */
#pragma once

#define ANNOTATIONS_MAGIC 0x5254564cU
#define ANNOTATIONS_VERSION 1
#define ANNOTATIONS_NAMES 4096 /* a power of two */
#define ANNOTATIONS_NAME_BYTES 112
#define ANNOTATIONS_HEAD_BYTES 4096
#define ANNOTATIONS_RINGS_MOST 512
#define ANNOTATIONS_MARGIN 64            /* records that a ring keeps free, for signal handlers */
#define ANNOTATIONS_ROOM_ANY 0xffffffffu /* room of a ring whose oldest marks are overwritten */

enum annotation_kind {
	ANNOTATION_PROGRESS = 1, /* as enum progress_points_kind */
	ANNOTATION_BEGIN = 2,
	ANNOTATION_END = 3,
	ANNOTATION_INSTANT = 4,
	ANNOTATION_COUNTER = 5, /* its value is signed */
	ANNOTATION_FLOW_OUT = 6,
	ANNOTATION_FLOW_IN = 7,
	ANNOTATION_THREAD_NAME = 8,
	ANNOTATION_PROCESS_NAME = 9,
	ANNOTATION_CONTINUED = 15,
};
#define ANNOTATION_KINDS 15u
#define ANNOTATION_VALUE 16u
#define ANNOTATION_TEXT 32u /* the value is 1 + the index of a name, or 0 */
#define ANNOTATION_WIDE 64u

struct annotations_name {
	unsigned long long hash; /* FNV-1a of a 0 byte and the text; 0: free */
	unsigned int is_written;
	unsigned int pad;
	char text[ANNOTATIONS_NAME_BYTES]; /* cut; ends with 0 */
};
_Static_assert(sizeof(struct annotations_name) == 128, "annotations_word layout");

struct annotations_head {
	unsigned int magic, version;
	unsigned int rings, ring_bytes; /* their number, and the distance of two */
	unsigned long long bytes;       /* all */
	unsigned long long without_ring,
		without_name; /* marks that were not written; by the program */
};

struct annotations_record {
	unsigned long long time, word;
};

struct annotations_ring {
	unsigned long long owner; /* process id << 32 | thread id; 0: free (by the engine) */
	unsigned long long stamp; /* of the program image */
	unsigned long long head, dropped, tail_seen;
	unsigned int mask, room, clock; /* by the engine; clock: 0 ticks, 1 nanoseconds */
	unsigned int is_left;       /* by the owner, whose new program image uses another ring */
	unsigned long long is_over; /* by the engine: it reads no more */
	unsigned long long tail, tail_pad[7]; /* by the engine */
	char pad_to_records[ANNOTATIONS_HEAD_BYTES - 128];
};
_Static_assert(sizeof(struct annotations_ring) == ANNOTATIONS_HEAD_BYTES, "ring layout");

struct annotations {
	struct annotations_head head;
	char pad[ANNOTATIONS_HEAD_BYTES - sizeof(struct annotations_head)];
	struct annotations_name names[ANNOTATIONS_NAMES];
	/* The rings follow: each is a struct annotations_ring and its records. */
};
