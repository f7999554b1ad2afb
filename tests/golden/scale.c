/* SPDX-License-Identifier: BSD-2-Clause */
/* scale - the reports on a session of lever scale, compared with the expected ones. */
#include "check.h"

#include "base/cleanup.h"
#include "expected.h"
#include "profile/profile.h"
#include "schema.h"

#include <unistd.h>

#define MS 1000000ull

static int write_levels(struct profile *profile, int64_t run_id, bool is_other,
			uint64_t parallel_ms, struct error *error)
{
	int code = 0;

	struct recording_level levels[] = {
		{.threads = 0, .wall_ns = 100 * MS, .io_ns = 100 * MS},
		{.threads = 1,
		 .wall_ns = 500 * MS,
		 .running_ns = 490 * MS,
		 .lock_ns = 200 * MS,
		 .condition_ns = 300 * MS},
		{.threads = 2,
		 .wall_ns = parallel_ms * MS,
		 .running_ns = (is_other ? 1 : 2) * parallel_ms * MS - 100 * MS,
		 .displaced_ns = 100 * MS,
		 .condition_ns = parallel_ms * MS},
	};
	for (unsigned i = 0; i < 3 && !code; i++) {
		levels[i].run_id = run_id;
		code = profile_set_level(profile, &levels[i], error);
	}
	/* Slices: one thread in the first five, then two. */
	for (unsigned i = 0; i < 15 && !code; i++) {
		struct recording_level level = {.run_id = run_id,
						.slice = i + 1,
						.threads = i < 5 ? 1 : 2,
						.begin_ns = i * 100 * MS,
						.wall_ns = 100 * MS,
						.running_ns = (i < 5 ? 100 : 190) * MS};
		code = profile_set_level(profile, &level, error);
	}
	return code;
}

/* Three runs on two cores and one on one core, of half a second serial and one in two threads. */
static int write_run(struct profile *profile, unsigned index, int64_t *session, struct error *error)
{
	bool is_other = index == 3;
	unsigned cores = is_other ? 1 : 2;
	uint64_t parallel_ms = is_other ? 1900 : 1000 + 10 * index;
	struct recording_run run = {
		.kind = RUN_SCALE,
		.command = (char *)"[\"./render\", \"scene\\u001b.xml\"]",
		.engine = (char *)"kernel",
		.host = (char *)"build1",
		.kernel = (char *)"6.18.0",
		.version = (char *)"0.1.0",
		.started_s = 1700000000,
		.wall_ns = (600 + parallel_ms) * MS,
		.finished = true,
	};
	int code = profile_add_run(profile, &run, error);
	*session = *session ? *session : run.id;
	struct recording_parallel parallel = {
		.run_id = run.id,
		.session_id = *session,
		.asked = (char *)"1,2,8",
		.cores = cores,
		.machine_cores = 2,
		.hides_cores = is_other,
		.threads = is_other ? 5 : 4,
		.processes = 1,
		.most_threads = is_other ? 4 : 3,
		.switches = 3000,
		.wakes = 1500,
		.yields = index ? 0 : 3000,
		.stolen_ns = 100 * MS,
	};
	struct recording_overhead cost = {run.id, (10 + index) * MS, true, 20 * MS};
	code = code ? code : profile_set_overhead(profile, &cost, error);
	code = code ? code : profile_set_parallel(profile, &parallel, error);
	struct recording_run_conditions conditions = {.run_id = run.id,
						      .alone_speed = 1000 + 30 * index,
						      .together_speed = 900};
	code = code ? code : profile_set_run_conditions(profile, &conditions, error);
	code = code ? code : write_levels(profile, run.id, is_other, parallel_ms, error);
	/* In a slice with two threads. */
	struct recording_steal steal = {run.id, 8, 40 * MS};
	code = code ? code : profile_add_steal(profile, &steal, error);
	return code;
}

/* Written and read; NULL and a sentence printed on failure. */
static struct recording *recording_of_render(void)
{
	char path[] = "/tmp/lever-golden-XXXXXX";
	struct error error = {0};
	struct recording *recording = NULL;
	struct profile *profile = NULL;
	int64_t session = 0;
	int fd = mkstemp(path);
	if (fd < 0)
		return NULL;
	close(fd);
	int code = profile_create(path, true, &profile, &error);
	for (unsigned i = 0; i < 4 && !code; i++)
		code = write_run(profile, i, &session, &error);
	code = code ? code : profile_commit(profile, &error);
	profile_close(profile);
	if (code || profile_read(path, &recording, &error))
		printf("# %s\n", error.text);
	unlink(path);
	return recording;
}

static char *report_as(const char *format)
{
	struct recording *recording = recording_of_render();
	if (!recording)
		return NULL;
	recording_keep(recording, RUN_SCALE);
	recording_keep_session(recording);
	char *text = expected_report(recording, RUN_SCALE, format, NULL, NULL);
	recording_free(recording);
	return text;
}

TEST("parallelism over time, predictions of each model, limits, and warnings")
{
	AUTO(text) char *actual = report_as("text");
	CHECK(actual && expected_equals("scale", "text", actual));
}

TEST("the same as a table")
{
	AUTO(text) char *actual = report_as("csv");
	CHECK(actual && expected_equals("scale", "csv", actual));
}

TEST("the same as JSON, as docs/scale.schema.json says")
{
	AUTO(text) char *actual = report_as("json");
	AUTO(text) char *path = text_format("%s/docs/scale.schema.json", expected_source_root());
	CHECK(actual && expected_equals("scale", "json", actual));
	AUTO(text) char *complaint = schema_complaint(path, actual);
	CHECK_TEXT(complaint, NULL);
}
