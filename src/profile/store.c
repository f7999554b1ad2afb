/* SPDX-License-Identifier: BSD-2-Clause */
/* store - opens, checks and closes the database, and explains its errors. */
#include "profile/store.h"

#include "base/memory.h"
#include "profile/profile_file.h"
#include "profile/schema.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define BUSY_PATIENCE_MS 5000

struct store {
	struct profile_file *file;
	char *copy; /* directory of a reader's private copy, or NULL */
	sqlite3 *database;
	bool is_writer, is_removed_if_new;
	int64_t version; /* user_version, as found */
};

sqlite3 *store_database(struct store *store)
{
	return store->database;
}

/* Root, if that is not known. */
uid_t store_owner(const struct store *store)
{
	struct stat status;

	return fstat(store->file->fd, &status) ? 0 : status.st_uid;
}

int store_plain_file(const struct store *store)
{
	return store->is_writer || store->file->is_live || store->copy ? -1 : store->file->fd;
}

int64_t store_version(const struct store *store)
{
	return store->version;
}

/* As the user gave it. */
static const char *store_path(const struct store *store)
{
	return store->file->path;
}

int store_damaged(const struct store *store, const char *symptom, struct error *error)
{
	return error_set(
		error, EBADMSG,
		"the profile %s is damaged (%s); get a good copy, or record again with: lever "
		"run --fresh -o %s -- PROGRAM",
		store_path(store), symptom, store_path(store));
}

static int explain_disk(struct store *store, int system_error, struct error *error)
{
	const char *path = store_path(store);
	if (system_error == ENOSPC || system_error == EDQUOT)
		return error_set(
			error, ENOSPC,
			"cannot write %s: the disk is full; what was committed is kept; free "
			"some space, or choose another place with -o",
			path);
	if (system_error == EFBIG)
		return error_set(
			error, EFBIG,
			"cannot write %s: the limit on file sizes (ulimit -f) is reached; what "
			"was committed is kept",
			path);
	return error_set(error, EIO, "the disk failed on %s: %s (%s)", path,
			 system_error ? strerror(system_error) : "unknown reason",
			 sqlite3_errmsg(store->database));
}

#define EMPTY_BYTES_MOST (128 << 10) /* of a profile without rows, and its journal */

/*
 * Is the file as large as RLIMIT_FSIZE allows? Asked because SQLite 3.40 drops errno when a COMMIT
 * cannot write. The file then ends at the limit, or is empty if the tables had no room.
 */
static bool is_at_size_limit(const struct store *store)
{
	struct rlimit limit;
	struct stat status;
	AUTO(text) char *journal = text_format("%s-wal", store_path(store));

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return false;
	if (limit.rlim_cur < EMPTY_BYTES_MOST)
		return true;
	return (!stat(journal, &status) && (rlim_t)status.st_size >= limit.rlim_cur) ||
	       (!stat(store_path(store), &status) && (rlim_t)status.st_size >= limit.rlim_cur);
}

int store_explain(struct store *store, struct error *error)
{
	sqlite3 *database = store->database;
	int system_error = sqlite3_system_errno(database);
	if (!system_error && is_at_size_limit(store))
		system_error = EFBIG;
	switch (sqlite3_errcode(database) & 0xff) {
	case SQLITE_FULL:
		return explain_disk(store, system_error == EFBIG ? EFBIG : ENOSPC, error);
	case SQLITE_IOERR:
		return explain_disk(store, system_error, error);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return error_set(
			error, EBUSY,
			"%s is in use by another program; wait until it ends, or choose another "
			"file with -o",
			store_path(store));
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
		return error_set(
			error, EACCES,
			"cannot open %s together with its journal in the same directory: %s; %s",
			store_path(store),
			system_error ? strerror(system_error) : "no right to write there",
			store->is_writer ? "choose another place with -o" :
					   "copy the file and its -wal elsewhere");
	case SQLITE_NOMEM:
		return error_set(error, ENOMEM, "out of memory for %s", store_path(store));
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR: /* the SQL is correct, so the tables are not a profile's */
	case SQLITE_FORMAT:
		return store_damaged(store, sqlite3_errmsg(database), error);
	default:
		return error_set(error, EIO, "SQLite failed on %s: %s", store_path(store),
				 sqlite3_errmsg(database));
	}
}

