/* SPDX-License-Identifier: BSD-2-Clause */
/* profile - rows are read back as they were written. */
#include "check.h"
#include "sample_recording.h"

#include <math.h>

/* Ids of the sample's rows; all tables have one row each, so all are 1. */
#define ONLY_ID 1

/* Writes a row of each kind, and reads the file. NULL with the reason printed if that failed. */
static struct recording *written_and_read(void)
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct recording *recording = NULL;
	struct sample sample;
	int code = sample_begin(path, false, &profile, &sample, &error);
	struct recording_sample sampled = {ONLY_ID, ONLY_ID, 21, 22, 23, 25};
	struct recording_total total = {ONLY_ID, ONLY_ID, 24};
	if (!code)
		code = sample_experiment(profile, &sample, 0, &error);
	if (!code)
		code = profile_set_sample(profile, &sampled, &error);
	if (!code)
		code = profile_set_total(profile, &total, &error);
	profile_close(profile);
	if (code || profile_read(path, &recording, &error))
		printf("# %s\n", error.text);
	sample_remove(path);
	return recording;
}

TEST("every field of a run is read back as it was written")
{
	struct recording *recording = written_and_read();
	CHECK(recording);
	CHECK_EQUAL(recording->runs.count, 1);
	const struct recording_run *run = &recording->runs.items[0];
	CHECK_TEXT(run->command, "[\"./program\", \"-x\"]");
	CHECK_TEXT(run->engine, "kernel");
	CHECK_TEXT(run->host, "host");
	CHECK_TEXT(run->machine, "a processor, 2 cores");
	CHECK_TEXT(run->kernel, "6.18.0");
	CHECK_TEXT(run->version, "0.1.0");
	CHECK_TEXT(run->granularity, "line");
	CHECK_EQUAL(run->started_s, 1700000000);
	CHECK_EQUAL(run->wall_ns, 1);
	CHECK_EQUAL(run->delay_ns, 2);
	CHECK(run->seed == UINT64_MAX - 5);
	CHECK_EQUAL(run->period_ns, 250000);
	CHECK_NEAR(run->interrupt_share, 0.03125, 0);
	CHECK_EQUAL(run->samples, 3);
	CHECK_EQUAL(run->lost, 4);
	CHECK_EQUAL(run->capped, 5);
	CHECK_EQUAL(run->unwound_badly, 6);
	CHECK_EQUAL(run->sampled_ns, 7);
	CHECK_EQUAL(run->paused_ns, 8);
	CHECK_EQUAL(run->baseline_ns, 9);
	CHECK_EQUAL(run->exit_status, -1);
	CHECK_EQUAL(run->finished, true);
	CHECK_TEXT(run->note, "first\nsecond");
	recording_free(recording);
}

TEST("every field of a target and a point is read back as it was written")
{
	struct recording *recording = written_and_read();
	CHECK(recording);
	CHECK_EQUAL(recording->targets.count, 1);
	const struct recording_target *target = recording_target(recording, ONLY_ID);
	CHECK(target);
	CHECK_EQUAL(target->kind, TARGET_FUNCTION);
	CHECK_TEXT(target->name, "na\xffme\tof it");
	CHECK_TEXT(target->function, NULL);
	CHECK_TEXT(target->file, "/src/main.c");
	CHECK_EQUAL(target->line, 42);
	CHECK_TEXT(target->object, "/bin/program");
	CHECK_TEXT(target->build_id, "0123ab");
	CHECK_EQUAL(recording->points.count, 1);
	const struct recording_point *point = recording_point(recording, ONLY_ID);
	CHECK(point);
	CHECK_EQUAL(point->kind, POINT_LATENCY);
	CHECK_TEXT(point->name, "job");
	recording_free(recording);
}

