/* SPDX-License-Identifier: BSD-2-Clause */
/* parallel - what lever scale writes is read back, and what hangs together badly is refused. */
#include "check.h"
#include "sample.h"

static int write_rows(struct profile *profile, unsigned cores, struct error *error)
{
	struct recording_run run = {.kind = RUN_SCALE, .command = (char *)"[]"};
	int code = profile_add_run(profile, &run, error);
	struct recording_parallel parallel = {.run_id = run.id,
					      .session_id = run.id,
					      .asked = (char *)"1,2",
					      .cores = 9,
					      .machine_cores = 10,
					      .hides_cores = true,
					      .threads = 11,
					      .processes = 12,
					      .most_threads = 13,
					      .switches = 14,
					      .wakes = 15,
					      .yields = 16,
					      .escapes = 17,
					      .overwritten = 18,
					      .stolen_ns = 19};
	struct recording_level level = {run.id, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
	code = code ? code : profile_set_parallel(profile, &parallel, error);
	parallel.cores = cores;
	code = code ? code : profile_set_parallel(profile, &parallel, error);
	code = code ? code : profile_set_level(profile, &level, error);
	return code ? code : profile_commit(profile, error);
}

static int write_file(const char *path, unsigned cores, struct error *error)
{
	struct profile *profile = NULL;
	int code = profile_create(path, false, &profile, error);
	code = code ? code : write_rows(profile, cores, error);
	profile_close(profile);
	return code;
}

TEST("every field is read back; what is said again replaces what was said")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_file(path, 2, &error), 0);
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	sample_remove(path);
	CHECK_EQUAL(recording->runs.items[0].kind, RUN_SCALE);
	CHECK_EQUAL(recording->parallels.count, 1);
	const struct recording_parallel *parallel = &recording->parallels.items[0];
	CHECK_EQUAL(parallel->session_id, parallel->run_id);
	CHECK_TEXT(parallel->asked, "1,2");
	CHECK_EQUAL(parallel->cores, 2);
	CHECK_EQUAL(parallel->machine_cores, 10);
	CHECK(parallel->hides_cores);
	CHECK_EQUAL(parallel->threads, 11);
	CHECK_EQUAL(parallel->processes, 12);
	CHECK_EQUAL(parallel->most_threads, 13);
	CHECK_EQUAL(parallel->switches, 14);
	CHECK_EQUAL(parallel->wakes, 15);
	CHECK_EQUAL(parallel->yields, 16);
	CHECK_EQUAL(parallel->escapes, 17);
	CHECK_EQUAL(parallel->overwritten, 18);
	CHECK_EQUAL(parallel->stolen_ns, 19);
	const struct recording_level *level = &recording->levels.items[0];
	CHECK_EQUAL(level->slice, 1);
	CHECK_EQUAL(level->threads, 2);
	CHECK_EQUAL(level->begin_ns, 3);
	CHECK_EQUAL(level->wall_ns, 4);
	CHECK_EQUAL(level->running_ns, 5);
	CHECK_EQUAL(level->displaced_ns, 6);
	CHECK_EQUAL(level->lock_ns, 7);
	CHECK_EQUAL(level->io_ns, 8);
	CHECK_EQUAL(level->timer_ns, 9);
	CHECK_EQUAL(level->condition_ns, 10);
	CHECK_EQUAL(level->other_ns, 11);
	recording_free(recording);
}

TEST("a run on no core is refused")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_file(path, 0, &error), 0);
	CHECK(profile_read(path, &recording, &error));
	CHECK(strstr(error.text, "no core"));
	sample_remove(path);
}
