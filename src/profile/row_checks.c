/* SPDX-License-Identifier: BSD-2-Clause */
/* row_checks - checks rows by pieces, on all cores. */
#include "profile/row_checks.h"

#include "base/workers.h"
#include "profile/rows.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#define ROWS_OF_PIECE 32768

struct check {
	const struct recording *recording;
	size_t count; /* of rows */
	bool (*is_fine)(const struct check *check, size_t row);
	size_t table, other; /* `other` is the table referred to */
	const struct column *column;
	size_t dense; /* ids of that table are the numbers up to this; 0: some are left out */
	atomic_bool has_failed;
};

static void check_piece(void *argument, size_t piece)
{
	struct check *check = argument;
	size_t row = piece * ROWS_OF_PIECE, end = row + ROWS_OF_PIECE;

	for (end = end < check->count ? end : check->count; row < end; row++)
		if (!check->is_fine(check, row))
			check->has_failed = true;
}

static bool is_fine(struct check *check)
{
	workers_run((check->count + ROWS_OF_PIECE - 1) / ROWS_OF_PIECE, check_piece, check);
	return !check->has_failed;
}

/* Ids ascend from 1 on: none is left out if the last one is the number of rows. */
static size_t dense_ids(const struct recording *recording, size_t table)
{
	size_t count = rows_of(recording, table)->count;
	int64_t last;

	if (!count)
		return 0;
	memcpy(&last, rows_at(recording, table, count - 1), sizeof(last));
	return last == (int64_t)count ? count : 0;
}

static bool has_row(const struct check *check, int64_t id)
{
	if (check->dense)
		return id > 0 && id <= (int64_t)check->dense;
	return rows_find(check->recording, check->other, id);
}

/* ---- references ---- */

static bool is_reference_fine(const struct check *check, size_t row)
{
	const char *bytes = rows_at(check->recording, check->table, row);
	int64_t id;

	memcpy(&id, bytes + check->column->offset, sizeof(id));
	return has_row(check, id);
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

static char *wrong_reference(const struct recording *recording, size_t index)
{
	const struct table *table = &schema_tables[index];
	const struct rows *rows = rows_of(recording, index);

	for (size_t i = 0; rows && i < table->count; i++) {
		const struct column *column = &table->columns[i];
		if (!column->refers)
			continue;
		struct check check = {.recording = recording,
				      .count = rows->count,
				      .is_fine = is_reference_fine,
				      .table = index,
				      .other = table_by_name(column->refers),
				      .column = column};
		check.dense = dense_ids(recording, check.other);
		if (!is_fine(&check))
			return text_format("a row of the table %s names no %s", table->name,
					   column->refers);
	}
	return NULL;
}

/* ---- values ---- */

static bool is_speedup_fine(const struct check *check, size_t row)
{
	return check->recording->experiments.items[row].speedup <= 1;
}

/* 0: there is none. */
static bool has_stack(const struct check *check, uint64_t id)
{
	return !id || has_row(check, (int64_t)id);
}

static bool is_stack_fine(const struct check *check, size_t row)
{
	const struct recording_stack *stack = &check->recording->stacks.items[row];

	return stack->caller_id < (uint64_t)stack->id && has_stack(check, stack->caller_id);
}

static bool is_stack_sample_fine(const struct check *check, size_t row)
{
	return has_stack(check, check->recording->stack_samples.items[row].stack_id);
}

static bool is_wakeup_fine(const struct check *check, size_t row)
{
	return has_stack(check, check->recording->wakeups.items[row].stack_id);
}

static bool is_parallel_fine(const struct check *check, size_t row)
{
	return check->recording->parallels.items[row].cores > 0;
}

static const char *wrong_value(const struct recording *recording)
{
	struct {
		size_t count;
		bool (*is_fine)(const struct check *check, size_t row);
		const char *symptom;
	} values[] = {
		{recording->experiments.count, is_speedup_fine,
		 "an experiment's speedup is above 1"},
		{recording->stacks.count, is_stack_fine, "a call chain has no outermost frame"},
		{recording->stack_samples.count, is_stack_sample_fine,
		 "a sample names no call chain"},
		{recording->wakeups.count, is_wakeup_fine, "a wake-up names no call chain"},
		{recording->parallels.count, is_parallel_fine, "a run was on no core"},
	};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct check check = {.recording = recording,
				      .count = values[i].count,
				      .is_fine = values[i].is_fine,
				      .other = TABLE_STACK,
				      .dense = dense_ids(recording, TABLE_STACK)};
		if (!is_fine(&check))
			return values[i].symptom;
	}
	return NULL;
}

char *row_checks_symptom(const struct recording *recording)
{
	char *symptom = NULL;

	for (size_t i = 0; i < TABLES && !symptom; i++)
		symptom = wrong_reference(recording, i);
	return symptom ? symptom : text_copy(wrong_value(recording));
}
