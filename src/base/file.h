/* SPDX-License-Identifier: BSD-2-Clause */
/* file - whole small files, and files that belong to the user behind sudo. */
#pragma once

#include "base/error.h"

#include <stddef.h>

/*
 * The whole file, which may be one of /proc or /sys whose size is unknown, with a 0 after it.
 * `size_bytes` may be NULL. NULL with an error if it cannot be read. Free it.
 */
char *file_read(const char *path, size_t *size_bytes, struct error *error);

/*
 * If this process is root by sudo, gives the open file to the user who called sudo. Does nothing
 * otherwise, or where the file system refuses: the file is then root's, which is no failure.
 */
void file_give_to_caller(int fd);
