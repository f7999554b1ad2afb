/* SPDX-License-Identifier: BSD-2-Clause */
/* samples - the reports on a recording of samples, compared with the expected ones. */
#include "check.h"

#include "base/cleanup.h"
#include "expected.h"
#include "profile/profile.h"
#include "recordings_samples.h"
#include "schema.h"

#include <unistd.h>

/* Written and read; NULL and a sentence printed on failure. */
static struct recording *recording_of_server(void)
{
	char path[] = "/tmp/lever-golden-XXXXXX";
	struct error error = {0};
	struct recording *recording = NULL;
	int fd = mkstemp(path);
	if (fd < 0)
		return NULL;
	close(fd);
	if (sample_recordings_write("server", path, &error) ||
	    profile_read(path, &recording, &error))
		printf("# %s\n", error.text);
	unlink(path);
	return recording;
}

static char *report_as(const char *format, const struct samples_filter *filter,
		       const struct report_options *options)
{
	struct recording *recording = recording_of_server();
	char *text =
		recording ? expected_report(recording, RUN_SAMPLES, format, options, filter) : NULL;

	recording_free(recording);
	return text;
}

static bool is_golden(const char *name, const struct samples_filter *filter,
		      struct report_options options)
{
	AUTO(text) char *actual = report_as("text", filter, &options);
	return actual && expected_equals(name, "text", actual);
}

TEST("samples by function: marks, both last functions, classes with their sub-classes")
{
	CHECK(is_golden("samples", NULL, (struct report_options){0}));
}

TEST("samples by line")
{
	CHECK(is_golden("samples-line", NULL, (struct report_options){.group = SAMPLES_BY_LINE}));
}

TEST("samples by thread, and what each did")
{
	CHECK(is_golden("samples-thread", NULL,
			(struct report_options){.group = SAMPLES_BY_THREAD}));
}

TEST("samples by lock, with the code that waits and the code that releases")
{
	CHECK(is_golden("samples-lock", NULL, (struct report_options){.group = SAMPLES_BY_LOCK}));
}

TEST("samples by file")
{
	CHECK(is_golden("samples-file", NULL, (struct report_options){.group = SAMPLES_BY_FILE}));
}

TEST("a call tree from the outermost function, and one from the innermost")
{
	CHECK(is_golden("samples-callees", NULL,
			(struct report_options){.tree = REPORT_TREE_CALLEES}));
	CHECK(is_golden("samples-callers", NULL,
			(struct report_options){.tree = REPORT_TREE_CALLERS}));
}

TEST("a filtered report says of how much its shares are")
{
	struct samples_filter locks = {.classes = 1u << CLASS_LOCK | 1u << CLASS_IO};
	CHECK(is_golden("samples-filtered", &locks, (struct report_options){0}));
}

TEST("samples as JSON, as docs/samples.schema.json says")
{
	AUTO(text) char *actual = report_as("json", NULL, NULL);
	AUTO(text) char *path = text_format("%s/docs/samples.schema.json", expected_source_root());
	CHECK(actual && expected_equals("samples", "json", actual));
	AUTO(text) char *complaint = schema_complaint(path, actual);
	CHECK_TEXT(complaint, NULL);
}

TEST("the check against the schema finds what is wrong")
{
	AUTO(text) char *path = text_format("%s/docs/samples.schema.json", expected_source_root());
	static const char *const changes[][2] = {
		{"\"class\": \"I\"", "\"class\": \"J\""},
		{"\"futex\":", "\"futexes\":"},
		{"\"kind\": \"kernel\"", "\"kind\": \"colonel\""},
	};
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		AUTO(text) char *text = report_as("json", NULL, NULL);
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
	AUTO(text) char *actual = report_as("folded", NULL, NULL);
	CHECK(actual && expected_equals("samples", "folded", actual));
}
