/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * address_spaces - which file is mapped where in which process, by /proc and by perf's records.
 *
 * The caller gives files their object numbers and unwind rows. Process ids are those of perf's
 * records.
 */
#pragma once

#include "collect/perf/rings.h"
#include "wire/kernel.h"

struct address_spaces;

struct perf_file {
	struct wire_file file;
	char *path;
	uint32_t object;   /* WIRE_OBJECT_UNKNOWN: not named yet */
	bool is_announced; /* the handler was asked for a name */
};

struct perf_location {
	struct perf_file *file; /* NULL: code without a file */
	uint64_t offset;        /* in the file; without one, the address */
	uint64_t start, end;    /* of the mapping */
};

struct address_spaces *address_spaces_new(void);
void address_spaces_free(struct address_spaces *spaces);

void address_spaces_read(struct address_spaces *spaces, pid_t process); /* what it has mapped now */
void address_spaces_map(struct address_spaces *spaces, const struct perf_record *record);
void address_spaces_fork(struct address_spaces *spaces, uint32_t parent, uint32_t child);
void address_spaces_remove(struct address_spaces *spaces, uint32_t process);

/* False where no mapping is known. The file is borrowed until the next mapping is added. */
bool address_spaces_find(const struct address_spaces *spaces, uint32_t process, uint64_t address,
			 struct perf_location *place);

void address_spaces_name(struct address_spaces *spaces, const struct wire_file *file,
			 uint32_t object);
void address_spaces_set_rows(struct address_spaces *spaces, uint32_t object,
			     const struct wire_unwind_row *rows, size_t count);
const struct wire_unwind_row *address_spaces_rows(const struct address_spaces *spaces,
						  uint32_t object, size_t *count);
