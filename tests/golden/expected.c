/* SPDX-License-Identifier: BSD-2-Clause */
/* expected - see expected.h; tests/golden/renew sets GOLDEN_RENEW. */
#include "expected.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>

const char *expected_source_root(void)
{
	const char *source = getenv("LEVER_SOURCE");
	return source ? source : ".";
}

static void print_difference(const char *expected, const char *actual)
{
	unsigned line = 1;
	const char *start = actual;
	for (; *actual && *actual == *expected; actual++, expected++) {
		if (*actual == '\n') {
			line++;
			start = actual + 1;
		}
	}
	printf("# first difference in line %u, which is now:\n# %.*s\n", line,
	       (int)strcspn(start, "\n"), start);
}

bool expected_equals(const char *name, const char *format, const char *actual)
{
	AUTO(text)
	char *path = text_format("%s/tests/golden/%s.%s", expected_source_root(), name, format);
	const char *renew = getenv("GOLDEN_RENEW");
	if (renew && *renew) {
		AUTO(file) FILE *file = fopen(path, "w");
		return file && fputs(actual, file) >= 0;
	}
	struct error error = {0};
	AUTO(text) char *expected = file_read(path, NULL, &error);
	if (expected && !strcmp(expected, actual))
		return true;
	printf("# %s: %s\n", path, expected ? "differs" : error.text);
	print_difference(expected ? expected : "", actual);
	return false;
}

char *expected_report(const struct recording *recording, enum run_kind kind, const char *format,
		      const struct report_options *options, const struct samples_filter *filter)
{
	static const struct samples_filter everything = {.classes = SAMPLES_ALL_CLASSES};
	struct report report = {.recording = recording};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (options)
		report.options = *options;
	report.options.columns = 100;
	report_analyze(&report, kind, filter ? filter : &everything);
	report_formats[report_format_find(format)].write[kind](out, &report);
	report_release(&report);
	fclose(out);
	return text;
}
