/* SPDX-License-Identifier: BSD-2-Clause */
/* parallel - rows of lever scale are read back, and invalid ones refused. */
#include "check.h"
#include "sample_recording.h"

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
	struct recording_run_conditions conditions = {.run_id = run.id,
						      .is_recorded = true,
						      .is_cut = true,
						      .inspections = 20,
						      .spinning = 21,
						      .alone_speed = 2.5,
						      .together_speed = 1.5};
	struct recording_what_if what_if = {.session_id = run.id,
					    .kind = TARGET_FUNCTION,
					    .name = (char *)"work",
					    .object = (char *)"/bin/x",
					    .line = 22,
					    .speedup = 0.25,
					    .gain_ppm = 120000,
					    .low_ppm = -1,
					    .high_ppm = 240000};
	code = code ? code : profile_set_level(profile, &level, error);
	code = code ? code : profile_set_run_conditions(profile, &conditions, error);
	struct recording_target_sample target_sample = {run.id, 30, 31, 32, true};
	struct recording_steal steal = {run.id, 33, 34};
	code = code ? code : profile_set_what_if(profile, &what_if, error);
	code = code ? code : profile_add_target_sample(profile, &target_sample, error);
	code = code ? code : profile_add_steal(profile, &steal, error);
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

TEST("every field is read back; a row written again replaces the old one")
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

TEST("run conditions, a what-if and its samples are read back")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_file(path, 2, &error), 0);
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	sample_remove(path);
	CHECK_EQUAL(recording->run_conditions.count, 1);
	const struct recording_run_conditions *conditions = &recording->run_conditions.items[0];
	CHECK(conditions->is_recorded && conditions->is_cut);
	CHECK_EQUAL(conditions->inspections, 20);
	CHECK_EQUAL(conditions->spinning, 21);
	CHECK_NEAR(conditions->alone_speed, 2.5, 0);
	CHECK_NEAR(conditions->together_speed, 1.5, 0);
	const struct recording_what_if *what_if = &recording->what_ifs.items[0];
	CHECK_EQUAL(what_if->session_id, recording->runs.items[0].id);
	CHECK_EQUAL(what_if->kind, TARGET_FUNCTION);
	CHECK_TEXT(what_if->name, "work");
	CHECK_TEXT(what_if->file, NULL);
	CHECK_TEXT(what_if->object, "/bin/x");
	CHECK_EQUAL(what_if->line, 22);
	CHECK_NEAR(what_if->speedup, 0.25, 0);
	CHECK_EQUAL(what_if->gain_ppm, 120000);
	CHECK_EQUAL(what_if->low_ppm, -1);
	CHECK_EQUAL(what_if->high_ppm, 240000);
	CHECK_EQUAL(recording->target_samples.count, 1);
	CHECK_EQUAL(recording->target_samples.items[0].tid, 30);
	CHECK_EQUAL(recording->target_samples.items[0].time_ns, 31);
	CHECK_EQUAL(recording->target_samples.items[0].weight_ns, 32);
	CHECK(recording->target_samples.items[0].is_waiting);
	CHECK_EQUAL(recording->steals.count, 1);
	CHECK_EQUAL(recording->steals.items[0].slice, 33);
	CHECK_EQUAL(recording->steals.items[0].stolen_ns, 34);
	recording_free(recording);
}

TEST("a file of version 5, without run conditions and what-ifs, is read and added to")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_file(path, 2, &error), 0);
	CHECK(sample_make_older(path, 5));
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	CHECK_EQUAL(recording->parallels.count, 1);
	CHECK_EQUAL(recording->run_conditions.count, 0);
	recording_free(recording);
	CHECK_EQUAL(write_file(path, 2, &error), 0);
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	sample_remove(path);
	CHECK_EQUAL(recording->parallels.count, 2);
	CHECK_EQUAL(recording->run_conditions.count, 1);
	CHECK_EQUAL(recording->what_ifs.count, 1);
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
