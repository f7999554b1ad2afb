/* SPDX-License-Identifier: BSD-2-Clause */
/* cost - what recordings took is kept, also in a file that an older lever made. */
#include "check.h"
#include "sample_recording.h"

#include <sqlite3.h>

static int write_run(const char *path, uint64_t engine_ns, struct error *error)
{
	struct profile *profile = NULL;
	struct recording_run run = {.kind = RUN_SAMPLES, .command = (char *)"[]", .wall_ns = 1000};
	int code = profile_create(path, false, &profile, error);

	code = code ? code : profile_add_run(profile, &run, error);
	struct recording_overhead cost = {run.id, engine_ns, true, 7};
	code = code ? code : profile_set_overhead(profile, &cost, error);
	cost.kernel_ns = 8;
	code = code ? code : profile_set_overhead(profile, &cost, error);
	profile_close(profile);
	return code;
}

static bool execute(const char *path, const char *sql)
{
	sqlite3 *database;
	bool done = sqlite3_open(path, &database) == SQLITE_OK &&
		    sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
	sqlite3_close(database);
	return done;
}

TEST("a run's cost is read as it was last written")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_run(path, 5, &error), 0);
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	sample_remove(path);
	CHECK_EQUAL(recording->overheads.count, 1);
	CHECK_EQUAL(recording->overheads.items[0].run_id, recording->runs.items[0].id);
	CHECK_EQUAL(recording->overheads.items[0].engine_ns, 5);
	CHECK_EQUAL(recording->overheads.items[0].kernel_ns, 8);
	CHECK(recording->overheads.items[0].knows_kernel);
	recording_free(recording);
}

TEST("a file of version 4 is read without costs, and gets them with the next run")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_run(path, 5, &error), 0);
	CHECK(execute(
		path,
		"DROP TABLE cost; DROP TABLE visitor; DROP TABLE circumstance;"
		"DROP TABLE question; DROP TABLE hit; DROP TABLE theft; DROP TABLE length; PRAGMA user_version=4"));
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	CHECK_EQUAL(recording->runs.count, 1);
	CHECK_EQUAL(recording->overheads.count, 0);
	recording_free(recording);
	CHECK_EQUAL(write_run(path, 6, &error), 0);
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	sample_remove(path);
	CHECK_EQUAL(recording->runs.count, 2);
	CHECK_EQUAL(recording->overheads.count, 1);
	CHECK_EQUAL(recording->overheads.items[0].engine_ns, 6);
	recording_free(recording);
}

TEST("a cost of no run is refused")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_run(path, 5, &error), 0);
	CHECK(execute(path, "UPDATE cost SET run_id = 77"));
	CHECK(profile_read(path, &recording, &error));
	CHECK(strstr(error.text, "cost"));
	sample_remove(path);
}
