/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file - the file in which a profile lies: found, judged by its first bytes, locked.
 *
 * One recorder at a time works on a file: it holds flock(LOCK_EX) on it for its whole life. A
 * reader that gets LOCK_SH knows that nobody writes. SQLite's own locks (fcntl) lie beside these.
 * Knows nothing of SQLite but its file header and the names of its side files.
 */
#pragma once

#include "base/cleanup.h"
#include "base/error.h"

#include <stdbool.h>

enum profile_file_content {
	PROFILE_FILE_EMPTY,
	PROFILE_FILE_PROFILE,  /* SQLite, and ours; of any version */
	PROFILE_FILE_TORN,     /* begins like SQLite, but ends before its header does */
	PROFILE_FILE_DATABASE, /* SQLite, of another program */
	PROFILE_FILE_OTHER,
};

struct profile_file {
	char *path;      /* as the user gave it, for messages */
	char *real_path; /* absolute, without links */
	int fd;          /* holds the lock. Closing it drops SQLite's locks: close it last */
	enum profile_file_content content;
	bool is_new;  /* made by this call */
	bool is_live; /* a recorder is at work on it (known to readers only) */
};

/*
 * Opens the file to add to it, and locks it; makes it if missing (then it belongs to the user
 * behind sudo). `fresh` empties it, if it was a profile.
 */
int profile_file_open_to_write(const char *path, bool fresh, struct profile_file **result,
			       struct error *error);
int profile_file_open_to_read(const char *path, struct profile_file **result, struct error *error);
void profile_file_close(struct profile_file *file);
/* profile_file_close, and removes a file that profile_file_open_to_write made. */
void profile_file_undo(struct profile_file *file);

/* Has SQLite left a journal beside the file? Then the file is only readable together with it. */
bool profile_file_has_journal(const struct profile_file *file);
/* Copies file and journals into a new private directory; its path, or NULL with an error. */
char *profile_file_copy(const struct profile_file *file, struct error *error);
/* Removes such a directory. Frees nothing. */
void profile_file_remove_copy(const char *directory);
/* "file:..." for sqlite3_open_v2, with "?query" where `query` is not NULL. Free it. */
char *profile_file_uri(const char *real_path, const char *query);
#define PROFILE_FILE_COPY_NAME "profile" /* of the file in the directory of a copy */

CLEANUP_DEFINE(profile_file, struct profile_file *, profile_file_close, NULL)
