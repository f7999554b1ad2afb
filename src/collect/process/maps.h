/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * maps - what is mapped in a process: /proc/PID/maps, line by line.
 */
#pragma once

#include "base/cleanup.h"
#include "wire/kernel.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct maps;

struct maps_line {
	uint64_t start, end, offset;
	struct wire_file file; /* inode 0: no file */
	bool is_code, is_writable;
	const char
		*path; /* or a name like [vdso]; "" if there is none; valid until the next line */
};

/* NULL if the process is gone or not readable. */
struct maps *maps_open(pid_t pid);
void maps_close(struct maps *maps);
/* The next line that can be read; false behind the last, and for NULL. */
bool maps_next(struct maps *maps, struct maps_line *line);
/* Whether the process, or that of the thread, runs the file that it has as `path`. */
bool maps_is_program(pid_t pid, const char *path);

CLEANUP_DEFINE(maps, struct maps *, maps_close, NULL)
