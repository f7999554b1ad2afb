/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * store - the SQLite database in a profile's file, and what its errors mean to a user.
 *
 * Knows files, journals, versions and damage; knows nothing of what the tables hold.
 */
#pragma once

#include "base/cleanup.h"
#include "base/error.h"

#include <sqlite3.h>
#include <stdbool.h>

struct store;

/* Makes the tables where there are none; in WAL mode, so that a commit costs no fsync. */
int store_open_to_write(const char *path, bool fresh, struct store **result, struct error *error);
/*
 * Leaves the file and its directory as they are, so that it works where neither can be written. A
 * recording that was cut short is put in order in a private copy.
 */
int store_open_to_read(const char *path, struct store **result, struct error *error);
/* Rolls back what was not committed. After writing, one file is left, without journals. */
void store_close(struct store *store);

sqlite3 *store_database(struct store *store);
int64_t store_version(const struct store *store);  /* of a file opened to read */
const char *store_path(const struct store *store); /* as the user gave it */
int store_execute(struct store *store, const char *sql, struct error *error);
int store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
		  struct error *error);
/* Says why the last call on the database failed, and what to do; returns the code. */
int store_explain(struct store *store, struct error *error);
/* Says that the file is damaged, and how it shows. */
int store_damaged(const struct store *store, const char *symptom, struct error *error);

CLEANUP_DEFINE(store, struct store *, store_close, NULL)
CLEANUP_DEFINE(statement, sqlite3_stmt *, sqlite3_finalize, NULL)