int store_execute(struct store *store, const char *sql, struct error *error)
{
	if (sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return store_explain(store, error);
}

int store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement,
		  struct error *error)
{
	if (sqlite3_prepare_v3(store->database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement,
			       NULL) == SQLITE_OK)
		return 0;
	return store_explain(store, error);
}

static int query_number(struct store *store, const char *sql, int64_t *number, struct error *error)
{
	AUTO(statement) sqlite3_stmt *statement = NULL;
	int code = store_prepare(store, sql, &statement, error);
	if (code)
		return code;
	if (sqlite3_step(statement) != SQLITE_ROW)
		return store_explain(store, error);
	*number = sqlite3_column_int64(statement, 0);
	return 0;
}

int store_check_pages(struct store *store, const char *table, struct error *error)
{
	AUTO(statement) sqlite3_stmt *statement = NULL;
	AUTO(text) char *sql = text_format("PRAGMA quick_check(%s)", table ? table : "1");
	int code = store_prepare(store, sql, &statement, error);
	if (code)
		return code;
	if (sqlite3_step(statement) != SQLITE_ROW)
		return store_explain(store, error);
	const char *verdict = (const char *)sqlite3_column_text(statement, 0);
	if (verdict && !strcmp(verdict, "ok"))
		return 0;
	return store_damaged(store, verdict ? verdict : "its pages do not fit together", error);
}

/* *is_empty: the recorder ended before it had made the tables. */
static int check_identity(struct store *store, bool *is_empty, struct error *error)
{
	int64_t application_id = 0, version = 0, tables = 0;
	int code = query_number(store, "PRAGMA application_id", &application_id, error);
	if (!code)
		code = query_number(store, "PRAGMA user_version", &version, error);
	if (!code)
		code = query_number(store, "SELECT count(*) FROM sqlite_master", &tables, error);
	if (code)
		return code;
	*is_empty = !application_id && !tables;
	if (*is_empty)
		return 0;
	if (application_id != SCHEMA_APPLICATION_ID || version < 1)
		return store_damaged(store, "its header is not that of a profile", error);
	if (version > SCHEMA_VERSION)
		return error_set(
			error, EPROTONOSUPPORT,
			"%s was made by a newer lever (profile version %lld; this lever knows up "
			"to %d); use that lever, or a newer one",
			store_path(store), (long long)version, SCHEMA_VERSION);
	store->version = version;
	return 0;
}

