/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * annotation_reader - makes the memory in which programs write their annotations
 * (wire/annotations.h), and reads it.
 *
 * Life: annotation_reader_open, annotation_reader_environment for the program that is started,
 * annotation_reader_drain every 10 ms or so, annotation_reader_close. Marks come ring by ring, in
 * the order of their thread. The program can write anything into the memory, so it is checked. One
 * thread uses it.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct annotation_reader;

struct annotation {
	uint64_t time_ns;
	uint64_t value;     /* a number; of a text, 1 + its index among the words, or 0 */
	unsigned word;      /* index of the name */
	unsigned char kind; /* enum annotation_kind */
	bool has_value, is_text;
};

/* A thread's finished marks, in order. */
struct annotation_batch {
	unsigned pid, tid;
	const struct annotation *items;
	size_t count;
	uint64_t dropped; /* marks dropped or overwritten since the last batch */
};

struct annotation_handler {
	void *context;
	void (*batch)(void *context, const struct annotation_batch *batch);
};

struct annotation_reader_counters {
	uint64_t dropped;
	uint64_t overwritten; /* of newer ones, before they were read */
	uint64_t without_ring, without_name;
	uint64_t unfinished; /* their thread ended while it wrote them */
	uint64_t malformed;
};

/*
 * `ring_records`: of each thread, a power of two. A mark that finds its ring full is dropped, or
 * with `overwrites` replaces the oldest.
 */
int annotation_reader_open(size_t ring_records, bool overwrites, struct annotation_reader **reader,
			   struct error *error);
void annotation_reader_close(struct annotation_reader *reader);

/* NAME=VALUE for the program; lives as long as the reader. */
const char *annotation_reader_environment(const struct annotation_reader *reader);
/* Where processes find the memory. */
const char *annotation_reader_path(const struct annotation_reader *reader);
/*
 * Takes over the names of a process that has written into the memory of an earlier trace:
 * ANNOTATIONS_NAMES of them. False if they contradict those of another process.
 */
struct annotations_name;
bool annotation_reader_merge_strings(struct annotation_reader *reader,
				     const struct annotations_name *words);
/* `is_last`: no thread writes any more, so unfinished marks stay unfinished. */
void annotation_reader_drain(struct annotation_reader *reader, bool is_last,
			     const struct annotation_handler *handler);
/* A copy of the name or text of this index; NULL if it is not there yet. */
char *annotation_reader_string_copy(const struct annotation_reader *reader, unsigned index);
void annotation_reader_counters(const struct annotation_reader *reader,
				struct annotation_reader_counters *counters);
