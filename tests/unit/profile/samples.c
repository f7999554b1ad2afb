/* SPDX-License-Identifier: BSD-2-Clause */
/* samples - rows of lever record, also in the file of an older lever. */
#include "check.h"
#include "sample_recording.h"

static int write_samples(struct profile *profile, uint64_t caller_id, struct error *error)
{
	struct recording_run run = {.kind = RUN_SAMPLES, .command = (char *)"[]"};
	struct recording_frame frame = {0, FRAME_KERNEL,    (char *)"do_wait", (char *)"f",
					5, (char *)"module"};
	int code = profile_add_run(profile, &run, error);
	code = code ? code : profile_add_frame(profile, &frame, error);
	struct recording_stack stack = {0, caller_id, frame.id};
	code = code ? code : profile_add_stack(profile, &stack, error);
	struct recording_thread thread = {0, run.id, 11, 12, (char *)"name"};
	code = code ? code : profile_add_thread(profile, &thread, error);
	struct recording_stack_sample sample = {0,
						run.id,
						thread.id,
						(uint64_t)stack.id,
						CLASS_LOCK,
						(char *)"futex",
						(char *)"futex",
						UINT64_MAX - 1,
						3,
						4,
						5.5,
						(char *)"mutex cache.lock"};
	code = code ? code : profile_set_stack_sample(profile, &sample, error);
	sample.samples = 6;
	code = code ? code : profile_set_stack_sample(profile, &sample, error);
	return code ? code : profile_commit(profile, error);
}

static int write_file(const char *path, uint64_t caller_id, struct error *error)
{
	struct profile *profile = NULL;
	int code = profile_create(path, false, &profile, error);
	code = code ? code : write_samples(profile, caller_id, error);
	profile_close(profile);
	return code;
}

TEST("every field of samples is read back; a sample written again replaces the old one")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_file(path, 0, &error), 0);
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	sample_remove(path);
	CHECK_EQUAL(recording->runs.items[0].kind, RUN_SAMPLES);
	const struct recording_frame *frame = recording_frame(recording, 1);
	CHECK_EQUAL(frame->kind, FRAME_KERNEL);
	CHECK_TEXT(frame->function, "do_wait");
	CHECK_TEXT(frame->file, "f");
	CHECK_EQUAL(frame->line, 5);
	CHECK_TEXT(frame->object, "module");
	CHECK_EQUAL(recording_stack(recording, 1)->frame_id, 1);
	CHECK_EQUAL(recording_thread(recording, 1)->tid, 12);
	CHECK_EQUAL(recording->stack_samples.count, 1);
	const struct recording_stack_sample *sample = &recording->stack_samples.items[0];
	CHECK_EQUAL(sample->class, CLASS_LOCK);
	CHECK_TEXT(sample->subclass, "futex");
	CHECK_TEXT(sample->resource, "mutex cache.lock");
	CHECK_TEXT(sample->system_call, "futex");
	CHECK(sample->address == UINT64_MAX - 1);
	CHECK_EQUAL(sample->samples, 6);
	CHECK_EQUAL(sample->weight_ns, 4);
	CHECK_NEAR(sample->variance, 5.5, 0);
	recording_free(recording);
}

TEST("a file of version 1 is read: its runs are causal")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(sample_write(path, 3, &error), 0);
	CHECK(sample_make_older(path, 1));
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	sample_remove(path);
	CHECK_EQUAL(recording->runs.count, 1);
	CHECK_EQUAL(recording->runs.items[0].kind, RUN_CAUSAL);
	CHECK_EQUAL(recording->experiments.count, 3);
	CHECK_EQUAL(recording->stack_samples.count, 0);
	recording_free(recording);
}

TEST("samples are added to a file of version 1, which is upgraded")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(sample_write(path, 3, &error), 0);
	CHECK(sample_make_older(path, 1));
	CHECK_EQUAL(write_file(path, 0, &error), 0);
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	sample_remove(path);
	CHECK_EQUAL(recording->runs.count, 2);
	CHECK_EQUAL(recording->runs.items[0].kind, RUN_CAUSAL);
	CHECK_EQUAL(recording->runs.items[1].kind, RUN_SAMPLES);
	CHECK_EQUAL(recording->experiments.count, 3);
	CHECK_EQUAL(recording->stack_samples.count, 1);
	recording_keep(recording, RUN_SAMPLES);
	CHECK_EQUAL(recording->runs.count, 1);
	recording_free(recording);
}

TEST("a call chain that runs in a circle is refused")
{
	char *path = sample_path();
	struct error error = {0};
	struct recording *recording = NULL;
	CHECK_EQUAL(write_file(path, 1, &error), 0); /* the stack is its own caller */
	CHECK(profile_read(path, &recording, &error));
	CHECK(strstr(error.text, "call chain"));
	sample_remove(path);
}
