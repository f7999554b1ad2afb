/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader - reads a whole profile into memory.
 *
 * The file comes from outside: every value is checked against its column, and every id against the
 * rows that it refers to, so that users of the recording can rely on both.
 */
#include "profile/profile.h"
#include "profile/rows.h"
#include "profile/store.h"

#include <assert.h>
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

static bool read_integer(int64_t value, enum column_type type, void *field)
{
	switch (type) {
	case COLUMN_ID:
		*(int64_t *)field = value;
		return value > 0;
	case COLUMN_COUNT:
		*(uint64_t *)field = (uint64_t)value;
		return value >= 0;
	case COLUMN_BITS:
		*(uint64_t *)field = (uint64_t)value;
		return true;
	case COLUMN_SECONDS:
		*(int64_t *)field = value;
		return true;
	case COLUMN_WORD:
		*(unsigned *)field = (unsigned)value;
		return value >= 0 && value <= UINT_MAX;
	case COLUMN_STATUS:
		*(int *)field = (int)value;
		return value >= INT_MIN && value <= INT_MAX;
	case COLUMN_FLAG:
		*(bool *)field = value == 1;
		return value == 0 || value == 1;
	default:
		return false;
	}
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
	       read_integer(sqlite3_column_int64(statement, position), column->type, field);
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

static int read_table(struct store *store, size_t index, struct recording *recording,
		      struct error *error)
{
	const struct table *table = &schema_tables[index];
	AUTO(statement) sqlite3_stmt *statement = NULL;
	if (table->since > store_version(store))
		return 0;
	int code = prepare_select(store, table, &statement, error);
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
	int code = table->since > store_version(store) ?
			   0 :
			   prepare_select(store, table, &statement, error);
	while (statement && !code && (step = sqlite3_step(statement)) == SQLITE_ROW) {
		union part part = {0};
		code = read_row(store, statement, table, &part, error);
		code = code ? code : add_part(store, recording, index, &at, &part, error);
	}
	if (code)
		return code;
	return step == SQLITE_DONE ? 0 : store_explain(store, error);
}

/* The table that a column refers to. */
static size_t table_by_name(const char *name)
{
	size_t index = 0;

	while (index < TABLES && strcmp(schema_tables[index].name, name))
		index++;
	assert(index < TABLES);
	return index;
}

/* Checks that the rows referred to exist. */
static int check_column(struct store *store, const struct recording *recording, size_t index,
			const struct column *column, struct error *error)
{
	size_t other = table_by_name(column->refers);
	size_t count = rows_of(recording, index)->count;

	for (size_t i = 0; i < count; i++) {
		const char *row = rows_at(recording, index, i);
		int64_t id;
		memcpy(&id, row + column->offset, sizeof(id));
		if (rows_find(recording, other, id))
			continue;
		AUTO(text)
		char *symptom = text_format("a row of the table %s names no %s",
					    schema_tables[index].name, column->refers);
		return store_damaged(store, symptom, error);
	}
	return 0;
}

static int check_references(struct store *store, const struct recording *recording, size_t index,
			    struct error *error)
{
	const struct table *table = &schema_tables[index];
	int code = 0;

	for (size_t i = 0; i < table->count && !code; i++)
		if (table->columns[i].refers)
			code = check_column(store, recording, index, &table->columns[i], error);
	return code;
}

static int check_values(struct store *store, const struct recording *recording, struct error *error)
{
	for (size_t i = 0; i < recording->experiments.count; i++)
		if (recording->experiments.items[i].speedup > 1)
			return store_damaged(store, "an experiment's speedup is above 1", error);
	for (size_t i = 0; i < recording->stacks.count; i++) {
		const struct recording_stack *stack = &recording->stacks.items[i];
		bool is_rooted =
			!stack->caller_id || recording_stack(recording, (int64_t)stack->caller_id);
		if (!is_rooted || stack->caller_id >= (uint64_t)stack->id)
			return store_damaged(store, "a call chain has no outermost frame", error);
	}
	for (size_t i = 0; i < recording->stack_samples.count; i++) {
		uint64_t stack_id = recording->stack_samples.items[i].stack_id;
		if (stack_id && !recording_stack(recording, (int64_t)stack_id))
			return store_damaged(store, "a sample names no call chain", error);
	}
	for (size_t i = 0; i < recording->wakeups.count; i++) {
		uint64_t stack_id = recording->wakeups.items[i].stack_id;
		if (stack_id && !recording_stack(recording, (int64_t)stack_id))
			return store_damaged(store, "a wake-up names no call chain", error);
	}
	for (size_t i = 0; i < recording->parallels.count; i++)
		if (!recording->parallels.items[i].cores)
			return store_damaged(store, "a run was on no core", error);
	return 0;
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
	for (size_t i = 0; i < TABLES && !code; i++)
		if (rows_of(recording, i))
			code = check_references(store, recording, i, error);
	if (!code)
		code = check_values(store, recording, error);
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