TEST("every field of an experiment is read back as it was written")
{
	struct recording *recording = written_and_read();
	CHECK(recording);
	CHECK_EQUAL(recording->experiments.count, 1);
	const struct recording_experiment *experiment = &recording->experiments.items[0];
	CHECK_EQUAL(experiment->run_id, ONLY_ID);
	CHECK_EQUAL(experiment->target_id, ONLY_ID);
	CHECK_NEAR(experiment->speedup, 0.25, 0);
	CHECK_EQUAL(experiment->start_ns, 1000);
	CHECK_EQUAL(experiment->duration_ns, 11);
	CHECK_EQUAL(experiment->delay_ns, 12);
	CHECK_EQUAL(experiment->target_ns, 13);
	CHECK_EQUAL(experiment->sampled_ns, 14);
	CHECK_EQUAL(experiment->displaced_ns, 15);
	CHECK_EQUAL(experiment->capped, 16);
	CHECK_EQUAL(experiment->verdict, VERDICT_TOO_FEW_VISITS);
	CHECK_EQUAL(experiment->series_index, 2);
	CHECK_EQUAL(experiment->unrecognized_ns, 17);
	CHECK_EQUAL(experiment->target_alone_ns, 18);
	CHECK_EQUAL(experiment->visits.count, 1);
	const struct recording_visit *visit = &experiment->visits.items[0];
	CHECK_EQUAL(visit->point_id, ONLY_ID);
	CHECK_NEAR(visit->visits, 17.5, 0);
	CHECK_EQUAL(visit->duration_ns, 18);
	CHECK_EQUAL(visit->delay_ns, 19);
	CHECK_NEAR(visit->in_flight, 20.25, 0);
	CHECK_EQUAL(experiment->marks.count, 1);
	const struct recording_mark *mark = &experiment->marks.items[0];
	CHECK(mark->point_id == visit->point_id && mark->number == 1);
	CHECK_NEAR(mark->visits, 7.5, 0);
	CHECK(mark->duration_ns == 8 && mark->delay_ns == 9 && mark->elapsed_ns == 10);
	CHECK(mark->sampled_ns == 11 && mark->displaced_ns == 12);
	recording_free(recording);
}

TEST("every field of samples and totals is read back as it was written")
{
	struct recording *recording = written_and_read();
	CHECK(recording);
	CHECK_EQUAL(recording->samples.count, 1);
	CHECK_EQUAL(recording->samples.items[0].run_id, ONLY_ID);
	CHECK_EQUAL(recording->samples.items[0].target_id, ONLY_ID);
	CHECK_EQUAL(recording->samples.items[0].samples, 21);
	CHECK_EQUAL(recording->samples.items[0].sampled_ns, 22);
	CHECK_EQUAL(recording->samples.items[0].baseline_sampled_ns, 23);
	CHECK_EQUAL(recording->samples.items[0].baseline_alone_ns, 25);
	CHECK_EQUAL(recording->totals.count, 1);
	CHECK_EQUAL(recording->totals.items[0].run_id, ONLY_ID);
	CHECK_EQUAL(recording->totals.items[0].point_id, ONLY_ID);
	CHECK_EQUAL(recording->totals.items[0].visits, 24);
	recording_free(recording);
}

TEST("a second recording adds to the file, and the same target and point keep their ids")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct sample first, second;
	CHECK_EQUAL(sample_begin(path, false, &profile, &first, &error), 0);
	CHECK_EQUAL(sample_experiment(profile, &first, 0, &error), 0);
	profile_close(profile);
	CHECK_EQUAL(sample_begin(path, false, &profile, &second, &error), 0);
	CHECK_EQUAL(sample_experiment(profile, &second, 1, &error), 0);
	CHECK(first.run.id != second.run.id);
	CHECK_EQUAL(first.target.id, second.target.id);
	CHECK_EQUAL(first.point.id, second.point.id);
	struct recording_target other = sample_target();
	other.function = (char *)"f";
	CHECK_EQUAL(profile_add_target(profile, &other, &error), 0);
	CHECK(other.id != first.target.id);
	profile_close(profile);

	struct recording *recording = NULL;
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	CHECK_EQUAL(recording->runs.count, 2);
	CHECK_EQUAL(recording->targets.count, 2);
	CHECK_EQUAL(recording->points.count, 1);
	CHECK_EQUAL(recording->experiments.count, 2);
	CHECK_EQUAL(recording->experiments.items[1].run_id, second.run.id);
	recording_free(recording);
	sample_remove(path);
}

TEST("a fresh recording replaces what the file held")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct sample sample;
	CHECK_EQUAL(sample_write(path, 5, &error), 0);
	CHECK_EQUAL(sample_begin(path, true, &profile, &sample, &error), 0);
	CHECK_EQUAL(sample_experiment(profile, &sample, 0, &error), 0);
	profile_close(profile);
	struct recording *recording = NULL;
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	CHECK_EQUAL(recording->runs.count, 1);
	CHECK_EQUAL(recording->experiments.count, 1);
	recording_free(recording);
	sample_remove(path);
}

