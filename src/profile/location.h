/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * location - the file in which a profile lies: found, judged by its first bytes, locked.
 *
 * One recorder at a time works on a file: it holds flock(LOCK_EX) on it for its whole life. A
 * reader that gets LOCK_SH knows that nobody writes. SQLite's own locks (fcntl) lie beside these.
 * Knows nothing of SQLite but its file header and the names of its side files.
 */
#pragma once

#include "base/error.h"
#include "base/own.h"

#include <stdbool.h>

enum location_content {
	LOCATION_EMPTY,
	LOCATION_PROFILE,  /* SQLite, and ours; of any version */
	LOCATION_TORN,     /* begins like SQLite, but ends before its header does */
	LOCATION_DATABASE, /* SQLite, of another program */
	LOCATION_OTHER,
};

struct location {
	char *path;      /* as the user gave it, for messages */
	char *real_path; /* absolute, without links */
	int fd;          /* holds the lock. Closing it drops SQLite's locks: close it last */
	enum location_content content;
	bool is_new;  /* made by this call */
	bool is_live; /* a recorder is at work on it (known to readers only) */
};

/*
 * Opens the file to add to it, and locks it; makes it if missing (then it belongs to the user
 * behind sudo). `fresh` empties it, if it was a profile.
 */
int location_open_to_write(const char *path, bool fresh, struct location **result,
			   struct error *error);
int location_open_to_read(const char *path, struct location **result, struct error *error);
void location_close(struct location *location);
/* location_close, and removes a file that location_open_to_write made. */
void location_undo(struct location *location);

/* Has SQLite left a journal beside the file? Then the file is only readable together with it. */
bool location_has_journal(const struct location *location);
/* Copies file and journals into a new private directory; its path, or NULL with an error. */
char *location_copy(const struct location *location, struct error *error);
/* Removes such a directory. Frees nothing. */
void location_remove_copy(const char *directory);
/* "file:..." for sqlite3_open_v2, with "?query" where `query` is not NULL. Free it. */
char *location_uri(const char *real_path, const char *query);
#define LOCATION_COPY_NAME "profile" /* of the file in the directory of a copy */

OWN_DEFINE(location, struct location *, location_close, NULL)
