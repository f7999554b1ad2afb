/* SPDX-License-Identifier: BSD-2-Clause */
/* source_file - reads source files, whose names come from what nobody need trust. */
#pragma once

#include "base/caller.h"

#include <sys/stat.h>

/*
 * The text of a regular file of at most 16 MB, with a final 0; NULL if it cannot be read. To be
 * freed. Root reads with the rights of `user`. Where that is root itself, no link is followed: its
 * maker may be another user.
 */
char *source_file_read(const char *path, const struct caller *user, struct stat *status);