TEST("setting samples, totals or the run again replaces the old rows")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct sample sample;
	CHECK_EQUAL(sample_begin(path, false, &profile, &sample, &error), 0);
	for (unsigned i = 1; i <= 3; i++) {
		struct recording_sample sampled = {
			sample.run.id, sample.target.id, i, 10 * i, i, i};
		struct recording_total total = {sample.run.id, sample.point.id, 100 * i};
		sample.run.wall_ns = 1000 * i;
		CHECK_EQUAL(profile_set_sample(profile, &sampled, &error), 0);
		CHECK_EQUAL(profile_set_total(profile, &total, &error), 0);
		CHECK_EQUAL(profile_update_run(profile, &sample.run, &error), 0);
		CHECK_EQUAL(profile_commit(profile, &error), 0);
	}
	profile_close(profile);
	struct recording *recording = NULL;
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	CHECK_EQUAL(recording->samples.count, 1);
	CHECK_EQUAL(recording->samples.items[0].sampled_ns, 30);
	CHECK_EQUAL(recording->totals.count, 1);
	CHECK_EQUAL(recording->totals.items[0].visits, 300);
	CHECK_EQUAL(recording->runs.count, 1);
	CHECK_EQUAL(recording->runs.items[0].wall_ns, 3000);
	recording_free(recording);
	sample_remove(path);
}

static int add_counted(struct profile *profile, const struct sample *sample, uint64_t start_ns,
		       double speedup)
{
	struct error error = {0};
	struct recording_experiment experiment = {.run_id = sample->run.id,
						  .target_id = sample->target.id,
						  .speedup = speedup,
						  .start_ns = start_ns,
						  .duration_ns = 11,
						  .verdict = VERDICT_COUNTED};

	return profile_add_experiment(profile, &experiment, &error);
}

/* Of 8 windows before a time, those that count when `later` pairs have come after it. */
static unsigned counted_before(unsigned later)
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct recording *recording = NULL;
	struct sample sample;
	unsigned counted = 0;
	int code = sample_begin(path, false, &profile, &sample, &error);

	for (unsigned i = 0; i < 4 + later; i++) {
		code = code ? code : add_counted(profile, &sample, 1000 + 20 * i, 0);
		code = code ? code : add_counted(profile, &sample, 1010 + 20 * i, 0.5);
	}
	CHECK_EQUAL(code, 0);
	CHECK_EQUAL(profile_cut_short_before(profile, sample.run.id, 1080, &error), 0);
	profile_close(profile);
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	for (size_t i = 0; i < recording->experiments.count; i++) {
		const struct recording_experiment *experiment = &recording->experiments.items[i];
		bool counts = experiment->verdict == VERDICT_COUNTED;
		CHECK(counts || experiment->verdict == VERDICT_CUT_SHORT);
		CHECK(counts || experiment->start_ns < 1080);
		counted += counts && experiment->start_ns < 1080;
	}
	recording_free(recording);
	sample_remove(path);
	return counted;
}

TEST("windows are cut short where there are enough later ones")
{
	CHECK_EQUAL(counted_before(0), 8);
	CHECK_EQUAL(counted_before(1), 8);
	CHECK_EQUAL(counted_before(2), 0);
}

TEST("windows of version 7 are numbered by gaps, also after more were added")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(sample_write(path, 4, &error), 0);
	CHECK(sample_execute(path, "UPDATE experiment SET start_ns = 20000000 WHERE id >= 3"));
	CHECK(sample_make_older(path, 7));
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	for (int i = 0; i < 4; i++)
		CHECK_EQUAL(recording->experiments.items[i].series_index, i % 2);
	recording_free(recording);
	CHECK_EQUAL(sample_write(path, 2, &error), 0);
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	sample_remove(path);
	for (int i = 0; i < 6; i++)
		CHECK_EQUAL(recording->experiments.items[i].series_index, i < 4 ? i % 2 : i - 2);
	recording_free(recording);
}

TEST("an experiment of an unknown target is refused, and leaves nothing in the file")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct sample sample;
	CHECK_EQUAL(sample_begin(path, false, &profile, &sample, &error), 0);
	CHECK_EQUAL(sample_experiment(profile, &sample, 0, &error), 0);
	struct sample wrong = sample;
	wrong.target.id = 77;
	CHECK(sample_experiment(profile, &wrong, 1, &error) < 0);
	wrong = sample;
	wrong.point.id = 77; /* found only after the experiment's own row */
	CHECK(sample_experiment(profile, &wrong, 2, &error) < 0);
	CHECK(strstr(error.text, path));
	CHECK_EQUAL(sample_experiment(profile, &sample, 3, &error), 0);
	profile_close(profile);
	struct recording *recording = NULL;
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	CHECK_EQUAL(recording->experiments.count, 2);
	recording_free(recording);
	sample_remove(path);
}

