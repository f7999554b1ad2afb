/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output_file - a file that a user names with -o, safe to write as root.
 *
 * The content goes to a new file in the same folder, which takes the place of an existing one at
 * the end: a reader sees the old file or the whole new one. The owner and the mode of a file that
 * existed stay. Under sudo all this is done with the rights of the user behind it; only where these
 * do not suffice as root, and then no symbolic link is followed. Devices and pipes are written
 * directly.
 *
 * Life: output_file_open, output_file_stream, then output_file_finish or output_file_discard.
 */
#pragma once

#include "base/caller.h"
#include "base/cleanup.h"
#include "base/error.h"

#include <fcntl.h>
#include <stdio.h>

struct output_file;

int output_file_open(const char *path, struct output_file **file, struct error *error);
FILE *output_file_stream(struct output_file *file);
/* Writes what is buffered, and gives the file its name. Frees `file` in any case. */
int output_file_finish(struct output_file *file, struct error *error);
/* Removes what was written. */
void output_file_discard(struct output_file *file);

CLEANUP_DEFINE(output_file, struct output_file *, output_file_discard, NULL)

/*
 * open() of a file to be written, without O_CREAT first and then with O_CREAT | O_EXCL: by the
 * rules above. A link is followed if it belongs to root, to this user or to the user behind sudo.
 * Returns -errno on failure; -ELOOP: refused for a link. `is_new` may not be NULL.
 */
int output_file_open_existing_or_new(const char *path, int flags, bool *is_new);
