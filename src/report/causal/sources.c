/* SPDX-License-Identifier: BSD-2-Clause */
/* sources - reads each source file once, and keeps the lines around targets. */
#include "report/causal/sources.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/source_file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/display.h"

#include <string.h>

#define WIDTH_MOST 240    /* characters of a line; the rest is "…" */
#define SHARE_LEAST 0.001 /* of a target without an answer; below, the page shows its name only */

struct source {
	const char *path;
	char *content; /* lines with a final 0; NULL if it cannot be read */
	ARRAY(const char *) lines;
	json_t *kept;
	bool is_newer;
};

struct sources {
	ARRAY(struct source) files;
	int64_t started_s;
	struct caller user; /* whose rights root reads with; root: its own */
};

static bool is_source_name(const char *path)
{
	static const char *const endings[] = {
		"c",   "h",    "cc",    "cpp",  "cxx", "c++", "hh", "hpp", "hxx", "inc",
		"inl", "ipp",  "tcc",   "C",    "H",   "rs",  "go", "zig", "d",   "f",
		"f90", "F90",  "s",     "S",    "y",   "l",   "ll", "yy",  "py",  "js",
		"ts",  "nim",  "ml",    "hs",   "m",   "mm",  "cu", "adb", "pas", "cr",
		"v",   "odin", "swift", "java", "kt",  "cs",  "rl", "re",  "def", "asm",
	};
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (!strcmp(dot + 1, endings[i]))
			return true;
	}
	return false;
}

static void split(struct source *source)
{
	char *rest = source->content;
	for (char *line; (line = strsep(&rest, "\n"));) {
		size_t length = strlen(line);
		if (length && line[length - 1] == '\r')
			line[length - 1] = 0;
		*array_add(&source->lines) = line;
	}
	if (source->lines.count && !*source->lines.items[source->lines.count - 1])
		source->lines.count--; /* no line follows the last newline */
}

/* The profile's owner chose the path. */
static void load(struct source *source, int64_t started_s, const struct caller *user)
{
	struct stat status;

	if (!is_source_name(source->path))
		return;
	source->content = source_file_read(source->path, user, &status);
	if (!source->content)
		return;
	source->is_newer = status.st_mtime > started_s;
	split(source);
}

static struct source *source_for(struct sources *sources, const char *path)
{
	for (size_t i = 0; i < sources->files.count; i++) {
		if (!strcmp(sources->files.items[i].path, path))
			return &sources->files.items[i];
	}
	struct source *source = array_add(&sources->files);
	source->path = path;
	source->kept = json_object();
	load(source, sources->started_s, &sources->user);
	return source;
}

static void keep_line(struct source *source, size_t number)
{
	AUTO(text) char *key = text_format("%zu", number);
	if (json_object_get(source->kept, key))
		return;
	AUTO(text) char *valid = utf8_valid(source->lines.items[number - 1]);
	AUTO(text) char *fitted = display_fit(valid, WIDTH_MOST);
	json_object_set_new(source->kept, key, json_string(fitted));
}

static void keep_around(struct source *source, const struct recording_target *target)
{
	size_t before = 6, after = target->kind == TARGET_FUNCTION ? 16 : 6;
	size_t first = target->line > before ? target->line - before : 1;
	size_t last = target->line + after;
	if (target->line > source->lines.count)
		return;
	for (size_t i = first; i <= last && i <= source->lines.count; i++)
		keep_line(source, i);
}

static json_t *json_of(struct source *source)
{
	AUTO(text) char *file = utf8_valid(source->path);
	return json_pack("{ss sb sO}", "file", file, "newer", source->is_newer, "lines",
			 source->kept);
}

json_t *sources_of(const struct recording *recording, const struct causal *causal)
{
	size_t runs = recording->runs.count;
	struct sources sources = {.started_s = runs ? recording->runs.items[runs - 1].started_s : 0,
				  .user = caller_of_uid(recording->owner_uid)};

	caller_of_sudo(&sources.user);
	json_t *array = json_array();
	for (size_t i = 0; i < causal->count; i++) {
		const struct causal_target *target = &causal->targets[i];
		bool is_shown = target->count || target->share >= SHARE_LEAST;
		if (is_shown && target->target->file && target->target->line)
			keep_around(source_for(&sources, target->target->file), target->target);
	}
	for (size_t i = 0; i < sources.files.count; i++) {
		struct source *source = &sources.files.items[i];
		if (json_object_size(source->kept))
			json_array_append_new(array, json_of(source));
		json_decref(source->kept);
		array_free(&source->lines);
		free(source->content);
	}
	array_free(&sources.files);
	return array;
}
