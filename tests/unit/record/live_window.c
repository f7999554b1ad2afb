/* SPDX-License-Identifier: BSD-2-Clause */
/* live_window - what a live view holds: the last seconds, and nothing older. */
#include "check.h"

#include "base/cleanup.h"
#include "record/live_window.h"
#include "symbolize/scope.h"

CLEANUP_DEFINE(live_window, struct live_window *, live_window_free, NULL)
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

/* The live_window at `now_s`; NULL if it could not be read. */
static struct recording *read_at(struct live_window *window, unsigned now_s)
{
	struct mapped_files_sink sink = {.name_object = name_object, .set_unwind = set_unwind};
	struct recording_run run = {.kind = RUN_SAMPLES,
				    .period_ns = 1000000,
				    .exit_status = -1,
				    .wall_ns = 1};
	struct scope *scope = scope_new();
	struct live_window_symbols names = {.symbols = symbols_new(TARGET_LINE, scope)};
	struct recording *recording = NULL;
	struct wait_classifier *classifier;
	struct error error;

	wait_classifier_new(NULL, &classifier, NULL);
	names.mapped_files = mapped_files_new(names.symbols, &sink);
	names.classifier = classifier;
	if (live_window_read(window, &names, &run, now_s * 1000000000ull, &recording, &error))
		printf("# %s\n", error.text);
	mapped_files_free(names.mapped_files);
	symbols_free(names.symbols);
	scope_free(scope);
	wait_classifier_free(classifier);
	return recording;
}

static void add(struct live_window *window, unsigned at_s, unsigned tid)
{
	static struct record_sample sample;

	sample = (struct record_sample){.kind = RECORD_EVENT_SAMPLE,
					.flags = RECORD_ON_CPU,
					.tgid = 1,
					.tid = tid,
					.time_ns = at_s * 1000000000ull,
					.weight_ns = 1000000,
					.system_call = -1};
	live_window_add(window, &sample);
}

TEST("samples leave the window when they are too old, and reading keeps them")
{
	AUTO(live_window) struct live_window *window = live_window_new(10);

	for (unsigned second = 1; second <= 20; second++)
		add(window, second, 7);
	for (int i = 0; i < 2; i++) {
		AUTO(recording) struct recording *recording = read_at(window, 15);
		CHECK_EQUAL(recording->runs.items[0].samples, 16); /* 5 to 20 */
		CHECK_EQUAL(recording->stack_samples.items[0].weight_ns, 16000000);
	}
	AUTO(recording) struct recording *later = read_at(window, 28);
	CHECK_EQUAL(later->stack_samples.items[0].samples, 3);
	add(window, 29, 8);
	AUTO(recording) struct recording *two = read_at(window, 30);
	CHECK_EQUAL(two->threads.count, 2);
	AUTO(recording) struct recording *empty = read_at(window, 60);
	CHECK_EQUAL(empty->stack_samples.count, 0);
}
