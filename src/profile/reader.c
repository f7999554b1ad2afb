/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader - a whole profile, from file to memory.
 *
 * The file comes from outside: every value is checked against its column, and every id against
 * the rows it names, so that whoever gets the recording may rely on both.
 */
#include "profile/profile.h"
#include "profile/schema.h"
#include "profile/store.h"

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

/* Returns whether the value is one that the column may have. */
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

static void *add_run(struct recording *recording)
{
	return array_add(&recording->runs);
}

static void *add_target(struct recording *recording)
{
	return array_add(&recording->targets);
}

static void *add_point(struct recording *recording)
{
	return array_add(&recording->points);
}

static void *add_experiment(struct recording *recording)
{
	return array_add(&recording->experiments);
}

static void *add_sample(struct recording *recording)
{
	return array_add(&recording->samples);
}

static void *add_total(struct recording *recording)
{
	return array_add(&recording->totals);
}

static void *add_process_visits(struct recording *recording)
{
	return array_add(&recording->process_visits);
}

static void *add_frame(struct recording *recording)
{
	return array_add(&recording->frames);
}

static void *add_stack(struct recording *recording)
{
	return array_add(&recording->stacks);
}

static void *add_thread(struct recording *recording)
{
	return array_add(&recording->threads);
}

static void *add_stack_sample(struct recording *recording)
{
	return array_add(&recording->stack_samples);
}

static void *add_string(struct recording *recording)
{
	return array_add(&recording->strings);
}

static void *add_chunk(struct recording *recording)
{
	return array_add(&recording->chunks);
}

static void *add_parallel(struct recording *recording)
{
	return array_add(&recording->parallels);
}

static void *add_level(struct recording *recording)
{
	return array_add(&recording->levels);
}

static void *add_overhead(struct recording *recording)
{
	return array_add(&recording->overheads);
}

static void *add_run_conditions(struct recording *recording)
{
	return array_add(&recording->run_conditions);
}

static void *add_what_if(struct recording *recording)
{
	return array_add(&recording->what_ifs);
}

static void *add_steal(struct recording *recording)
{
	return array_add(&recording->steals);
}

static void *add_target_sample(struct recording *recording)
{
	return array_add(&recording->target_samples);
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
		bool is_lacking = column->before && store_version(store) < SCHEMA_VERSION_OF_KINDS;
		char *longer =
			text_format("%s, %s", columns, is_lacking ? column->before : column->name);
		free(columns);
		columns = longer;
	}
	/* Each table's first column leads its key: this is the order in which it lies. */
	AUTO(text)
	char *sql = text_format("SELECT %s FROM %s ORDER BY %s", columns, table->name,
				table->columns[0].name);
	return store_prepare(store, sql, statement, error);
}

static int read_table(struct store *store, const struct table *table,
		      void *(*add)(struct recording *), struct recording *recording,
		      struct error *error)
{
	AUTO(statement) sqlite3_stmt *statement = NULL;
	if (table->since > store_version(store))
		return 0;
	int code = prepare_select(store, table, &statement, error);
	int step = SQLITE_DONE;
	while (!code && (step = sqlite3_step(statement)) == SQLITE_ROW)
		code = read_row(store, statement, table, add(recording), error);
	if (code)
		return code;
	return step == SQLITE_DONE ? 0 : store_explain(store, error);
}

/* What belongs to experiments comes in the order of their ids, as these do. */
static struct recording_experiment *experiment_from(struct recording *recording, size_t *at,
						    int64_t id)
{
	while (*at < recording->experiments.count && recording->experiments.items[*at].id < id)
		(*at)++;
	if (*at == recording->experiments.count || recording->experiments.items[*at].id != id)
		return NULL;
	return &recording->experiments.items[*at];
}

