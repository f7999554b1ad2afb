/* SPDX-License-Identifier: BSD-2-Clause */
/* schema - the tables, their columns, and the page that describes them, agree. */
#include "check.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "profile/recording.h"
#include "profile/schema.h"

#include <sqlite3.h>

static const char *const pages[] = {"format", "causal", "samples", "scale"};

/*
 * All pages of docs/ that describe the file, one behind the other. NULL where the source is not
 * there.
 */
static char *read_pages(struct error *error)
{
	const char *source = getenv("LEVER_SOURCE");
	char *all = source ? text_format("%s", "") : NULL;

	for (size_t i = 0; source && i < sizeof(pages) / sizeof(*pages); i++) {
		AUTO(text) char *path = text_format("%s/docs/profile-%s.md", source, pages[i]);
		AUTO(text) char *page = file_read(path, NULL, error);
		AUTO(text) char *before = all;
		all = text_format("%s%s", before, page ? page : "");
	}
	return all;
}

TEST("the pages docs/profile-*.md show each table as it is")
{
	struct error error = {0};
	AUTO(text) char *page = read_pages(&error);
	if (!page)
		SKIP("LEVER_SOURCE is not set");
	for (size_t i = 0; i < TABLES; i++) {
		AUTO(text) char *create = schema_create(&schema_tables[i]);
		AUTO(text) char *sql = text_format("%s;\n", create);
		if (!strstr(page, sql))
			printf("# not in the pages: %s\n", sql);
		CHECK(strstr(page, sql));
	}
	AUTO(text) char *version = text_format("user_version | %d", SCHEMA_VERSION);
	CHECK(strstr(page, version));
}

TEST("each table has the columns of its struct, in their order")
{
	for (size_t i = 0; i < TABLES; i++) {
		const struct table *table = &schema_tables[i];
		sqlite3 *database;
		sqlite3_stmt *statement;
		AUTO(text) char *create = schema_create(table);
		AUTO(text) char *sql = text_format("SELECT * FROM %s", table->name);
		CHECK_EQUAL(sqlite3_open(":memory:", &database), SQLITE_OK);
		CHECK_EQUAL(sqlite3_exec(database, create, NULL, NULL, NULL), SQLITE_OK);
		CHECK_EQUAL(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
		CHECK_EQUAL(sqlite3_column_count(statement), table->count);
		for (size_t j = 0; j < table->count; j++)
			CHECK_TEXT(sqlite3_column_name(statement, (int)j), table->columns[j].name);
		sqlite3_finalize(statement);
		sqlite3_close(database);
	}
}

TEST("every kind and verdict has a name, and no other number has")
{
	CHECK_TEXT(target_kind_name(TARGET_LINE), "line");
	CHECK_TEXT(target_kind_name(TARGET_FUNCTION), "function");
	CHECK_TEXT(target_kind_name(TARGET_PROCESS + 1), NULL);
	CHECK_TEXT(point_kind_name(POINT_END_TO_END), "end-to-end");
	CHECK_TEXT(point_kind_name(POINT_END_TO_END + 1), NULL);
	CHECK_TEXT(verdict_name(VERDICT_CUT_SHORT), "cut short");
	CHECK_TEXT(verdict_name(VERDICT_CUT_SHORT + 1), NULL);
}

TEST("rows are found by id also where ids have gaps")
{
	struct recording *recording = memory_new(1, sizeof(*recording));
	array_add(&recording->runs)->id = 3;
	array_add(&recording->runs)->id = 7;
	CHECK(recording_run(recording, 7) == &recording->runs.items[1]);
	CHECK(recording_run(recording, 3) == &recording->runs.items[0]);
	CHECK(!recording_run(recording, 1));
	CHECK(!recording_run(recording, 0));
	CHECK(!recording_run(recording, -1));
	recording_free(recording);
}
