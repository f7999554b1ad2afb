/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * causal - reports on recordings, compared with the files beside this one.
 *
 * tests/golden/renew writes these files; review its diff.
 */
#include "check.h"

#include "analyze/causal/causal.h"
#include "base/cleanup.h"
#include "expected.h"
#include "recordings_causal.h"
#include "schema.h"

#include <unistd.h>

/* The report on a recording that was written and read; NULL and a sentence printed on failure. */
static char *report_on(const char *name, const char *format)
{
	char path[] = "/tmp/lever-golden-XXXXXX";
	struct error error = {0};
	struct recording *recording = NULL;
	int fd = mkstemp(path);
	if (fd < 0)
		return NULL;
	close(fd);
	if (recordings_write(name, path, &error) || profile_read(path, &recording, &error)) {
		printf("# %s\n", error.text);
		unlink(path);
		return NULL;
	}
	unlink(path);
	char *text = expected_report(recording, RUN_CAUSAL, format, NULL, NULL);
	recording_free(recording);
	return text;
}

static bool is_golden(const char *name, const char *format)
{
	AUTO(text) char *actual = report_on(name, format);
	return actual && expected_equals(name, format, actual);
}

TEST("a pipeline's report ranks gains, and names contention and unsure targets")
{
	CHECK(is_golden("pipeline", "text"));
}

TEST("a pipeline's report as JSON")
{
	CHECK(is_golden("pipeline", "json"));
}

TEST("a pipeline's report in coz's format")
{
	CHECK(is_golden("pipeline", "coz"));
}

TEST("a pipeline's sure answers as lines of an editor's quickfix list")
{
	CHECK(is_golden("pipeline", "quickfix"));
}

TEST("a pipeline's sure answers as SARIF")
{
	CHECK(is_golden("pipeline", "sarif"));
}

TEST("a server's report has throughput and latency, over two runs")
{
	CHECK(is_golden("latency", "text"));
}

TEST("points that Lever found: the report goes by those that agree, and says which contradicts")
{
	CHECK(is_golden("found", "text"));
}

TEST("a set that gains only together is told first; one that experiments do not confirm is not")
{
	CHECK(is_golden("sets", "text"));
}

TEST("what to do first, and what is worth it then, as text")
{
	CHECK(is_golden("roadmap", "text"));
}

TEST("sets, their interactions and what was searched, as JSON")
{
	CHECK(is_golden("sets", "json"));
}

TEST("a server's report as JSON")
{
	CHECK(is_golden("latency", "json"));
}

TEST("names of any bytes cannot steer the terminal")
{
	CHECK(is_golden("hostile", "text"));
	AUTO(text) char *text = report_on("hostile", "text");
	for (const char *at = text; *at; at++)
		CHECK((unsigned char)*at >= 0x20 || *at == '\n');
}

TEST("names of any bytes give valid JSON")
{
	CHECK(is_golden("hostile", "json"));
}

TEST("names of any bytes do not break the lines of coz's format")
{
	AUTO(text) char *text = report_on("hostile", "coz");
	CHECK(text);
	unsigned experiments = 0;
	char *rest = text;
	for (char *line; (line = strsep(&rest, "\n"));) {
		experiments += !strncmp(line, "experiment\tselected=/src/", 25);
		CHECK(!*line || strchr(line, '\t'));
	}
	CHECK_EQUAL(experiments, 3 * 41);
}

TEST("where no point was visited often enough, the report says so")
{
	CHECK(is_golden("rare", "text"));
}

TEST("where no place has an answer, each says what it lacks")
{
	CHECK(is_golden("few", "text"));
}

TEST("where the program ended at once, the report says so")
{
	CHECK(is_golden("short", "text"));
}

TEST("every report as JSON is as docs/causal.schema.json says")
{
	AUTO(text) char *path = text_format("%s/docs/causal.schema.json", expected_source_root());
	for (unsigned i = 0; i < recordings_count; i++) {
		AUTO(text) char *text = report_on(recordings[i], "json");
		AUTO(text) char *complaint = schema_complaint(path, text);
		CHECK_TEXT(complaint, NULL);
	}
}

TEST("the check against the schema finds what is wrong")
{
	AUTO(text) char *path = text_format("%s/docs/causal.schema.json", expected_source_root());
	static const char *const changes[][2] = {
		{"\"lever\": 1", "\"lever\": 2"},
		{"\"kind\": \"line\"", "\"kind\": \"lion\""},
		{"\"slope\":", "\"slop\":"},
		{"\"displaced\": 3", "\"displaced\": -3"},
		{"\"share\": 0.412", "\"share\": \"much\""},
		{"\"experiments\": 60", "\"experiments\": 60.5"},
	};
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		AUTO(text) char *text = report_on("pipeline", "json");
		char *found = strstr(text, changes[i][0]);
		CHECK(found);
		AUTO(text)
		char *changed = text_format("%.*s%s%s", (int)(found - text), text, changes[i][1],
					    found + strlen(changes[i][0]));
		AUTO(text) char *complaint = schema_complaint(path, changed);
		CHECK(complaint);
	}
}

TEST("lines are at most 100 columns wide")
{
	for (unsigned i = 0; i < recordings_count; i++) {
		AUTO(text) char *text = report_on(recordings[i], "text");
		size_t width = 0;
		for (const char *at = text; *at; at++) {
			width = *at == '\n' ? 0 : width + (((unsigned char)*at & 0xc0) != 0x80);
			CHECK(width <= 100);
		}
	}
}
