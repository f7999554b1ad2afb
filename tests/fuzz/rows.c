/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rows - a profile of the right tables with rows of any content: read, analyzed, reported.
 *
 * A case is a list of rows: the table (1 byte), and for each column a byte that chooses the value,
 * with up to 8 bytes behind it. Most values are what the column's type allows.
 */
#include "fuzz.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "profile/schema.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_MOST 64

struct input {
	const uint8_t *bytes;
	size_t left;
};

static sqlite3 *database;
static char path[64];
static sqlite3_stmt *inserts[TABLES];

static void run(const char *statement)
{
	if (sqlite3_exec(database, statement, NULL, NULL, NULL) != SQLITE_OK)
		abort();
}

static void remove_file(void)
{
	unlink(path);
}

static void prepare_insert(size_t number)
{
	const struct table *table = &schema_tables[number];
	AUTO(text) char *create = schema_create(table);
	AUTO(text) char *marks = memory_new(2 * table->count + 1, 1);

	for (size_t i = 0; i < table->count; i++)
		strcat(marks, i ? ",?" : "?");
	AUTO(text)
	char *insert = text_format("insert or replace into \"%s\" values (%s)", table->name, marks);
	run(create);
	if (sqlite3_prepare_v2(database, insert, -1, &inserts[number], NULL) != SQLITE_OK)
		abort();
}

static void open_database(void)
{
	snprintf(path, sizeof(path), "/dev/shm/lever-fuzz-rows-%d", (int)getpid());
	unlink(path);
	atexit(remove_file);
	if (sqlite3_open(path, &database) != SQLITE_OK)
		abort();
	AUTO(text)
	char *header = text_format("pragma journal_mode = memory; pragma synchronous = off;"
				   "pragma application_id = %d; pragma user_version = %d;",
				   SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	run(header);
	for (size_t i = 0; i < TABLES; i++)
		prepare_insert(i);
}

static uint8_t byte(struct input *input)
{
	if (!input->left)
		return 0;
	input->left--;
	return *input->bytes++;
}

static int64_t number(struct input *input, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | byte(input);
	return (int64_t)value;
}

static void bind_text(sqlite3_stmt *insert, int at, struct input *input, unsigned length)
{
	size_t size = length < input->left ? length : input->left;

	sqlite3_bind_text(insert, at, (const char *)input->bytes, (int)size, SQLITE_TRANSIENT);
	input->bytes += size;
	input->left -= size;
}

static void bind_right(sqlite3_stmt *insert, int at, const struct column *column,
		       struct input *input)
{
	uint8_t chosen = byte(input);

	if (column->type == COLUMN_TEXT)
		bind_text(insert, at, input, chosen & 15);
	else if (column->type == COLUMN_BYTES)
		sqlite3_bind_blob(insert, at, input->bytes,
				  (int)(chosen < input->left ? chosen : input->left),
				  SQLITE_TRANSIENT);
	else if (column->type == COLUMN_CHOICE)
		sqlite3_bind_text(insert, at, column->choice(chosen & 7), -1, SQLITE_STATIC);
	else if (column->type == COLUMN_REAL)
		sqlite3_bind_double(insert, at, (double)number(input, chosen & 3) / 16);
	else if (column->type == COLUMN_ID || column->refers)
		sqlite3_bind_int64(insert, at, 1 + (chosen & 3));
	else if (column->type == COLUMN_FLAG)
		sqlite3_bind_int64(insert, at, chosen & 1);
	else
		sqlite3_bind_int64(insert, at, number(input, chosen % 6));
}

static void bind_any(sqlite3_stmt *insert, int at, unsigned kind, struct input *input)
{
	double real;
	int64_t bits = number(input, 8);

	memcpy(&real, &bits, sizeof(real));
	if (kind == 0)
		sqlite3_bind_int64(insert, at, bits);
	else if (kind == 1)
		sqlite3_bind_double(insert, at, real);
	else if (kind == 2)
		bind_text(insert, at, input, 255);
	else
		sqlite3_bind_null(insert, at);
}

static void insert_row(struct input *input)
{
	size_t chosen = byte(input) % TABLES;
	const struct table *table = &schema_tables[chosen];

	for (size_t i = 0; i < table->count; i++) {
		uint8_t kind = byte(input);
		if (kind < 252)
			bind_right(inserts[chosen], (int)i + 1, &table->columns[i], input);
		else
			bind_any(inserts[chosen], (int)i + 1, kind - 252, input);
	}
	sqlite3_step(inserts[chosen]); /* what a rule of the table refuses is not inserted */
	sqlite3_reset(inserts[chosen]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = {bytes, size};

	if (!database)
		open_database();
	run("begin");
	for (size_t i = 0; i < TABLES; i++) {
		AUTO(text) char *clear = text_format("delete from \"%s\"", schema_tables[i].name);
		run(clear);
	}
	for (unsigned i = 0; i < ROWS_MOST && input.left; i++)
		insert_row(&input);
	run("commit");
	fuzz_report(path);
	return 0;
}
