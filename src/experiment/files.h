/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files - the binaries of the running program, as the kernel side announces them.
 *
 * It stands between symbols (objects numbered from 0) and the kernel side (from 1): a file that is
 * announced is opened, its unwind rows are told, and then its number.
 */
#pragma once

#include "collect/collector.h"
#include "symbolize/symbols.h"

/* Where the kernel side is told: a collector's functions, or a recorder's. Both give 0 or -errno. */
struct files_sink {
	void *context;
	int (*name_object)(void *context, const struct kernel_file *file, uint32_t object);
	int (*set_unwind)(void *context, uint32_t object, const struct kernel_unwind_row *rows,
			  size_t count);
};

struct files;

struct files *files_new(struct symbols *symbols, const struct files_sink *sink);
void files_free(struct files *files);

/*
 * Tells an object of symbols before it is announced: short processes may end before an announcement
 * can be looked up. Where the file system shows other numbers to us than the kernel uses (overlays),
 * nothing matches, and the announcement comes.
 */
void files_tell(struct files *files, uint32_t object);
/* True if a file was added or found. */
bool files_on_object(struct files *files, const struct kernel_object_event *event);
/* The same of a file known by its path, for mappings of processes that may have gone. */
bool files_on_path(struct files *files, const struct kernel_file *file, const char *path);
/* The object and offset of an address that the kernel side could not name; false if it has gone. */
bool files_locate(struct files *files, uint32_t tgid, uint64_t address, uint32_t *object,
		  uint64_t *offset);
/* What could not be read: sentences, one a line; NULL if none. Borrowed. */
const char *files_warnings(const struct files *files);
