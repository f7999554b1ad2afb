/* SPDX-License-Identifier: BSD-2-Clause */
/* file - whole small files, and the owner of files that are made under sudo. */
#pragma once

#include "base/error.h"

#include <stddef.h>

/*
 * The whole file with a 0 byte appended; works in /proc and /sys, where sizes are unknown.
 * `size_bytes` may be NULL. Returns NULL with an error on failure. The caller frees the result.
 */
char *file_read(const char *path, size_t *size_bytes, struct error *error);

/*
 * Under sudo, makes the user who called sudo the owner of a file that this process has made. Where
 * the file system
 * refuses, the file stays root's, which is not an error.
 */
void file_give_to_caller(int fd);
