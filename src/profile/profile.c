/* SPDX-License-Identifier: BSD-2-Clause */
/* profile - writes a recording's rows into the file, by the columns of schema.h. */
#include "profile/profile.h"

#include "profile/schema.h"
#include "profile/store.h"

#include <errno.h>
#include <string.h>

struct profile {
	struct store *store;
	sqlite3_stmt *insert[TABLES];
	sqlite3_stmt *update_run;
	sqlite3_stmt *find[TABLES]; /* targets and points: id of the row with the same texts */
};

CLEANUP_DEFINE(profile, struct profile *, profile_close, NULL)

/* A difference of what two cores read may be just below zero; a reader would refuse the file. */
static sqlite3_int64 not_negative(sqlite3_int64 value)
{
	return value < 0 ? 0 : value;
}

static void bind_field(sqlite3_stmt *statement, int position, const struct column *column,
		       const void *row)
{
	const void *field = (const char *)row + column->offset;
	const char *text = NULL;
	switch (column->type) {
	case COLUMN_ID:
	case COLUMN_SIGNED:
	case COLUMN_BITS:
		sqlite3_bind_int64(statement, position, *(const int64_t *)field);
		return;
	case COLUMN_COUNT:
		sqlite3_bind_int64(statement, position, not_negative(*(const int64_t *)field));
		return;
	case COLUMN_WORD:
		sqlite3_bind_int64(statement, position, *(const unsigned *)field);
		return;
	case COLUMN_STATUS:
		sqlite3_bind_int(statement, position, *(const int *)field);
		return;
	case COLUMN_FLAG:
		sqlite3_bind_int(statement, position, *(const bool *)field);
		return;
	case COLUMN_REAL:
		sqlite3_bind_double(statement, position, *(const double *)field);
		return;
	case COLUMN_CHOICE:
		text = column->choice(*(const unsigned *)field);
		break;
	case COLUMN_TEXT:
		text = *(char *const *)field;
		break;
	case COLUMN_BYTES:
		sqlite3_bind_blob64(statement, position,
				    ((const struct recording_bytes *)field)->items,
				    ((const struct recording_bytes *)field)->count, SQLITE_STATIC);
		return;
	}
	sqlite3_bind_text(statement, position, text, -1, SQLITE_STATIC);
}

/* "a<between>b<between>c", each column as `format` shows it, from column `first` on. */
static char *join_columns(const struct table *table, size_t first, const char *format,
			  const char *between)
{
	char *joined = text_copy("");
	for (size_t i = first; i < table->count; i++) {
		AUTO(text) char *before = joined;
		AUTO(text) char *one = text_format("%s%s", i > first ? between : "", format);
		const char *mark = strchr(one, '@');
		joined = text_format("%s%.*s%s%s", before, (int)(mark - one), one,
				     table->columns[i].name, mark + 1);
	}
	return joined;
}

/* A row's own id comes from SQLite: its first parameter stays NULL. */
static int prepare_insert(struct profile *profile, size_t index, struct error *error)
{
	const struct table *table = &schema_tables[index];
	AUTO(text) char *names = join_columns(table, 0, "@", ", ");
	AUTO(text) char *values = join_columns(table, 0, ":@", ", ");
	AUTO(text)
	char *sql = text_format("INSERT OR %s INTO %s(%s) VALUES(%s)",
				table->replaces ? "REPLACE" : "ABORT", table->name, names, values);
	return store_prepare(profile->store, sql, &profile->insert[index], error);
}

static int prepare_find(struct profile *profile, size_t index, struct error *error)
{
	const struct table *table = &schema_tables[index];
	AUTO(text) char *same = join_columns(table, 1, "@ IS ?", " AND ");
	AUTO(text) char *sql = text_format("SELECT id FROM %s WHERE %s", table->name, same);
	return store_prepare(profile->store, sql, &profile->find[index], error);
}

static int prepare_all(struct profile *profile, struct error *error)
{
	int code = 0;
	for (size_t i = 0; i < TABLES && !code; i++)
		code = prepare_insert(profile, i, error);
	if (!code)
		code = prepare_find(profile, TABLE_TARGET, error);
	if (!code)
		code = prepare_find(profile, TABLE_POINT, error);
	if (code)
		return code;
	AUTO(text) char *set = join_columns(&schema_tables[TABLE_RUN], 1, "@ = ?", ", ");
	AUTO(text) char *sql = text_format("UPDATE run SET %s WHERE id = ?", set);
	return store_prepare(profile->store, sql, &profile->update_run, error);
}

int profile_create(const char *path, bool fresh, struct profile **result, struct error *error)
{
	AUTO(profile) struct profile *profile = memory_new(1, sizeof(*profile));
	int code = store_open_to_write(path, fresh, &profile->store, error);
	if (!code)
		code = prepare_all(profile, error);
	if (code)
		return code;
	*result = take(&profile);
	return 0;
}