static int open_database(struct store *store, const char *real_path, const char *query, int flags,
			 struct error *error)
{
	AUTO(text) char *uri = profile_file_uri(real_path, query);
	/* A store is used by one thread. */
	int code = sqlite3_open_v2(uri, &store->database,
				   flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	if (!store->database)
		return error_set(error, ENOMEM, "out of memory for %s", store_path(store));
	if (code != SQLITE_OK)
		return store_explain(store, error);
	/* The file may come from anywhere: nothing in its schema may be executed. */
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_busy_timeout(store->database, BUSY_PATIENCE_MS);
	return store_execute(store, "PRAGMA cell_size_check=ON", error);
}

static int make_table(struct store *store, const struct table *table, struct error *error)
{
	AUTO(text) char *sql = schema_create(table);

	return store_execute(store, sql, error);
}

static int make_tables(struct store *store, struct error *error)
{
	AUTO(text)
	char *identity = text_format("PRAGMA application_id=%d; PRAGMA user_version=%d",
				     SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	int code = store_execute(store, "BEGIN IMMEDIATE", error);
	if (!code)
		code = store_execute(store, identity, error);
	for (size_t i = 0; i < TABLES && !code; i++)
		code = make_table(store, &schema_tables[i], error);
	return code ? code : store_execute(store, "COMMIT", error);
}

/* Adds the columns that the table lacks in a file of this version, or the table. */
static int upgrade_table(struct store *store, const struct table *table, struct error *error)
{
	if (table->since > store->version)
		return make_table(store, table, error);
	int code = 0;
	for (size_t i = 0; i < table->count && !code; i++) {
		if (table->columns[i].since <= store->version)
			continue;
		AUTO(text) char *sql = schema_add_column(table, &table->columns[i]);
		code = store_execute(store, sql, error);
	}
	return code;
}

/* Makes an older file one of this version, which an older lever refuses. */
static int upgrade_tables(struct store *store, struct error *error)
{
	AUTO(text) char *version = text_format("PRAGMA user_version=%d", SCHEMA_VERSION);
	int code = store_execute(store, "BEGIN IMMEDIATE", error);
	for (size_t i = 0; i < TABLES && !code; i++)
		code = upgrade_table(store, &schema_tables[i], error);
	if (!code)
		code = store_execute(store, version, error);
	return code ? code : store_execute(store, "COMMIT", error);
}

/* Tables are made before WAL mode is set: the file itself is a profile from the start. */
static int prepare_to_write(struct store *store, struct error *error)
{
	bool is_empty = false;
	int code = open_database(store, store->file->real_path, NULL, SQLITE_OPEN_READWRITE, error);
	if (!code)
		code = check_identity(store, &is_empty, error);
	if (!code && !is_empty)
		code = store_check_pages(store, NULL, error);
	if (!code && is_empty)
		code = make_tables(store, error);
	if (!code && !is_empty && store->version < SCHEMA_VERSION)
		code = upgrade_tables(store, error);
	if (!code)
		code = store_execute(
			store,
			"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;PRAGMA foreign_keys=ON",
			error);
	return code;
}

int store_open_to_write(const char *path, bool fresh, struct store **result, struct error *error)
{
	AUTO(store) struct store *store = memory_new(1, sizeof(*store));
	store->is_writer = true;
	int code = profile_file_open_to_write(path, fresh, &store->file, error);
	if (code)
		return code;
	code = prepare_to_write(store, error);
	if (!code) {
		*result = take(&store);
		return 0;
	}
	sqlite3_close(take(&store->database));
	profile_file_undo(take(&store->file));
	return code;
}

/*
 * While a recorder writes, SQLite reads beside it. Otherwise the lock keeps the file from changing:
 * it is read in place, or as a copy if it has a journal.
 */
static int open_as_found(struct store *store, struct error *error)
{
	const char *real_path = store->file->real_path;
	if (store->file->is_live)
		return open_database(store, real_path, "mode=ro", SQLITE_OPEN_READONLY, error);
	if (!profile_file_has_journal(store->file))
		return open_database(store, real_path, "immutable=1", SQLITE_OPEN_READONLY, error);
	store->copy = profile_file_copy(store->file, error);
	if (!store->copy)
		return error ? error->code : -EIO;
	AUTO(text) char *path = text_format("%s/" PROFILE_FILE_COPY_NAME, store->copy);
	int code = open_database(store, path, NULL, SQLITE_OPEN_READWRITE, error);
	/* The copy need not survive a power failure. */
	return code ? code : store_execute(store, "PRAGMA synchronous=OFF", error);
}

int store_open_to_read(const char *path, struct store **result, struct error *error)
{
	AUTO(store) struct store *store = memory_new(1, sizeof(*store));
	bool is_empty = false;
	int code = profile_file_open_to_read(path, &store->file, error);
	if (!code && store->file->content == PROFILE_FILE_TRUNCATED)
		return store_damaged(store, "it ends within its header", error);
	if (!code)
		code = open_as_found(store, error);
	if (!code)
		code = check_identity(store, &is_empty, error);
	if (!code && is_empty)
		code = error_set(
			error, ENODATA,
			"the profile %s is empty: the recording ended before the first commit; "
			"record again with: lever run -o %s -- PROGRAM",
			path, path);
	if (code)
		return code;
	*result = take(&store);
	return 0;
}

/* Leaves WAL mode, so that one file remains. A reader may hold it for some milliseconds. */
static void leave_wal(sqlite3 *database)
{
	sqlite3_busy_timeout(database, 0);
	for (unsigned i = 0; i < 40; i++) {
		int code =
			sqlite3_exec(database,
				     "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE",
				     NULL, NULL, NULL);
		if (code != SQLITE_BUSY && code != SQLITE_LOCKED)
			return;
		usleep(50000);
	}
}

void store_close(struct store *store)
{
	if (!store)
		return;
	if (store->database && store->is_writer) {
		if (!sqlite3_get_autocommit(store->database))
			sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
		leave_wal(store->database);
	}
	sqlite3_close(store->database);
	if (store->copy)
		profile_file_remove_copy(store->copy);
	free(store->copy);
	if (store->is_removed_if_new)
		profile_file_undo(store->file);
	else
		profile_file_close(store->file);
	free(store);
}

void store_remove_new(struct store *store)
{
	store->is_removed_if_new = true;
}
