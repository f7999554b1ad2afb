/* SPDX-License-Identifier: BSD-2-Clause */
/* sample_aggregator - what it has forgotten is in the file, and sums are the same. */
#include "check.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "record/sample_aggregator.h"
#include "symbolize/parser/start.h"
#include "symbolize/scope.h"

#include <stdlib.h>
#include <string.h>
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

/* Binaries are read by a parser, or in this process. */
static bool fixture_begin(struct fixture *fixture, bool has_parser)
{
	struct mapped_files_sink sink = {.name_object = name_object, .set_unwind = set_unwind};

	*fixture = (struct fixture){.run = {.kind = RUN_SAMPLES, .exit_status = -1, .wall_ns = 1},
				    .scope = scope_new(),
				    .path = "/tmp/lever-aggregator-XXXXXX"};
	scope_add(fixture->scope, "bin:*", true);
	fixture->symbols = has_parser ? symbols_start_renewable(TARGET_LINE, fixture->scope) :
					symbols_new(TARGET_LINE, fixture->scope);
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

	CHECK(fixture_begin(&fixture, false));
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

	CHECK(fixture_begin(&fixture, false));
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

extern char __executable_start[];

/* This function, once, as code of the object. */
static void add_itself(struct fixture *fixture, uint32_t object, uint64_t time_ns)
{
	static struct record_sample sample;
	uint64_t offset = (uint64_t)((char *)(uintptr_t)add_itself - __executable_start);

	sample = (struct record_sample){.kind = RECORD_EVENT_SAMPLE,
					.flags = RECORD_ON_CPU,
					.tgid = 1,
					.tid = 1,
					.time_ns = time_ns,
					.weight_ns = 1000000,
					.user_count = 1,
					.system_call = -1,
					.user[0] = {.object = object + 1, .offset = offset}};
	sample_aggregator_add(fixture->aggregator, &sample);
}

/* The function's name in a recording where its binary was last used so long before the write. */
static char *name_after(uint64_t unused_ns, bool is_sparing, uint64_t *spared)
{
	struct fixture fixture;
	uint32_t object;
	uint64_t now = clock_now_ns() + 100 * SECOND;

	CHECK(fixture_begin(&fixture, true));
	CHECK(!symbols_add_object(fixture.symbols, "/proc/self/exe", NULL, true, &object, NULL));
	mapped_files_announce(fixture.mapped_files, object);
	mapped_files_use(fixture.mapped_files, object, now - unused_ns);
	add_itself(&fixture, object, now);
	sample_aggregator_spare_names(fixture.aggregator, is_sparing);
	CHECK(write_all(&fixture));
	*spared = sample_aggregator_totals(fixture.aggregator)->spared_names;
	AUTO(recording) struct recording *recording = fixture_end(&fixture);
	CHECK(recording && recording->frames.count);
	const struct recording_frame *last = &recording->frames.items[recording->frames.count - 1];
	return strdup(last->function ? last->function : "");
}

TEST("while CPU time is short, code that ran for a moment is told by its address")
{
	uint64_t spared;
	char *name = name_after(10 * SECOND, true, &spared);

	CHECK(strstr(name, "+0x"));
	CHECK_EQUAL(spared, 1);
	free(name);
}

TEST("code that runs now has its name also then, and so has all code while there is time")
{
	uint64_t spared;
	char *runs = name_after(SECOND, true, &spared);
	CHECK_TEXT(runs, "add_itself");
	CHECK_EQUAL(spared, 0);
	char *calm = name_after(10 * SECOND, false, &spared);
	CHECK_TEXT(calm, "add_itself");
	CHECK_EQUAL(spared, 0);
	free(runs);
	free(calm);
}
