/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * points - the memory in which a program that uses lever.h counts its progress.
 *
 * Every process with lever.h maps it at one of two fixed addresses (sanitizers occupy one or the
 * other), so that the kernel side finds it in any process, also in one that lives for a
 * millisecond. A child inherits the names over fork; the counts and the process part begin at 0
 * there (MADV_WIPEONFORK), so nothing is counted twice.
 *
 * A stripe of counts belongs to the thread whose id is in owner[]: only it adds, without a locked
 * instruction. The last stripe is shared by all threads without a stripe and by programs built with
 * coz.h: there, additions are atomic. Readers add up the stripes. They need the names and the
 * counts only.
 *
 * Names are registered without a lock. Entries from `count` on are not valid; the process part
 * tells which thread writes which entry, so that a fork in the middle leaves no half-written entry.
 *
 * While the engine listens to spans, the stacks of open spans are in memory of their own (struct
 * points_opens): the spans that each thread has begun and not ended, innermost last, by thread id.
 *
 * Writers: the program; of `listening` and `trace_path` also the engine. Readers check everything.
 * lever.h repeats this layout, since it must stand alone; a test compares the two.
 */
#pragma once

#define POINTS_ADDRESS 0x4c45560000ULL         /* fits TSan's and MSan's application memory */
#define POINTS_ADDRESS_OTHER 0x3e4c45560000ULL /* fits ASan's */
#define POINTS_MAGIC 0x5245564cU               /* "LVER" */
#define POINTS_VERSION 1
#define POINTS_MOST 64
#define POINTS_STRIPES 16
#define POINTS_SHARED_STRIPE 15
#define POINTS_NAME_BYTES 47

#define POINTS_LISTEN_COUNT 1
#define POINTS_LISTEN_TRACE 2
#define POINTS_LISTEN_SPANS 4

#define POINTS_PATH_BYTES 40

enum progress_points_kind { POINTS_PROGRESS = 1, POINTS_BEGIN = 2, POINTS_END = 3 };

/* Of a name that is too long, leading directories are cut, or else its end. */
struct points_entry {
	unsigned long long hash; /* FNV-1a, 64 bits, of the kind byte and the whole name; never 0 */
	unsigned char kind;
	char name[POINTS_NAME_BYTES]; /* ends with 0 */
};
_Static_assert(sizeof(struct points_entry) == 56, "points_entry layout");

struct points_names {
	unsigned int magic, version;
	unsigned int
		listening; /* POINTS_LISTEN_*; by the constructor (LEVER_LISTEN) or the engine */
	unsigned int generation;  /* the last one of this process and its ancestors, see process */
	unsigned int count;       /* entries in use; grows only, stored after the entry (release) */
	unsigned int stripes;     /* stripes ever used, without the shared one */
	unsigned int shared;      /* 1: the shared stripe is in use */
	unsigned int dropped;     /* points in the code that found no free entry */
	unsigned long long trace; /* where the memory of wire/annotations.h is mapped, or 0 */
	unsigned long long
		stamp; /* of this program image: rings from before an exec have another */
	unsigned long long opens;           /* where the struct points_opens is, or 0 */
	char trace_path[POINTS_PATH_BYTES]; /* of that memory; by the constructor or the engine */
	struct points_entry entries[POINTS_MOST];
	unsigned long long serials; /* address of the struct points_span_serials, or 0 */
	/*
	 * Distance from the thread pointer to a word of each thread, or 0. In the word is the
	 * address of a lock's name while the thread waits for that lock, else 0.
	 */
	unsigned long long lock_word;
	char pad[8192 - 32 - 80 - 56 * POINTS_MOST];
};
_Static_assert(sizeof(struct points_names) == 8192, "points_names layout");

struct points_counts {
	unsigned long long counts[POINTS_STRIPES][POINTS_MOST];
};
_Static_assert(sizeof(struct points_counts) == 8192, "points_counts layout");

/*
 * process: generation << 32 | process id; 0 from a fork to the child's first visit.
 * owner:   times taken << 32 | thread id; 0 if never taken.
 * claim:   the hash for which the entry is being written, or was.
 * written: 1 if the entry is complete; count passes it when all before it are.
 */
struct points_process {
	unsigned long long process;
	unsigned long long owner[POINTS_STRIPES];
	unsigned long long claim[POINTS_MOST];
	unsigned char written[POINTS_MOST];
	char pad[4096 - 8 - 8 * POINTS_STRIPES - 9 * POINTS_MOST];
};
_Static_assert(sizeof(struct points_process) == 4096, "points_process layout");

/*
 * A hash table by thread id modulo POINTS_OPENS, with POINTS_OPEN_PROBES probes. Spans are the
 * indices of the entries of their begins; beyond POINTS_OPEN_DEPTH only the depth is known.
 */
#define POINTS_OPENS 1024
#define POINTS_OPEN_PROBES 16
#define POINTS_OPEN_DEPTH 56
struct points_open {
	unsigned int tid, depth;
	unsigned char spans[POINTS_OPEN_DEPTH];
};
_Static_assert(sizeof(struct points_open) == 64, "points_open layout");

/*
 * Serial numbers tell an open span from an earlier one at the same depth: at[] is the number of
 * spans that the thread had begun, of the outermost POINTS_SERIALS_DEPTH. If a library with an
 * older lever.h has created the memory, points_names.serials is 0.
 */
#define POINTS_SERIALS_DEPTH 15
struct points_span_serials {
	unsigned int begun;
	unsigned int at[POINTS_SERIALS_DEPTH];
};
_Static_assert(sizeof(struct points_span_serials) == 64, "points_course layout");

/* So many ends in a row without a begin: the span ends in another thread. */
#define POINTS_CROSSING 8
struct points_opens {
	unsigned char
		crossing[POINTS_MOST]; /* ends without a begin; POINTS_CROSSING: not on a stack */
	struct points_open threads[POINTS_OPENS];
	struct points_span_serials serials[POINTS_OPENS]; /* of the thread with the same index */
};

struct points_page {
	struct points_names names;
	struct points_counts counts;
	struct points_process process;
};
_Static_assert(sizeof(struct points_page) == 20480, "points_page layout");
