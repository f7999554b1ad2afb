/* SPDX-License-Identifier: BSD-2-Clause */
/* samples - the reports on a recording of samples, compared with the expected ones. */
#include "check.h"

#include "base/cleanup.h"
#include "expected.h"
#include "profile/profile.h"
#include "recordings_samples.h"
#include "report/report.h"
#include "schema.h"

#include <unistd.h>

/* By way of a file; NULL and a sentence printed if that failed. */
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
	options.layout.columns = 100;
	AUTO(text) char *actual = report_as(FORM_TEXT, filter, &options);
	return actual && expected_equals(name, "text", actual);
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
	CHECK(actual && expected_equals("samples", "folded", actual));
}
