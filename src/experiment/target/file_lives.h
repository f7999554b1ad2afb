/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file_lives - which of the announced files are given back: those that were removed and are no
 * longer sampled, and, where there are many files, those that were not sampled for longest.
 *
 * A file is first hidden: the BPF programs lose its number, and would announce it anew. Cores
 * remember mappings for up to 10 s, so samples may still come; then it is shown again. A file that
 * stays unused is dropped, with its number's unwind rows, until it is announced the next time.
 */
#pragma once

#include "collect/collector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_LIVES_MOST 256
#define FILE_LIVES_ROWS_MOST (WIRE_UNWIND_ROWS_MOST / 4 * 3)
#define FILE_LIVES_UNUSED_NS 20000000000ull
#define FILE_LIVES_HIDDEN_NS 15000000000ull

struct file_lives;

struct file_lives_actions {
	void *context;
	bool (*is_removed)(void *context, uint32_t object); /* from the file system */
	void (*hide)(void *context, const struct wire_file *file);
	void (*show)(void *context, const struct wire_file *file, uint32_t object);
	void (*drop)(void *context, uint32_t object);
};

struct file_lives *file_lives_new(void);
void file_lives_free(struct file_lives *lives);
/* The object begins to live, with its unwind rows; a second time if it was dropped. */
void file_lives_begin(struct file_lives *lives, uint32_t object, size_t rows, uint64_t now_ns);
void file_lives_set_rows(struct file_lives *lives, uint32_t object, size_t rows);
bool file_lives_has(const struct file_lives *lives, uint32_t object);
/* A file that the kernel knows by the object's number. */
void file_lives_name(struct file_lives *lives, uint32_t object, const struct wire_file *file);
void file_lives_use(struct file_lives *lives, uint32_t object, uint64_t now_ns);
/* The time of the last use, or of its begin; UINT64_MAX: it does not live. */
uint64_t file_lives_used_ns(const struct file_lives *lives, uint32_t object);
/* Now and then, such as once a second. */
void file_lives_sweep(struct file_lives *lives, uint64_t now_ns,
		      const struct file_lives_actions *actions);