void profile_close(struct profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < TABLES; i++) {
		sqlite3_finalize(profile->insert[i]);
		sqlite3_finalize(profile->find[i]);
	}
	sqlite3_finalize(profile->update_run);
	if (profile->store)
		profile_commit(profile, NULL);
	store_close(profile->store);
	free(profile);
}

void profile_discard(struct profile *profile)
{
	if (!sqlite3_get_autocommit(store_database(profile->store)))
		store_execute(profile->store, "ROLLBACK", NULL);
	profile_close(profile);
}

void profile_undo(struct profile *profile)
{
	if (!profile)
		return;
	store_remove_new(profile->store);
	profile_discard(profile);
}

/* SQLite ends the transaction by itself after some failures, so SQLite is asked. */
static int begin(struct profile *profile, struct error *error)
{
	if (!sqlite3_get_autocommit(store_database(profile->store)))
		return 0;
	return store_execute(profile->store, "BEGIN IMMEDIATE", error);
}

int profile_commit(struct profile *profile, struct error *error)
{
	if (sqlite3_get_autocommit(store_database(profile->store)))
		return 0;
	return store_execute(profile->store, "COMMIT", error);
}

/* Runs a statement that returns no rows, and clears its bindings. */
static int run_statement(struct profile *profile, sqlite3_stmt *statement, struct error *error)
{
	int code =
		sqlite3_step(statement) == SQLITE_DONE ? 0 : store_explain(profile->store, error);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return code;
}

/* Columns before `first` are left NULL. */
static int insert(struct profile *profile, size_t index, size_t first, const void *row,
		  struct error *error)
{
	int code = begin(profile, error);
	if (code)
		return code;
	const struct table *table = &schema_tables[index];
	for (size_t i = first; i < table->count; i++)
		bind_field(profile->insert[index], (int)i + 1, &table->columns[i], row);
	return run_statement(profile, profile->insert[index], error);
}

static int insert_with_id(struct profile *profile, size_t index, const void *row, int64_t *id,
			  struct error *error)
{
	int code = insert(profile, index, 1, row, error);
	if (!code)
		*id = sqlite3_last_insert_rowid(store_database(profile->store));
	return code;
}

int profile_update_run(struct profile *profile, const struct recording_run *run,
		       struct error *error)
{
	int code = begin(profile, error);
	if (code)
		return code;
	const struct table *table = &schema_tables[TABLE_RUN];
	for (size_t i = 1; i < table->count; i++)
		bind_field(profile->update_run, (int)i, &table->columns[i], run);
	bind_field(profile->update_run, (int)table->count, &table->columns[0], run);
	return run_statement(profile, profile->update_run, error);
}

static bool refers_to_run(const struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->columns[i].name, "run_id"))
			return true;
	return false;
}

int profile_remove_run(struct profile *profile, int64_t run_id, struct error *error)
{
	int code = begin(profile, error);

	/* Rows refer to rows of tables before theirs. */
	for (size_t i = TABLES; i-- && !code;) {
		if (i != TABLE_RUN && !refers_to_run(&schema_tables[i]))
			continue;
		AUTO(text)
		char *sql = text_format("DELETE FROM %s WHERE %s = %lld", schema_tables[i].name,
					i == TABLE_RUN ? "id" : "run_id", (long long)run_id);
		code = store_execute(profile->store, sql, error);
	}
	return code ? code : profile_commit(profile, error);
}

/* Gives `id` the id of the row that equals this one, added if there is none. */
static int add_once(struct profile *profile, size_t index, const void *row, int64_t *id,
		    struct error *error)
{
	const struct table *table = &schema_tables[index];
	sqlite3_stmt *find = profile->find[index];
	for (size_t i = 1; i < table->count; i++)
		bind_field(find, (int)i, &table->columns[i], row);
	int step = sqlite3_step(find);
	int64_t found = step == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
	int code = step == SQLITE_ROW || step == SQLITE_DONE ? 0 :
							       store_explain(profile->store, error);
	sqlite3_reset(find);
	sqlite3_clear_bindings(find);
	if (code)
		return code;
	if (!found)
		return insert_with_id(profile, index, row, id, error);
	*id = found;
	return 0;
}

int profile_add_target(struct profile *profile, struct recording_target *target,
		       struct error *error)
{
	return add_once(profile, TABLE_TARGET, target, &target->id, error);
}

int profile_add_point(struct profile *profile, struct recording_point *point, struct error *error)
{
	return add_once(profile, TABLE_POINT, point, &point->id, error);
}

static int insert_visits(struct profile *profile, const struct recording_experiment *experiment,
			 struct error *error)
{
	int code = 0;
	for (size_t i = 0; i < experiment->visits.count && !code; i++) {
		struct schema_visit visit = {experiment->id, experiment->visits.items[i]};
		code = insert(profile, TABLE_VISIT, 0, &visit, error);
	}
	return code;
}

static int insert_lengths(struct profile *profile, const struct recording_experiment *experiment,
			  struct error *error)
{
	int code = 0;
	for (size_t i = 0; i < experiment->lengths.count && !code; i++) {
		struct recording_length length = experiment->lengths.items[i];
		length.experiment_id = experiment->id;
		code = insert(profile, TABLE_LENGTH, 0, &length, error);
	}
	return code;
}

