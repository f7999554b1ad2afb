/* SPDX-License-Identifier: BSD-2-Clause */
/* samples - rows of lever record, also in the file of an older lever. */
#include "base/file.h"
#include "check.h"
#include "sample_recording.h"

#include <errno.h>
#include <fcntl.h>

static int write_samples(struct profile *profile, uint64_t caller_id, struct error *error)
{
	struct recording_run run = {.kind = RUN_SAMPLES, .command = (char *)"[]"};
	struct recording_frame frame = {.kind = FRAME_KERNEL,
					.function = (char *)"do_wait",
					.file = (char *)"f",
					.line = 5,
					.object = (char *)"module"};
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

#define MANY 30000

/* Chains of up to 100 frames, each sampled, with numbers of all sizes and texts of all lengths. */
static int write_many(struct profile *profile, unsigned count, struct error *error)
{
	struct recording_run run = {.kind = RUN_SAMPLES, .command = (char *)"[]"};
	int code = profile_add_run(profile, &run, error);
	struct recording_thread thread = {0, run.id, 11, 12, (char *)"name"};
	code = code ? code : profile_add_thread(profile, &thread, error);
	for (unsigned i = 0; i < count && !code; i++) {
		AUTO(text) char *function = text_format("%0*u", (int)(i % 1000), i);
		struct recording_frame frame = {.kind = i % 2,
						.function = function,
						.line = i,
						.object = (char *)""};
		code = profile_add_frame(profile, &frame, error);
		struct recording_stack stack = {0, i % 100 ? i : 0, frame.id};
		code = code ? code : profile_add_stack(profile, &stack, error);
		struct recording_stack_sample sample = {.run_id = run.id,
							.thread_id = thread.id,
							.stack_id = (uint64_t)stack.id,
							.class = i % SAMPLE_CLASSES,
							.subclass = i % 3 ? function : NULL,
							.address = i % 2 ? ~(uint64_t)i :
									   UINT64_C(1) << (i % 64),
							.samples = i % 4,
							.weight_ns =
								(UINT64_C(1) << (i % 63)) + i % 5,
							.variance = i % 2 ? i : i / 7.0};
		code = code ? code : profile_set_stack_sample(profile, &sample, error);
	}
	return code ? code : profile_commit(profile, error);
}

static bool is_equal_text(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

static bool are_equal(const struct recording *one, const struct recording *other)
{
	for (size_t i = 0; i < MANY; i++) {
		const struct recording_frame *f = &one->frames.items[i];
		const struct recording_frame *g = &other->frames.items[i];
		const struct recording_stack_sample *s = &one->stack_samples.items[i];
		const struct recording_stack_sample *t = &other->stack_samples.items[i];
		if (f->id != g->id || f->kind != g->kind || f->line != g->line || f->file ||
		    g->file || !is_equal_text(f->function, g->function) ||
		    !is_equal_text(f->object, g->object) ||
		    memcmp(&one->stacks.items[i], &other->stacks.items[i],
			   sizeof(struct recording_stack)) != 0 ||
		    s->id != t->id || s->stack_id != t->stack_id || s->class != t->class ||
		    !is_equal_text(s->subclass, t->subclass) || s->address != t->address ||
		    s->samples != t->samples || s->weight_ns != t->weight_ns ||
		    s->variance < t->variance || s->variance > t->variance)
			return false;
	}
	return true;
}

static bool has_many(const struct recording *recording)
{
	return recording->frames.count == MANY && recording->stacks.count == MANY &&
	       recording->stack_samples.count == MANY;
}

TEST("rows are the same by the file's pages and by SQLite, which reads tables of another form")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	struct recording *by_pages = NULL, *by_sqlite = NULL;
	CHECK_EQUAL(profile_create(path, false, &profile, &error), 0);
	CHECK_EQUAL(write_many(profile, MANY, &error), 0);
	profile_close(profile);
	CHECK_EQUAL(profile_read(path, &by_pages, &error), 0);
	CHECK(has_many(by_pages));
	/* The table's SQL is not that of a new one any more. */
	CHECK(sample_execute(path,
			     "ALTER TABLE frame RENAME TO x; ALTER TABLE x RENAME TO frame;"
			     "ALTER TABLE stack RENAME TO x; ALTER TABLE x RENAME TO stack;"
			     "ALTER TABLE moment RENAME TO x; ALTER TABLE x RENAME TO moment"));
	CHECK_EQUAL(profile_read(path, &by_sqlite, &error), 0);
	CHECK(has_many(by_sqlite));
	CHECK(are_equal(by_pages, by_sqlite));
	recording_free(by_pages);
	recording_free(by_sqlite);
	sample_remove(path);
}

TEST("a page with other rows than its neighbours allow is refused as damage")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	CHECK_EQUAL(profile_create(path, false, &profile, &error), 0);
	CHECK_EQUAL(write_many(profile, MANY, &error), 0);
	profile_close(profile);
	size_t size, leaves = 0;
	AUTO(text) char *content = file_read(path, &size, &error);
	for (size_t at = 4096; at + 8192 <= size && leaves < 40; at += 4096) {
		struct recording *recording = NULL;
		/* Leaves with rows. */
		if (content[at] != 0x0d || content[at + 4096] != 0x0d || !content[at + 4] ||
		    !content[at + 4100])
			continue;
		int fd = open(path, O_WRONLY);
		/* The next leaf in place of this one: its rows come twice. */
		CHECK(pwrite(fd, content + at + 4096, 4096, (off_t)at) == 4096);
		CHECK_EQUAL(profile_read(path, &recording, &error), -EBADMSG);
		recording_free(recording);
		CHECK(pwrite(fd, content + at, 4096, (off_t)at) == 4096);
		CHECK_EQUAL(close(fd), 0);
		leaves++;
	}
	CHECK(leaves > 10);
	sample_remove(path);
}

TEST("pages of call chains with altered bytes are read or refused with an error")
{
	char *path = sample_path();
	struct error error = {0};
	struct profile *profile = NULL;
	unsigned refused = 0;
	uint64_t state = 7;
	CHECK_EQUAL(profile_create(path, false, &profile, &error), 0);
	CHECK_EQUAL(write_many(profile, 2000, &error), 0);
	profile_close(profile);
	size_t size;
	AUTO(text) char *content = file_read(path, &size, &error);
	int fd = open(path, O_WRONLY);
	for (unsigned i = 0; i < 500; i++) {
		struct recording *recording = NULL;
		state = state * 6364136223846793005u + 1442695040888963407u;
		/* A page's head and the begin of its rows more often than texts. */
		size_t at = (size_t)(state >> 33) % (size - 4200);
		at = i % 3 ? 4096 + at / 4096 * 4096 + at % (i % 2 ? 12 : 60) : 4096 + at;
		char altered = (char)(content[at] ^ (char)(1 + (state >> 20) % 255));
		CHECK(pwrite(fd, &altered, 1, (off_t)at) == 1);
		int code = profile_read(path, &recording, &error);
		refused += code != 0;
		CHECK(code || recording->stacks.count <= 2001);
		recording_free(recording);
		CHECK(pwrite(fd, &content[at], 1, (off_t)at) == 1);
	}
	CHECK_EQUAL(close(fd), 0);
	CHECK(refused > 50);
	struct recording *recording = NULL;
	CHECK_EQUAL(profile_read(path, &recording, &error), 0);
	recording_free(recording);
	sample_remove(path);
}
