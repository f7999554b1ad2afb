/* SPDX-License-Identifier: BSD-2-Clause */
/* samples - the reports on a recording of samples, compared with the kept ones. */
#include "check.h"

#include "base/own.h"
#include "kept.h"
#include "profile/profile.h"
#include "report/report.h"
#include "schema.h"

#include <unistd.h>

#define PERIOD_NS 1000000u

/* Frames and chains of a server: the innermost frame of each chain, and its caller's chain. */
static struct recording_frame frames[] = {
	{0, FRAME_USER, (char *)"main", (char *)"/src/server.c", 90, (char *)"/opt/server"},
	{0, FRAME_USER, (char *)"serve", (char *)"/src/server.c", 42, (char *)"/opt/server"},
	{0, FRAME_USER, (char *)"pread64", NULL, 0, (char *)"/usr/lib/libc.so.6"},
	{0, FRAME_KERNEL, (char *)"__iomap_dio_rw", NULL, 0, NULL},
	{0, FRAME_USER, (char *)"checksum", (char *)"/src/sum.c", 7, (char *)"/opt/server"},
	{0, FRAME_USER, (char *)"__lll_lock_wait", NULL, 0, (char *)"/usr/lib/libc.so.6"},
	{0, FRAME_KERNEL, (char *)"futex_wait_queue", NULL, 0, NULL},
	{0, FRAME_USER, NULL, NULL, 0, (char *)"/opt/plug\033[31m.so"},
	{0, FRAME_KERNEL, (char *)"ext4_file_read_iter", NULL, 0, (char *)"ext4"},
};
static const struct {
	size_t caller, frame; /* caller: number of a chain from 1 on; 0: none */
} chains[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {2, 4}, {1, 5}, {6, 6}, {2, 7}, {3, 8}};

static struct recording_moment moments[] = {
	{.stack_id = 5, .class = CLASS_USER, .samples = 400, .weight_ns = 400 * PERIOD_NS},
	{.stack_id = 9, .class = CLASS_KERNEL, .samples = 50, .weight_ns = 50 * PERIOD_NS},
	{.stack_id = 4,
	 .class = CLASS_IO,
	 .subclass = (char *)"disk",
	 .system_call = (char *)"pread64",
	 .samples = 200,
	 .weight_ns = 300 * PERIOD_NS},
	{.stack_id = 7,
	 .class = CLASS_LOCK,
	 .subclass = (char *)"futex",
	 .system_call = (char *)"futex",
	 .address = 0x7ffff7dd1000,
	 .samples = 20,
	 .weight_ns = 150 * PERIOD_NS},
	{.stack_id = 5, .class = CLASS_RUNNABLE, .samples = 60, .weight_ns = 60 * PERIOD_NS},
	{.stack_id = 8, .class = CLASS_USER, .samples = 20, .weight_ns = 20 * PERIOD_NS},
	{.stack_id = 0, .class = CLASS_OTHER, .samples = 1, .weight_ns = 20 * PERIOD_NS},
};

static int write_rows(struct profile *profile, const struct recording_run *run, struct error *error)
{
	int64_t thread_ids[2], stack_ids[sizeof(chains) / sizeof(*chains) + 1] = {0};
	int code = 0;

	for (unsigned i = 0; i < 2 && !code; i++) {
		struct recording_thread thread = {0, run->id, 100, 100 + i,
						  (char *)(i ? "worker;1" : "server")};
		code = profile_add_thread(profile, &thread, error);
		thread_ids[i] = thread.id;
	}
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames) && !code; i++)
		code = profile_add_frame(profile, &frames[i], error);
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains) && !code; i++) {
		struct recording_stack stack = {0, (uint64_t)stack_ids[chains[i].caller],
						frames[chains[i].frame].id};
		code = profile_add_stack(profile, &stack, error);
		stack_ids[i + 1] = stack.id;
	}
	for (size_t i = 0; i < sizeof(moments) / sizeof(*moments) && !code; i++) {
		struct recording_moment moment = moments[i];
		moment.run_id = run->id;
		moment.thread_id = thread_ids[i % 2];
		moment.stack_id = (uint64_t)stack_ids[moment.stack_id];
		moment.variance = (double)moment.samples * PERIOD_NS * PERIOD_NS;
		code = profile_set_moment(profile, &moment, error);
	}
	return code;
}