static int insert_marks(struct profile *profile, const struct recording_experiment *experiment,
			struct error *error)
{
	int code = 0;
	for (size_t i = 0; i < experiment->marks.count && !code; i++) {
		struct recording_mark mark = experiment->marks.items[i];
		mark.experiment_id = experiment->id;
		code = insert(profile, TABLE_MARK, 0, &mark, error);
	}
	return code;
}

/* An experiment is in the file with all its visits or not at all. */
int profile_add_experiment(struct profile *profile, struct recording_experiment *experiment,
			   struct error *error)
{
	int code = begin(profile, error);
	if (!code)
		code = store_execute(profile->store, "SAVEPOINT experiment", error);
	if (code)
		return code;
	code = insert_with_id(profile, TABLE_EXPERIMENT, experiment, &experiment->id, error);
	if (!code)
		code = insert_visits(profile, experiment, error);
	if (!code)
		code = insert_lengths(profile, experiment, error);
	if (!code)
		code = insert_marks(profile, experiment, error);
	if (code)
		store_execute(profile->store, "ROLLBACK TO experiment", NULL);
	store_execute(profile->store, "RELEASE experiment", NULL);
	return code;
}

int profile_cut_short_before(struct profile *profile, int64_t run_id, uint64_t time_ns,
			     struct error *error)
{
	AUTO(statement) sqlite3_stmt *update = NULL;
	int code = begin(profile, error);

	code = code ? code :
		      store_prepare(profile->store,
				    "UPDATE experiment SET verdict = 'cut short' WHERE run_id = ?1 "
				    "AND start_ns < ?2 AND verdict = 'counted' AND target_id IN "
				    "(SELECT target_id FROM experiment WHERE run_id = ?1 AND "
				    "start_ns >= ?2 AND verdict = 'counted' GROUP BY target_id "
				    "HAVING sum(speedup > 0) >= ?3 AND sum(speedup <= 0) >= ?3)",
				    &update, error);
	if (code)
		return code;
	sqlite3_bind_int64(update, 1, run_id);
	sqlite3_bind_int64(update, 2, (sqlite3_int64)time_ns);
	sqlite3_bind_int(update, 3, PROFILE_WHOLE_LEAST);
	return sqlite3_step(update) == SQLITE_DONE ? 0 : store_explain(profile->store, error);
}

int profile_set_stack_sample(struct profile *profile, struct recording_stack_sample *stack_sample,
			     struct error *error)
{
	if (stack_sample->id)
		return insert(profile, TABLE_STACK_SAMPLE, 0, stack_sample, error);
	return insert_with_id(profile, TABLE_STACK_SAMPLE, stack_sample, &stack_sample->id, error);
}

int profile_set_wakeup(struct profile *profile, struct recording_wakeup *wakeup,
		       struct error *error)
{
	if (wakeup->id)
		return insert(profile, TABLE_WAKEUP, 0, wakeup, error);
	return insert_with_id(profile, TABLE_WAKEUP, wakeup, &wakeup->id, error);
}

/* Rows that get an id, and rows that have a key of their own. */
#define ADD_WITH_ID(noun, table)                                                      \
	int profile_add_##noun(struct profile *profile, struct recording_##noun *row, \
			       struct error *error)                                   \
	{                                                                             \
		return insert_with_id(profile, table, row, &row->id, error);          \
	}
#define INSERT(verb, noun, table)                                                                \
	int profile_##verb##_##noun(struct profile *profile, const struct recording_##noun *row, \
				    struct error *error)                                         \
	{                                                                                        \
		return insert(profile, table, 0, row, error);                                    \
	}

ADD_WITH_ID(run, TABLE_RUN)
ADD_WITH_ID(frame, TABLE_FRAME)
ADD_WITH_ID(stack, TABLE_STACK)
ADD_WITH_ID(thread, TABLE_THREAD)
ADD_WITH_ID(string, TABLE_STRING)
ADD_WITH_ID(chunk, TABLE_CHUNK)
INSERT(set, member, TABLE_MEMBER)
INSERT(set, set_search, TABLE_SET_SEARCH)
INSERT(set, set_measure, TABLE_SET_MEASURE)
INSERT(set, call_edge, TABLE_CALL_EDGE)
INSERT(set, sample, TABLE_SAMPLE)
INSERT(set, total, TABLE_TOTAL)
INSERT(set, process_visits, TABLE_PROCESS_VISITS)
INSERT(set, parallel, TABLE_PARALLEL)
INSERT(set, level, TABLE_LEVEL)
INSERT(set, overhead, TABLE_OVERHEAD)
INSERT(set, run_conditions, TABLE_RUN_CONDITIONS)
INSERT(set, what_if, TABLE_WHAT_IF)
INSERT(add, target_sample, TABLE_TARGET_SAMPLE)
INSERT(add, steal, TABLE_STEAL)
INSERT(set, clock, TABLE_CLOCK)
