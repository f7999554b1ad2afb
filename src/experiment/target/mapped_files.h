/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapped_files - the binaries of the running program, as the BPF programs announce them.
 *
 * It connects symbols (objects numbered from 0) with the BPF programs (from 1): a file that is
 * announced is opened, then its unwind rows are passed on, then its number.
 */
#pragma once

#include "collect/collector.h"
#include "symbolize/symbols.h"

/* Functions of a collector or a recorder that pass on. Both return 0 or -errno. */
struct mapped_files_sink {
	void *context;
	int (*name_object)(void *context, const struct wire_file *file, uint32_t object);
	/* Before name_object: which file it is. May be NULL. */
	void (*describe_object)(void *context, uint32_t object, const char *path,
				const char *build_id);
	int (*set_unwind)(void *context, uint32_t object, const struct wire_unwind_row *rows,
			  size_t count);
	/* NULL: frames of Python are not read. */
	int (*set_python)(void *context, uint32_t object, const struct wire_python *python);
	/* The reverse of name_object and set_unwind; NULL: files are kept to the end. */
	void (*unname_file)(void *context, const struct wire_file *file);
	void (*drop_unwind)(void *context, uint32_t object);
};

struct mapped_files;

struct mapped_files *mapped_files_new(struct symbols *symbols,
				      const struct mapped_files_sink *sink);
void mapped_files_free(struct mapped_files *mapped_files);

/*
 * Passes on an object of symbols before it is announced: short processes may end before their
 * announcement is handled. On file systems whose stat shows other inode numbers than the kernel
 * uses (overlays), this has no effect, and the announcement comes.
 */
void mapped_files_announce(struct mapped_files *mapped_files, uint32_t object);
/* True if a file was added or found. */
bool mapped_files_on_object(struct mapped_files *mapped_files,
			    const struct kernel_object_event *event);
/* The same for a file known by its path, for mappings of processes that may have gone. */
bool mapped_files_on_path(struct mapped_files *mapped_files, const struct wire_file *file,
			  const char *path);
/*
 * One that is mapped on another host. Its code is known here if the same file, by its build id, has
 * that path here; a warning names a program whose file is missing or another one.
 */
bool mapped_files_on_far(struct mapped_files *mapped_files, const struct collector_far_file *file);
/*
 * The object and offset of an address whose mapping was not announced; false if it has gone, or
 * while CPU time is short.
 */
bool mapped_files_locate(struct mapped_files *mapped_files, uint32_t tgid, uint64_t address,
			 uint32_t *object, uint64_t *offset);
/*
 * The same for an address of global data: the offset goes on beyond the file where data begins
 * without content (.bss).
 */
bool mapped_files_locate_data(struct mapped_files *mapped_files, uint32_t tgid, uint64_t address,
			      uint32_t *object, uint64_t *offset);
/* A sample has code of the object. */
void mapped_files_use(struct mapped_files *mapped_files, uint32_t object, uint64_t now_ns);
/*
 * While CPU time is short, unwind rows of new files are put off, so that call chains through them
 * follow frame pointers: until there is time, or the file has run for some seconds. Each second.
 */
void mapped_files_spare(struct mapped_files *mapped_files, bool is_sparing, uint64_t now_ns);
/* When it last had one; UINT64_MAX: it was not announced. */
uint64_t mapped_files_used_ns(const struct mapped_files *mapped_files, uint32_t object);
/*
 * Gives back what is held for files that are no longer sampled (file_lives.h): names of their code
 * that were not asked for before are not known any more. Now and then, such as once a second.
 */
void mapped_files_sweep(struct mapped_files *mapped_files, uint64_t now_ns);
/* Warnings about files that could not be read, one a line; NULL if none. Borrowed. */
const char *mapped_files_warnings(const struct mapped_files *mapped_files);
