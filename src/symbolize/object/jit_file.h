/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jit_file - the files in which runtimes tell which code they made: perf maps and jitdumps.
 *
 * Anybody can put a file there. It is read only if it is a regular file and belongs to root, to
 * this user, to the one behind sudo, or to the process's user. Only names and lines are used.
 */
#pragma once

#include "symbolize/object/object.h"

/*
 * The file of a process: jit-PID.dump in /tmp, or in its current folder (of a process that has
 * ended: in ours), else /tmp/perf-PID.map. NULL: there is none. A file that is older than the
 * process is another one's: a sentence about it is added to *refused. The caller frees both.
 */
char *jit_file_path(unsigned pid, char **refused);
/* Opens it, if it is trusted; -1: it is not, or is not there. */
int jit_file_open(const char *path);
/* The perf map that stands beside a jitdump; NULL: there is none of this process. To be freed. */
char *jit_file_names_path(const char *path);
/*
 * Reads what has come to object->shown.path, and to the perf map beside a jitdump, into the symbol
 * table; returns whether something has. Where entries overlap, the later one holds. The path
 * SYMBOLS_JIT_UNTOLD stands for no file, but one function that all addresses belong to.
 */
bool jit_file_read(struct object *object, struct interner *texts);
