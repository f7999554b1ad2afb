/* SPDX-License-Identifier: BSD-2-Clause */
/* sources - which lines get into a page; only source files are read. */
#include "report/causal/sources.h"

#include "base/cleanup.h"
#include "check.h"

#include <sys/stat.h>

static char folder[] = "/tmp/lever-sources-XXXXXX";

static char *path_of(const char *name)
{
	return text_format("%s/%s", folder, name);
}

static void write_lines(const char *path, unsigned count, const char *ending)
{
	AUTO(file) FILE *file = fopen(path, "w");
	for (unsigned i = 1; i <= count; i++)
		fprintf(file, "line %u%s", i, ending);
}

/* The sources of a profile with two targets, begun at started_s. Free with json_decref. */
static json_t *sources_for(char *path, enum target_kind kind, unsigned first, unsigned second,
			   int64_t started_s)
{
	struct recording recording = {0};
	struct recording_target targets[2] = {
		{.kind = kind, .name = (char *)"a", .file = path, .line = first},
		{.kind = kind, .name = (char *)"b", .file = path, .line = second},
	};
	struct causal_target measured[2] = {
		{.target = &targets[0], .share = 0.5},
		{.target = &targets[1], .share = 0.25},
	};
	struct causal causal = {.targets = measured, .count = 2};
	array_add(&recording.runs)->started_s = started_s;
	json_t *sources = sources_of(&recording, &causal);
	array_free(&recording.runs);
	return sources;
}

static const char *line_at(const json_t *sources, const char *number)
{
	json_t *lines = json_object_get(json_array_get(sources, 0), "lines");
	return json_string_value(json_object_get(lines, number));
}

static size_t line_count(const json_t *sources)
{
	return json_object_size(json_object_get(json_array_get(sources, 0), "lines"));
}

TEST("lines around targets are kept, each once")
{
	CHECK(mkdtemp(folder));
	AUTO(text) char *path = path_of("a.c");
	write_lines(path, 100, "\r\n");
	json_t *sources = sources_for(path, TARGET_LINE, 50, 53, 4102444800);
	CHECK_EQUAL(json_array_size(sources), 1);
	CHECK_EQUAL(line_count(sources), 16);
	CHECK_TEXT(line_at(sources, "44"), "line 44");
	CHECK_TEXT(line_at(sources, "59"), "line 59");
	CHECK_TEXT(line_at(sources, "43"), NULL);
	CHECK(json_is_false(json_object_get(json_array_get(sources, 0), "newer")));
	json_decref(sources);
}

TEST("at the ends of a file there are fewer lines")
{
	AUTO(text) char *path = path_of("a.c");
	json_t *sources = sources_for(path, TARGET_LINE, 1, 100, 4102444800);
	CHECK_EQUAL(line_count(sources), 7 + 7);
	json_decref(sources);
}

TEST("the beginning of a function is kept")
{
	AUTO(text) char *path = path_of("a.c");
	json_t *sources = sources_for(path, TARGET_FUNCTION, 20, 20, 4102444800);
	CHECK_TEXT(line_at(sources, "14"), "line 14");
	CHECK_TEXT(line_at(sources, "36"), "line 36");
	CHECK_EQUAL(line_count(sources), 23);
	json_decref(sources);
}

TEST("a file changed after the run began is marked as newer")
{
	AUTO(text) char *path = path_of("a.c");
	json_t *sources = sources_for(path, TARGET_LINE, 1, 2, 1000000000);
	CHECK(json_is_true(json_object_get(json_array_get(sources, 0), "newer")));
	json_decref(sources);
}

TEST("a line beyond the file, or a file that is not there, gives nothing")
{
	AUTO(text) char *path = path_of("a.c");
	AUTO(text) char *missing = path_of("missing.c");
	json_t *beyond = sources_for(path, TARGET_LINE, 101, 4000000000u, 4102444800);
	json_t *nowhere = sources_for(missing, TARGET_LINE, 1, 2, 4102444800);
	CHECK_EQUAL(json_array_size(beyond), 0);
	CHECK_EQUAL(json_array_size(nowhere), 0);
	json_decref(beyond);
	json_decref(nowhere);
}

TEST("only source files are read, and no pipes or folders")
{
	static const char *const names[] = {"secret", "secret.txt", "id.pem", "c", "a.c.key"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		AUTO(text) char *path = path_of(names[i]);
		write_lines(path, 10, "\n");
		json_t *sources = sources_for(path, TARGET_LINE, 1, 2, 0);
		CHECK_EQUAL(json_array_size(sources), 0);
		json_decref(sources);
		unlink(path);
	}
	AUTO(text) char *pipe = path_of("pipe.c");
	AUTO(text) char *inner = path_of("folder.c");
	CHECK(!mkfifo(pipe, 0600) && !mkdir(inner, 0700));
	json_t *of_pipe = sources_for(pipe, TARGET_LINE, 1, 2, 0);
	json_t *of_folder = sources_for(inner, TARGET_LINE, 1, 2, 0);
	CHECK_EQUAL(json_array_size(of_pipe), 0);
	CHECK_EQUAL(json_array_size(of_folder), 0);
	json_decref(of_pipe);
	json_decref(of_folder);
	unlink(pipe);
	rmdir(inner);
}

TEST("lines of any bytes become UTF-8, and long ones are cut visibly")
{
	AUTO(text) char *path = path_of("a.c");
	FILE *file = fopen(path, "w");
	fputs("\xff\xfe tail\n", file);
	for (unsigned i = 0; i < 1000; i++)
		fputs("\xc3\xa4", file);
	fclose(file);
	json_t *sources = sources_for(path, TARGET_LINE, 1, 2, 4102444800);
	CHECK_TEXT(line_at(sources, "1"), "\xef\xbf\xbd\xef\xbf\xbd tail");
	const char *cut = line_at(sources, "2");
	CHECK_EQUAL(strlen(cut), 239 * 2 + strlen("…"));
	CHECK(!strcmp(cut + strlen(cut) - strlen("…"), "…"));
	json_decref(sources);
	unlink(path);
	rmdir(folder);
}
