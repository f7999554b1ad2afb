/* SPDX-License-Identifier: BSD-2-Clause */
/* window - what a live view holds: the last seconds, and nothing older. */
#include "check.h"

#include "base/own.h"
#include "record/window.h"
#include "symbolize/scope.h"

OWN_DEFINE(window, struct window *, window_free, NULL)
OWN_DEFINE(recording, struct recording *, recording_free, NULL)

static int name_object(void *context, const struct kernel_file *file, uint32_t object)
{
	(void)context;
	(void)file;
	return (int)object * 0;
}

static int set_unwind(void *context, uint32_t object, const struct kernel_unwind_row *rows,
		      size_t count)
{
	(void)context;
	(void)rows;
	(void)count;
	return (int)object * 0;
}

/* The window at `now_s`; NULL if it could not be read. */
static struct recording *look(struct window *window, unsigned now_s)
{
	struct files_sink sink = {.name_object = name_object, .set_unwind = set_unwind};
	struct recording_run run = {.kind = RUN_SAMPLES,
				    .period_ns = 1000000,
				    .exit_status = -1,
				    .wall_ns = 1};
	struct scope *scope = scope_new();
	struct window_names names = {.symbols = symbols_new(TARGET_LINE, scope)};
	struct recording *recording = NULL;
	struct classes *classes;
	struct error error;

	classes_new(NULL, &classes, NULL);
	names.files = files_new(names.symbols, &sink);
	names.classes = classes;
	if (window_read(window, &names, &run, now_s * 1000000000ull, &recording, &error))
		printf("# %s\n", error.text);
	files_free(names.files);
	symbols_free(names.symbols);
	scope_free(scope);
	classes_free(classes);
	return recording;
}

static void add(struct window *window, unsigned at_s, unsigned tid)
{
	static struct record_sample sample;

	sample = (struct record_sample){.kind = RECORD_EVENT_SAMPLE,
					.flags = RECORD_ON_CPU,
					.tgid = 1,
					.tid = tid,
					.time_ns = at_s * 1000000000ull,
					.weight_ns = 1000000,
					.system_call = -1};
	window_add(window, &sample);
}

TEST("samples leave the window when they are too old, and looks do not use them up")
{
	AUTO(window) struct window *window = window_new(10);

	for (unsigned second = 1; second <= 20; second++)
		add(window, second, 7);
	for (int i = 0; i < 2; i++) {
		AUTO(recording) struct recording *recording = look(window, 15);
		CHECK_EQUAL(recording->runs.items[0].samples, 16); /* 5 to 20 */
		CHECK_EQUAL(recording->moments.items[0].weight_ns, 16000000);
	}
	AUTO(recording) struct recording *later = look(window, 28);
	CHECK_EQUAL(later->moments.items[0].samples, 3);
	add(window, 29, 8);
	AUTO(recording) struct recording *two = look(window, 30);
	CHECK_EQUAL(two->threads.count, 2);
	AUTO(recording) struct recording *empty = look(window, 60);
	CHECK_EQUAL(empty->moments.count, 0);
}