TEST("a difference below zero is stored as none, and leaves a file that can be read")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct sample sample;
	CHECK_EQUAL(sample_begin(path, false, &profile, &sample, &error), 0);
	sample.run.paused_ns = (uint64_t)-3091;
	CHECK_EQUAL(profile_update_run(profile, &sample.run, &error), 0);
	profile_close(profile);
	struct recording *recording = NULL;
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	CHECK_EQUAL(recording->runs.items[0].paused_ns, 0);
	recording_free(recording);
	sample_remove(path);
}

TEST("a number that is not finite is refused")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct sample sample;
	CHECK_EQUAL(sample_begin(path, false, &profile, &sample, &error), 0);
	sample.run.interrupt_share = NAN;
	CHECK(profile_update_run(profile, &sample.run, &error) < 0);
	profile_close(profile);
	sample_remove(path);
}

TEST("an orderly close leaves one file, in a form that needs no journal")
{
	char *path = sample_path();
	struct error error = {0};
	CHECK_EQUAL(sample_write(path, 100, &error), 0);
	CHECK_EQUAL(sample_files(path), 1);
	FILE *file = fopen(path, "rb");
	unsigned char header[100];
	CHECK(file && fread(header, 1, sizeof(header), file) == sizeof(header));
	fclose(file);
	CHECK(!memcmp(header, "SQLite format 3", 16));
	CHECK_EQUAL(header[18], 1);              /* 2 would be WAL */
	CHECK_EQUAL(header[63], SCHEMA_VERSION); /* user_version */
	CHECK(!memcmp(header + 68, "LEVR", 4));
	sample_remove(path);
}

TEST("unusual file names work")
{
	char *path = sample_path();
	struct error error = {0};
	AUTO(text) char *odd = text_format("%s?mode=memory&x=%%41#\xfc \".lever", path);
	CHECK_EQUAL(sample_write(odd, 1, &error), 0);
	CHECK_EQUAL(sample_files(path), 1);
	struct recording *recording = NULL;
	CHECK_EQUAL(profile_read(odd, &recording, &error), 0);
	CHECK_EQUAL(recording->experiments.count, 1);
	recording_free(recording);
	sample_remove(path);
}

TEST("a set has members, and a target with an assumption is another one")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct sample sample;
	CHECK_EQUAL(sample_begin(path, false, &profile, &sample, &error), 0);
	struct recording_target assumed = sample_target();
	assumed.assumed = (char *)"f:50%";
	CHECK_EQUAL(profile_add_target(profile, &assumed, &error), 0);
	CHECK(assumed.id != sample.target.id);
	struct recording_member member = {assumed.id, TARGET_LINE, (char *)"main.c:1", 1};
	CHECK_EQUAL(profile_set_member(profile, &member, &error), 0);
	member.level = 0.5;
	CHECK_EQUAL(profile_set_member(profile, &member, &error), 0);
	profile_close(profile);

	struct recording *recording = NULL;
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	CHECK_EQUAL(recording->members.count, 1);
	CHECK_EQUAL(recording->members.items[0].target_id, assumed.id);
	CHECK_TEXT(recording->members.items[0].name, "main.c:1");
	CHECK_NEAR(recording->members.items[0].level, 0.5, 0);
	CHECK_TEXT(recording_target(recording, assumed.id)->assumed, "f:50%");
	recording_free(recording);
	sample_remove(path);
}

TEST("rows are found by id where ids are left out")
{
	static const int64_t ids[] = {2, 3, 7, 9, 1000};
	struct recording *recording = memory_new(1, sizeof(*recording));

	CHECK(!recording_frame(recording, 1));
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		array_add(&recording->frames)->id = ids[i];
	for (int64_t id = -1; id < 1002; id++) {
		const struct recording_frame *frame = recording_frame(recording, id);
		bool is_there = id == 2 || id == 3 || id == 7 || id == 9 || id == 1000;
		CHECK(!frame == !is_there);
		CHECK(!frame || frame->id == id);
	}
	recording_free(recording);
}