static int read_visits(struct store *store, struct recording *recording, struct error *error)
{
	const struct table *table = &schema_tables[TABLE_VISIT];
	AUTO(statement) sqlite3_stmt *statement = NULL;
	int code = prepare_select(store, table, &statement, error);
	if (code)
		return code;
	int step;
	size_t at = 0;
	while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
		struct schema_visit row = {0};
		code = read_row(store, statement, table, &row, error);
		if (code)
			return code;
		struct recording_experiment *experiment =
			experiment_from(recording, &at, row.experiment_id);
		if (!experiment || !recording_point(recording, row.visit.point_id))
			return store_damaged(store, "a visit names no experiment or point", error);
		*array_add(&experiment->visits) = row.visit;
	}
	return step == SQLITE_DONE ? 0 : store_explain(store, error);
}

static int read_lengths(struct store *store, struct recording *recording, struct error *error)
{
	const struct table *table = &schema_tables[TABLE_LENGTH];
	AUTO(statement) sqlite3_stmt *statement = NULL;
	int code = table->since > store_version(store) ?
			   0 :
			   prepare_select(store, table, &statement, error);
	if (code || !statement)
		return code;
	int step;
	size_t at = 0;
	while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
		struct recording_length row = {0};
		code = read_row(store, statement, table, &row, error);
		if (code)
			return code;
		struct recording_experiment *experiment =
			experiment_from(recording, &at, row.experiment_id);
		if (!experiment || !recording_point(recording, row.point_id))
			return store_damaged(store, "lengths name no experiment or point", error);
		*array_add(&experiment->lengths) = row;
	}
	return step == SQLITE_DONE ? 0 : store_explain(store, error);
}

static int check_overheads(struct store *store, const struct recording *recording,
			   struct error *error)
{
	for (size_t i = 0; i < recording->overheads.count; i++)
		if (!recording_run(recording, recording->overheads.items[i].run_id))
			return store_damaged(store, "a cost names no run", error);
	return 0;
}

static int check_experiments(struct store *store, const struct recording *recording,
			     struct error *error)
{
	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *experiment = &recording->experiments.items[i];
		if (!recording_run(recording, experiment->run_id) ||
		    !recording_target(recording, experiment->target_id))
			return store_damaged(store, "an experiment names no run or target", error);
		if (experiment->speedup > 1)
			return store_damaged(store, "an experiment's speedup is above 1", error);
	}
	return 0;
}

static int check_sums(struct store *store, const struct recording *recording, struct error *error)
{
	for (size_t i = 0; i < recording->samples.count; i++) {
		const struct recording_sample *sample = &recording->samples.items[i];
		if (!recording_run(recording, sample->run_id) ||
		    !recording_target(recording, sample->target_id))
			return store_damaged(store, "samples name no run or target", error);
	}
	for (size_t i = 0; i < recording->totals.count; i++) {
		const struct recording_total *total = &recording->totals.items[i];
		if (!recording_run(recording, total->run_id) ||
		    !recording_point(recording, total->point_id))
			return store_damaged(store, "a total names no run or point", error);
	}
	for (size_t i = 0; i < recording->process_visits.count; i++) {
		const struct recording_process_visits *process_visits =
			&recording->process_visits.items[i];
		if (!recording_run(recording, process_visits->run_id) ||
		    !recording_point(recording, process_visits->point_id))
			return store_damaged(store, "a visitor names no run or point", error);
	}
	return 0;
}

static int check_stack_samples(struct store *store, const struct recording *recording,
			       struct error *error)
{
	for (size_t i = 0; i < recording->stacks.count; i++) {
		const struct recording_stack *stack = &recording->stacks.items[i];
		bool is_rooted =
			!stack->caller_id || recording_stack(recording, (int64_t)stack->caller_id);
		if (!is_rooted || stack->caller_id >= (uint64_t)stack->id ||
		    !recording_frame(recording, stack->frame_id))
			return store_damaged(store, "a call chain does not hang together", error);
	}
	for (size_t i = 0; i < recording->threads.count; i++)
		if (!recording_run(recording, recording->threads.items[i].run_id))
			return store_damaged(store, "a thread names no run", error);
	for (size_t i = 0; i < recording->stack_samples.count; i++) {
		const struct recording_stack_sample *stack_sample =
			&recording->stack_samples.items[i];
		if (!recording_run(recording, stack_sample->run_id) ||
		    !recording_thread(recording, stack_sample->thread_id) ||
		    (stack_sample->stack_id &&
		     !recording_stack(recording, (int64_t)stack_sample->stack_id)))
			return store_damaged(store, "a sample names no run, thread or call chain",
					     error);
	}
	return 0;
}

