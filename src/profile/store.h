/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * store - the SQLite database of a profile: files, journals, versions, damage and errors.
 *
 * The rows of the tables are the concern of profile.c and reader.c.
 */
#pragma once

#include "base/cleanup.h"
#include "base/error.h"

#include <sqlite3.h>
#include <stdbool.h>

struct store;

/* Makes missing tables; sets WAL mode, in which a commit needs no fsync. */
int store_open_to_write(const char *path, bool fresh, struct store **result, struct error *error);
/*
 * Changes neither the file nor its directory, so both may be read-only. The file of a recorder that
 * was killed is recovered in a private copy. Pages are not checked.
 */
int store_open_to_read(const char *path, struct store **result, struct error *error);
/* Rolls back changes that were not committed. After writing, one file without journals is left. */
void store_close(struct store *store);
/* At the end removes the file, if store_open_to_write has made it. */
void store_remove_new(struct store *store);

sqlite3 *store_database(struct store *store);
uid_t store_owner(const struct store *store);
int64_t store_version(const struct store *store); /* of a file opened to read */
/* The descriptor of a file opened to read that holds everything, and stays as it is; or -1. */
int store_plain_file(const struct store *store);
/* That the pages of the table fit together; NULL: those of the whole file. */
int store_check_pages(struct store *store, const char *table, struct error *error);
int store_execute(struct store *store, const char *sql, struct error *error);
int store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
		  struct error *error);
/* Sets the error of the last call on the database, with a remedy; returns the code. */
int store_explain(struct store *store, struct error *error);
/* Sets the error that the file is damaged, with the symptom. */
int store_damaged(const struct store *store, const char *symptom, struct error *error);

CLEANUP_DEFINE(store, struct store *, store_close, NULL)
CLEANUP_DEFINE(statement, sqlite3_stmt *, sqlite3_finalize, NULL)
