/* SPDX-License-Identifier: BSD-2-Clause */
/* overhead - the overhead of recordings, also in the file of an older lever. */
#include "check.h"
#include "sample_recording.h"

static int write_run(const char *path, uint64_t engine_ns, struct error *error)
{
	struct profile *profile = NULL;
	struct recording_run run = {.kind = RUN_SAMPLES, .command = (char *)"[]", .wall_ns = 1000};
	int code = profile_create(path, false, &profile, error);

	code = code ? code : profile_add_run(profile, &run, error);
	struct recording_overhead overhead = {run.id, engine_ns, true, 7};
	code = code ? code : profile_set_overhead(profile, &overhead, error);
	overhead.kernel_ns = 8;
	code = code ? code : profile_set_overhead(profile, &overhead, error);
	profile_close(profile);
	return code;
}

TEST("a run's overhead is read as it was last written")
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

TEST("a file of version 4 is read without overheads, and gets them with the next run")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_run(path, 5, &error), 0);
	CHECK(sample_make_older(path, 4));
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

TEST("an overhead without a run is refused")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_run(path, 5, &error), 0);
	CHECK(sample_execute(path, "UPDATE cost SET run_id = 77"));
	CHECK(profile_read(path, &recording, &error));
	CHECK(strstr(error.text, "cost"));
	sample_remove(path);
}
