/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapped_files - the binaries of the running program, as the kernel side announces them.
 *
 * It stands between symbols (objects numbered from 0) and the kernel side (from 1): a file that is
 * announced is opened, its unwind rows are told, and then its number.
 */
#pragma once

#include "collect/collector.h"
#include "symbolize/symbols.h"

/*
 * Where the kernel side is told: a collector's functions, or a recorder's. Both give 0 or -errno.
 */
struct mapped_files_sink {
	void *context;
	int (*name_object)(void *context, const struct wire_file *file, uint32_t object);
	int (*set_unwind)(void *context, uint32_t object, const struct wire_unwind_row *rows,
			  size_t count);
};

struct mapped_files;

struct mapped_files *mapped_files_new(struct symbols *symbols,
				      const struct mapped_files_sink *sink);
void mapped_files_free(struct mapped_files *mapped_files);

/*
 * Tells an object of symbols before it is announced: short processes may end before an announcement
 * can be looked up. Where the file system shows other numbers to us than the kernel uses
 * (overlays), nothing matches, and the announcement comes.
 */
void mapped_files_announce(struct mapped_files *mapped_files, uint32_t object);
/* True if a file was added or found. */
bool mapped_files_on_object(struct mapped_files *mapped_files,
			    const struct kernel_object_event *event);
/* The same of a file known by its path, for mappings of processes that may have gone. */
bool mapped_files_on_path(struct mapped_files *mapped_files, const struct wire_file *file,
			  const char *path);
/* The object and offset of an address that the kernel side could not name; false if it has gone. */
bool mapped_files_locate(struct mapped_files *mapped_files, uint32_t tgid, uint64_t address,
			 uint32_t *object, uint64_t *offset);
/* What could not be read: sentences, one a line; NULL if none. Borrowed. */
const char *mapped_files_warnings(const struct mapped_files *mapped_files);
