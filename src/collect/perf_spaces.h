/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_spaces - which file is mapped where in which process, from /proc and from perf's records.
 *
 * Files are numbered in the order in which they turn up; the engine gives them object numbers and
 * unwind rows (wire/kernel.h). Process ids are those of perf_rings.
 */
#pragma once

#include "collect/perf_rings.h"
#include "wire/kernel.h"

struct perf_spaces;

struct perf_file {
	struct kernel_file file;
	char *path;
	uint32_t object; /* KERNEL_OBJECT_UNKNOWN: nobody has named it yet */
	bool is_asked;   /* somebody was asked to */
};

struct perf_place {
	struct perf_file *file; /* NULL: code without a file */
	uint64_t offset;        /* in the file; without one, the address */
	uint64_t start, end;    /* of the mapping */
};

struct perf_spaces *perf_spaces_new(void);
void perf_spaces_free(struct perf_spaces *spaces);

void perf_spaces_read(struct perf_spaces *spaces, pid_t process); /* what it has mapped now */
void perf_spaces_map(struct perf_spaces *spaces, const struct perf_record *record);
void perf_spaces_fork(struct perf_spaces *spaces, uint32_t parent, uint32_t child);
void perf_spaces_forget(struct perf_spaces *spaces, uint32_t process);

/* False if nothing is known to be there. The file is borrowed until the next mapping is added. */
bool perf_spaces_find(const struct perf_spaces *spaces, uint32_t process, uint64_t address,
		      struct perf_place *place);

void perf_spaces_name(struct perf_spaces *spaces, const struct kernel_file *file, uint32_t object);
void perf_spaces_set_rows(struct perf_spaces *spaces, uint32_t object,
			  const struct kernel_unwind_row *rows, size_t count);
const struct kernel_unwind_row *perf_spaces_rows(const struct perf_spaces *spaces, uint32_t object,
						 size_t *count);
