/* SPDX-License-Identifier: BSD-2-Clause */
/* sample_aggregator - what it has forgotten is in the file, and sums are the same. */
#include "check.h"

#include "base/cleanup.h"
#include "record/sample_aggregator.h"
#include "symbolize/scope.h"

#include <unistd.h>

#define SECOND 1000000000ull

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)

static int name_object(void *context, const struct wire_file *file, uint32_t object)
{
	(void)context;
	(void)file;
	return (int)object * 0;
}

static int set_unwind(void *context, uint32_t object, const struct wire_unwind_row *rows,
		      size_t count)
{
	(void)context;
	(void)rows;
	(void)count;
	return (int)object * 0;
}

struct fixture {
	struct scope *scope;
	struct symbols *symbols;
	struct mapped_files *mapped_files;
	struct wait_classifier *classifier;
	struct sample_aggregator *aggregator;
	struct profile *profile;
	struct recording_run run;
	char path[64];
};

static bool fixture_begin(struct fixture *fixture)
{
	struct mapped_files_sink sink = {.name_object = name_object, .set_unwind = set_unwind};

	*fixture = (struct fixture){.run = {.kind = RUN_SAMPLES, .exit_status = -1, .wall_ns = 1},
				    .scope = scope_new(),
				    .path = "/tmp/lever-aggregator-XXXXXX"};
	fixture->symbols = symbols_new(TARGET_LINE, fixture->scope);
	fixture->mapped_files = mapped_files_new(fixture->symbols, &sink);
	close(mkstemp(fixture->path));
	wait_classifier_new(NULL, &fixture->classifier, NULL);
	fixture->aggregator = sample_aggregator_new(fixture->symbols, fixture->mapped_files,
						    fixture->classifier, NULL, NULL, 1000000);
	return !profile_create(fixture->path, true, &fixture->profile, NULL) &&
	       !profile_add_run(fixture->profile, &fixture->run, NULL);
}

/* Reads what was written; the rest of the fixture ends. */
static struct recording *fixture_end(struct fixture *fixture)
{
	struct recording *recording = NULL;

	profile_close(fixture->profile);
	if (profile_read(fixture->path, &recording, NULL))
		recording = NULL;
	unlink(fixture->path);
	sample_aggregator_free(fixture->aggregator);
	wait_classifier_free(fixture->classifier);
	mapped_files_free(fixture->mapped_files);
	symbols_free(fixture->symbols);
	scope_free(fixture->scope);
	return recording;
}

static void add(struct fixture *fixture, unsigned at_s, unsigned tid, unsigned frames)
{
	static struct record_sample sample;

	sample = (struct record_sample){.kind = RECORD_EVENT_SAMPLE,
					.flags = RECORD_ON_CPU,
					.tgid = 1,
					.tid = tid,
					.time_ns = at_s * SECOND,
					.weight_ns = 1000000,
					.user_count = frames,
					.system_call = -1};
	for (unsigned i = 0; i < frames; i++)
		sample.user[i] =
			(struct record_frame){.object = WIRE_OBJECT_NO_FILE, .offset = 4096 + tid};
	sample_aggregator_add(fixture->aggregator, &sample);
}

static bool write_all(struct fixture *fixture)
{
	return !sample_aggregator_write(fixture->aggregator, fixture->profile, fixture->run.id,
					NULL);
}

TEST("forgotten rows stay in the file; a thread that is still sampled keeps its row")
{
	struct fixture fixture;

	CHECK(fixture_begin(&fixture));
	add(&fixture, 1, 7, 2);
	add(&fixture, 30, 8, 2);
	CHECK(write_all(&fixture));
	sample_aggregator_forget(fixture.aggregator);
	add(&fixture, 31, 8, 2);
	add(&fixture, 31, 8, 3);
	CHECK(write_all(&fixture));
	sample_aggregator_forget_names(fixture.aggregator);
	add(&fixture, 32, 8, 4);
	CHECK(write_all(&fixture));
	CHECK_EQUAL(sample_aggregator_totals(fixture.aggregator)->samples, 5);
	AUTO(recording) struct recording *recording = fixture_end(&fixture);
	CHECK(recording);
	CHECK_EQUAL(recording->threads.count, 2);
	uint64_t samples = 0, of_second = 0;
	for (size_t i = 0; i < recording->stack_samples.count; i++) {
		const struct recording_stack_sample *row = &recording->stack_samples.items[i];
		samples += row->samples;
		of_second += row->thread_id == recording->threads.items[1].id ? row->samples : 0;
		CHECK(row->stack_id > 0);
	}
	CHECK_EQUAL(samples, 5);
	CHECK_EQUAL(of_second, 4);
}

TEST("it is large after many threads and stacks, and no more when it has forgotten them")
{
	struct fixture fixture;

	CHECK(fixture_begin(&fixture));
	CHECK(!sample_aggregator_is_large(fixture.aggregator));
	for (unsigned tid = 1; tid < 300000; tid++)
		add(&fixture, 1 + tid / 1000, tid, 1);
	CHECK(sample_aggregator_is_large(fixture.aggregator));
	CHECK(write_all(&fixture));
	sample_aggregator_forget(fixture.aggregator);
	CHECK(!sample_aggregator_is_large(fixture.aggregator));
	AUTO(recording) struct recording *recording = fixture_end(&fixture);
	CHECK(recording);
	CHECK_EQUAL(recording->threads.count, 299999);
}
