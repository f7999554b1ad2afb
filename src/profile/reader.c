/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader - reads a whole profile into memory.
 *
 * The file comes from outside: every value is checked against its column, and every id against the
 * rows that it refers to, so that users of the recording can rely on both.
 */
#include "profile/profile.h"
#include "profile/row_checks.h"
#include "profile/rows.h"
#include "profile/store.h"
#include "profile/table_pages.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)

static bool read_choice(sqlite3_stmt *statement, int position, const struct column *column,
			unsigned *value)
{
	const char *text = (const char *)sqlite3_column_text(statement, position);
	for (*value = 0; text && column->choice(*value); ++*value) {
		if (!strcmp(text, column->choice(*value)))
			return true;
	}
	return false;
}

static bool read_text(sqlite3_stmt *statement, int position, char **text)
{
	int type = sqlite3_column_type(statement, position);
	if (type != SQLITE_TEXT && type != SQLITE_NULL)
		return false;
	*text = text_copy((const char *)sqlite3_column_text(statement, position));
	return true;
}

static bool read_bytes(sqlite3_stmt *statement, int position, struct recording_bytes *bytes)
{
	if (sqlite3_column_type(statement, position) != SQLITE_BLOB)
		return false;
	const void *data = sqlite3_column_blob(statement, position);
	bytes->count = (size_t)sqlite3_column_bytes(statement, position);
	bytes->items = memory_new(bytes->count + 1, 1);
	if (data)
		memcpy(bytes->items, data, bytes->count);
	return true;
}

static bool read_real(sqlite3_stmt *statement, int position, double *value)
{
	int type = sqlite3_column_type(statement, position);
	*value = sqlite3_column_double(statement, position);
	return (type == SQLITE_FLOAT || type == SQLITE_INTEGER) && isfinite(*value) && *value >= 0;
}

/* Returns whether the column may have the value. */
static bool read_field(sqlite3_stmt *statement, int position, const struct column *column,
		       void *row)
{
	void *field = (char *)row + column->offset;
	if (column->type == COLUMN_CHOICE)
		return read_choice(statement, position, column, field);
	if (column->type == COLUMN_TEXT)
		return read_text(statement, position, field);
	if (column->type == COLUMN_BYTES)
		return read_bytes(statement, position, field);
	if (column->type == COLUMN_REAL)
		return read_real(statement, position, field);
	return sqlite3_column_type(statement, position) == SQLITE_INTEGER &&
	       rows_set_integer(column->type, sqlite3_column_int64(statement, position), field);
}

static int read_row(struct store *store, sqlite3_stmt *statement, const struct table *table,
		    void *row, struct error *error)
{
	for (size_t i = 0; i < table->count; i++) {
		if (read_field(statement, (int)i, &table->columns[i], row))
			continue;
		AUTO(text)
		char *symptom = text_format("the column %s of the table %s holds what it cannot",
					    table->columns[i].name, table->name);
		return store_damaged(store, symptom, error);
	}
	return 0;
}

static int prepare_select(struct store *store, const struct table *table, sqlite3_stmt **statement,
			  struct error *error)
{
	AUTO(text) char *columns = text_copy(table->columns[0].name);
	for (size_t i = 1; i < table->count; i++) {
		const struct column *column = &table->columns[i];
		bool is_lacking = column->since > store_version(store);
		char *longer =
			text_format("%s, %s", columns, is_lacking ? column->before : column->name);
		free(columns);
		columns = longer;
	}
	/* Each table's first column leads its key, so no sorting is needed. */
	AUTO(text)
	char *sql = text_format("SELECT %s FROM %s ORDER BY %s", columns, table->name,
				table->columns[0].name);
	return store_prepare(store, sql, statement, error);
}

/* The first page of the table if it was made by this version's SQL; 0: it was not. */
static uint32_t root_of(struct store *store, const struct table *table)
{
	AUTO(statement) sqlite3_stmt *statement = NULL;
	AUTO(text) char *sql = schema_create(table);
	struct error ignored = {0};

	if (store_prepare(store,
			  "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?1 "
			  "AND tbl_name = ?1 AND sql = ?2",
			  &statement, &ignored))
		return 0;
	sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 2, sql, -1, SQLITE_STATIC);
	return sqlite3_step(statement) == SQLITE_ROW ?
		       (uint32_t)sqlite3_column_int64(statement, 0) :
		       0;
}

static bool read_pages(struct store *store, size_t index, struct recording *recording)
{
	const struct table *table = &schema_tables[index];
	int fd = store_plain_file(store);
	uint32_t root = fd >= 0 && schema_has_id(table) ? root_of(store, table) : 0;

	return root && table_pages_read(fd, root, index, recording);
}

