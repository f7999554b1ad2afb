/* SPDX-License-Identifier: BSD-2-Clause */
/* path - source paths as texts; the file system is not read. */
#pragma once

#include <stdbool.h>

/* `file`, below `directory` if it is relative, without "//", "/./" and "x/../". Caller frees. */
char *path_clean(const char *directory, const char *file);
const char *path_base(const char *path); /* what follows the last slash */
/* Is `tail` all of the path, or its last components? */
bool path_has_tail(const char *path, const char *tail);
/* Where the last `components` components of the path begin; the path if it has no more. */
const char *path_tail(const char *path, unsigned components);
