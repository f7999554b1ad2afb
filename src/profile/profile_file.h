/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile_file - the file of a profile: opened, identified by its first bytes, locked.
 *
 * A recorder holds flock(LOCK_EX) on the file as long as it runs, so there is one at a time. A
 * reader with LOCK_SH has no writer beside it. SQLite's own locks (fcntl) are independent. Of
 * SQLite this file knows the header and the names of the side files only.
 */
#pragma once

#include "base/cleanup.h"
#include "base/error.h"

#include <stdbool.h>

enum profile_file_content {
	PROFILE_FILE_EMPTY,
	PROFILE_FILE_PROFILE,   /* a profile of any version */
	PROFILE_FILE_TRUNCATED, /* begins like SQLite, but ends within the header */
	PROFILE_FILE_DATABASE,  /* a database of another program */
	PROFILE_FILE_OTHER,
};

struct profile_file {
	char *path;      /* as the user gave it, for messages */
	char *real_path; /* absolute, links resolved */
	int fd;          /* holds the lock; to be closed last, since closing drops SQLite's locks */
	enum profile_file_content content;
	bool is_new;  /* made by this call */
	bool is_live; /* a recorder is writing it (set for readers only) */
};

/*
 * Opens and locks the file to add to it; makes it if it is missing (for the user who called sudo).
 * `fresh` empties a profile.
 */
int profile_file_open_to_write(const char *path, bool fresh, struct profile_file **result,
			       struct error *error);
int profile_file_open_to_read(const char *path, struct profile_file **result, struct error *error);
void profile_file_close(struct profile_file *file);
/* profile_file_close, and removes a file that profile_file_open_to_write made. */
void profile_file_undo(struct profile_file *file);

/* Is there a journal of SQLite beside the file? Then the file is incomplete without it. */
bool profile_file_has_journal(const struct profile_file *file);
/* Copies file and journals into a new private directory; its path, or NULL with an error. */
char *profile_file_copy(const struct profile_file *file, struct error *error);
/* Removes such a directory. Frees nothing. */
void profile_file_remove_copy(const char *directory);
/* "file:..." for sqlite3_open_v2, with "?query" where `query` is not NULL. Free it. */
char *profile_file_uri(const char *real_path, const char *query);
#define PROFILE_FILE_COPY_NAME "profile" /* of the file in such a directory */

CLEANUP_DEFINE(profile_file, struct profile_file *, profile_file_close, NULL)