static int check_timeline(struct store *store, const struct recording *recording,
			  struct error *error)
{
	for (size_t i = 0; i < recording->strings.count; i++)
		if (!recording_run(recording, recording->strings.items[i].run_id))
			return store_damaged(store, "a word names no run", error);
	for (size_t i = 0; i < recording->chunks.count; i++)
		if (!recording_run(recording, recording->chunks.items[i].run_id))
			return store_damaged(store, "a chunk names no run", error);
	return 0;
}

static int check_parallel(struct store *store, const struct recording *recording,
			  struct error *error)
{
	for (size_t i = 0; i < recording->parallels.count; i++) {
		const struct recording_parallel *parallel = &recording->parallels.items[i];
		if (!recording_run(recording, parallel->run_id) || !parallel->cores)
			return store_damaged(store, "a count of threads names no run or no core",
					     error);
	}
	for (size_t i = 0; i < recording->levels.count; i++)
		if (!recording_run(recording, recording->levels.items[i].run_id))
			return store_damaged(store, "a level of parallelism names no run", error);
	for (size_t i = 0; i < recording->run_conditions.count; i++)
		if (!recording_run(recording, recording->run_conditions.items[i].run_id))
			return store_damaged(store, "a circumstance names no run", error);
	for (size_t i = 0; i < recording->what_ifs.count; i++)
		if (!recording_run(recording, recording->what_ifs.items[i].session_id))
			return store_damaged(store, "a question names no run", error);
	for (size_t i = 0; i < recording->target_samples.count; i++)
		if (!recording_run(recording, recording->target_samples.items[i].run_id))
			return store_damaged(store, "a hit names no run", error);
	for (size_t i = 0; i < recording->steals.count; i++)
		if (!recording_run(recording, recording->steals.items[i].run_id))
			return store_damaged(store, "a theft names no run", error);
	return 0;
}

static int read_all(struct store *store, struct recording *recording, struct error *error)
{
	static const struct {
		size_t table;
		void *(*add)(struct recording *);
	} plain[] = {
		{TABLE_RUN, add_run},
		{TABLE_TARGET, add_target},
		{TABLE_POINT, add_point},
		{TABLE_EXPERIMENT, add_experiment},
		{TABLE_SAMPLE, add_sample},
		{TABLE_TOTAL, add_total},
		{TABLE_FRAME, add_frame},
		{TABLE_STACK, add_stack},
		{TABLE_THREAD, add_thread},
		{TABLE_STACK_SAMPLE, add_stack_sample},
		{TABLE_STRING, add_string},
		{TABLE_CHUNK, add_chunk},
		{TABLE_PARALLEL, add_parallel},
		{TABLE_LEVEL, add_level},
		{TABLE_PROCESS_VISITS, add_process_visits},
		{TABLE_OVERHEAD, add_overhead},
		{TABLE_RUN_CONDITIONS, add_run_conditions},
		{TABLE_WHAT_IF, add_what_if},
		{TABLE_TARGET_SAMPLE, add_target_sample},
		{TABLE_STEAL, add_steal},
	};
	/* One transaction, so that a recorder at work beside does not change it midway. */
	int code = store_execute(store, "BEGIN", error);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]) && !code; i++)
		code = read_table(store, &schema_tables[plain[i].table], plain[i].add, recording,
				  error);
	if (!code)
		code = read_visits(store, recording, error);
	if (!code)
		code = read_lengths(store, recording, error);
	if (!code)
		code = check_experiments(store, recording, error);
	code = code ? code : check_overheads(store, recording, error);
	code = code ? code : check_sums(store, recording, error);
	code = code ? code : check_stack_samples(store, recording, error);
	code = code ? code : check_timeline(store, recording, error);
	return code ? code : check_parallel(store, recording, error);
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
	*result = take(&recording);
	return 0;
}