/* By way of a file; NULL and a sentence printed if that failed. */
static struct recording *recording_of_server(void)
{
	char path[] = "/tmp/lever-golden-XXXXXX";
	struct error error = {0};
	struct recording *recording = NULL;
	struct profile *profile = NULL;
	struct recording_run run = {
		.kind = RUN_SAMPLES,
		.command = (char *)"[\"/opt/server\", \"--port\", \"8080\"]",
		.engine = (char *)"kernel",
		.host = (char *)"build1",
		.kernel = (char *)"6.18.0",
		.version = (char *)"0.1.0",
		.started_s = 1700000000,
		.wall_ns = 1000000000,
		.period_ns = PERIOD_NS,
		.samples = 751,
		.sampled_ns = 1000ull * PERIOD_NS,
		.lost = 20,
		.unwound_badly = 90,
		.finished = true,
		.note = (char *)"2 announcements were lost",
	};
	int fd = mkstemp(path);
	if (fd < 0)
		return NULL;
	close(fd);
	int code = profile_create(path, true, &profile, &error);
	code = code ? code : profile_add_run(profile, &run, &error);
	code = code ? code : write_rows(profile, &run, &error);
	code = code ? code : profile_commit(profile, &error);
	profile_close(profile);
	if (code || profile_read(path, &recording, &error))
		printf("# %s\n", error.text);
	unlink(path);
	return recording;
}

enum form { FORM_TEXT, FORM_JSON, FORM_FOLDED };

static char *report_as(enum form form, const struct samples_filter *filter,
		       const struct report_samples_options *options)
{
	struct recording *recording = recording_of_server();
	if (!recording)
		return NULL;
	struct samples *samples = samples_new(recording, filter);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (form == FORM_JSON)
		report_samples_json(out, recording, samples);
	else if (form == FORM_FOLDED)
		report_samples_folded(out, samples);
	else
		report_samples_text(out, recording, samples, options);
	fclose(out);
	samples_free(samples);
	recording_free(recording);
	return text;
}

static const struct samples_filter everything = {.classes = SAMPLES_ALL_CLASSES};

static bool is_golden(const char *name, const struct samples_filter *filter,
		      struct report_samples_options options)
{
	options.look.columns = 100;
	AUTO(text) char *actual = report_as(FORM_TEXT, filter, &options);
	return actual && kept_equals(name, "text", actual);
}

TEST("samples by function: marks, both last functions, classes with their sub-classes")
{
	CHECK(is_golden("samples", &everything, (struct report_samples_options){0}));
}

TEST("samples by line")
{
	CHECK(is_golden("samples-line", &everything,
			(struct report_samples_options){.group = SAMPLES_BY_LINE}));
}

TEST("samples by thread, and what each did")
{
	CHECK(is_golden("samples-thread", &everything,
			(struct report_samples_options){.group = SAMPLES_BY_THREAD}));
}

TEST("samples by lock, with the futex and who waits for it")
{
	CHECK(is_golden("samples-lock", &everything,
			(struct report_samples_options){.group = SAMPLES_BY_LOCK}));
}

TEST("a call tree from the outermost function, and one from the innermost")
{
	CHECK(is_golden("samples-callees", &everything,
			(struct report_samples_options){.tree = REPORT_TREE_CALLEES}));
	CHECK(is_golden("samples-callers", &everything,
			(struct report_samples_options){.tree = REPORT_TREE_CALLERS}));
}

TEST("a filtered report says of how much its shares are")
{
	struct samples_filter locks = {.classes = 1u << CLASS_LOCK | 1u << CLASS_IO};
	CHECK(is_golden("samples-filtered", &locks, (struct report_samples_options){0}));
}

TEST("samples as JSON, as docs/samples.schema.json says")
{
	AUTO(text) char *actual = report_as(FORM_JSON, &everything, NULL);
	AUTO(text) char *path = text_format("%s/docs/samples.schema.json", kept_source());
	CHECK(actual && kept_equals("samples", "json", actual));
	AUTO(text) char *complaint = schema_complaint(path, actual);
	CHECK_TEXT(complaint, NULL);
}

TEST("the check against the schema finds what is wrong")
{
	AUTO(text) char *path = text_format("%s/docs/samples.schema.json", kept_source());
	static const char *const changes[][2] = {
		{"\"class\": \"I\"", "\"class\": \"J\""},
		{"\"futex\":", "\"futexes\":"},
		{"\"kind\": \"kernel\"", "\"kind\": \"colonel\""},
	};
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		AUTO(text) char *text = report_as(FORM_JSON, &everything, NULL);
		char *found = strstr(text, changes[i][0]);
		CHECK(found);
		AUTO(text)
		char *changed = text_format("%.*s%s%s", (int)(found - text), text, changes[i][1],
					    found + strlen(changes[i][0]));
		AUTO(text) char *complaint = schema_complaint(path, changed);
		CHECK(complaint);
	}
}

TEST("samples folded: one line a chain, names without the format's separators")
{
	AUTO(text) char *actual = report_as(FORM_FOLDED, &everything, NULL);
	CHECK(actual && kept_equals("samples", "folded", actual));
}