static int read_table(struct store *store, size_t index, struct recording *recording,
		      struct error *error)
{
	const struct table *table = &schema_tables[index];
	AUTO(statement) sqlite3_stmt *statement = NULL;
	if (table->since > store_version(store) || read_pages(store, index, recording))
		return 0;
	int code = store_check_pages(store, table->name, error);
	if (!code)
		code = prepare_select(store, table, &statement, error);
	int step = SQLITE_DONE;
	while (!code && (step = sqlite3_step(statement)) == SQLITE_ROW)
		code = read_row(store, statement, table, rows_add(recording, index), error);
	if (code)
		return code;
	return step == SQLITE_DONE ? 0 : store_explain(store, error);
}

/* A row of the tables visit, length and mark; each begins with these ids. */
union part {
	struct {
		int64_t experiment_id, point_id;
	} ids;
	struct schema_visit visit;
	struct recording_length length;
	struct recording_mark mark;
};
_Static_assert(offsetof(struct schema_visit, visit.point_id) == sizeof(int64_t) &&
		       offsetof(struct recording_length, point_id) == sizeof(int64_t) &&
		       offsetof(struct recording_mark, point_id) == sizeof(int64_t),
	       "a part begins with the ids of its experiment and point");

/* Parts and experiments come by ascending id: `at` goes on from the previous part. */
static int add_part(struct store *store, struct recording *recording, size_t index, size_t *at,
		    const union part *part, struct error *error)
{
	while (*at < recording->experiments.count &&
	       recording->experiments.items[*at].id < part->ids.experiment_id)
		(*at)++;
	if (*at == recording->experiments.count ||
	    recording->experiments.items[*at].id != part->ids.experiment_id ||
	    !recording_point(recording, part->ids.point_id)) {
		AUTO(text)
		char *symptom = text_format("a row of the table %s names no experiment or point",
					    schema_tables[index].name);
		return store_damaged(store, symptom, error);
	}
	struct recording_experiment *experiment = &recording->experiments.items[*at];
	if (index == TABLE_VISIT && !experiment->visits.capacity) {
		/* Mostly the only one. */
		experiment->visits.items = memory_new(1, sizeof(part->visit.visit));
		experiment->visits.capacity = 1;
	}
	if (index == TABLE_VISIT)
		*array_add(&experiment->visits) = part->visit.visit;
	else if (index == TABLE_MARK)
		*array_add(&experiment->marks) = part->mark;
	else
		*array_add(&experiment->lengths) = part->length;
	return 0;
}

static int read_parts(struct store *store, size_t index, struct recording *recording,
		      struct error *error)
{
	const struct table *table = &schema_tables[index];
	AUTO(statement) sqlite3_stmt *statement = NULL;
	size_t at = 0;
	int step = SQLITE_DONE;
	if (table->since > store_version(store))
		return 0;
	int code = store_check_pages(store, table->name, error);
	if (!code)
		code = prepare_select(store, table, &statement, error);
	while (!code && (step = sqlite3_step(statement)) == SQLITE_ROW) {
		union part part = {0};
		code = read_row(store, statement, table, &part, error);
		code = code ? code : add_part(store, recording, index, &at, &part, error);
	}
	if (code)
		return code;
	return step == SQLITE_DONE ? 0 : store_explain(store, error);
}

/*
 * Files before version 8 lack the index of a window in its series. Gaps between windows of a series
 * are shorter than this, gaps between series are 10 ms or more.
 */
#define SERIES_GAP_MAX_NS 9000000

static void number_windows(struct recording *recording)
{
	for (size_t i = 0; i < recording->experiments.count; i++) {
		struct recording_experiment *window = &recording->experiments.items[i];
		const struct recording_experiment *before = window - 1;
		if (window->series_index >= 0)
			continue;
		bool continues = i && before->series_index < INT_MAX &&
				 window->run_id == before->run_id &&
				 window->target_id == before->target_id &&
				 window->speedup == before->speedup &&
				 window->start_ns <
					 before->start_ns + before->duration_ns + SERIES_GAP_MAX_NS;
		window->series_index = continues ? before->series_index + 1 : 0;
	}
}

static int read_all(struct store *store, struct recording *recording, struct error *error)
{
	/* One transaction: a recorder may write meanwhile. */
	int code = store_execute(store, "BEGIN", error);
	for (size_t i = 0; i < TABLES && !code; i++)
		code = schema_tables[i].rows == SCHEMA_PARTS ?
			       read_parts(store, i, recording, error) :
			       read_table(store, i, recording, error);
	AUTO(text) char *symptom = code ? NULL : row_checks_symptom(recording);
	if (symptom)
		code = store_damaged(store, symptom, error);
	number_windows(recording);
	return code;
}

int profile_read(const char *path, struct recording **result, struct error *error)
{
	AUTO(store) struct store *store = NULL;
	int code = store_open_to_read(path, &store, error);
	if (code)
		return code;
	AUTO(recording) struct recording *recording = memory_new(1, sizeof(*recording));
	code = read_all(store, recording, error);
	if (code)
		return code;
	recording->owner_uid = store_owner(store);
	*result = take(&recording);
	return 0;
}
