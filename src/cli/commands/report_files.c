/* SPDX-License-Identifier: BSD-2-Clause */
/* report_files - chooses files by their names, and adds up what they hold. */
#include "cli/commands/report_files.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/output/message.h"
#include "profile/archive.h"
#include "profile/merge.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define DAY_S 86400

/* The whole text must be a time; fields that it lacks stay. */
static bool parse(const char *text, const char *const *formats, struct tm *parts, bool *is_utc)
{
	for (; *formats; formats++) {
		struct tm tried = *parts;
		const char *end = strptime(text, *formats, &tried);
		if (!end || (*end && strcmp(end, "Z") != 0))
			continue;
		*parts = tried;
		*is_utc = *end;
		return true;
	}
	return false;
}

static int64_t seconds_of(struct tm parts, bool is_utc)
{
	parts.tm_isdst = -1;
	return is_utc ? timegm(&parts) : mktime(&parts);
}

int report_set_time(const struct option *option, void *field, const char *text, struct error *error)
{
	static const char *const dated[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M",
					    "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", NULL};
	static const char *const daily[] = {"%H:%M:%S", "%H:%M", NULL};
	bool ends_in_z = *text && text[strlen(text) - 1] == 'Z', is_utc;
	time_t now = time(NULL);
	struct tm parts = {0}, today;
	int64_t *time_s = field;

	(void)option;
	if (parse(text, dated, &parts, &is_utc)) {
		*time_s = seconds_of(parts, is_utc);
		return 0;
	}
	today = ends_in_z ? *gmtime_r(&now, &today) : *localtime_r(&now, &today);
	today.tm_sec = 0;
	if (!parse(text, daily, &today, &is_utc))
		return error_set(error, -EINVAL,
				 "'%s' is not a time like 14:00 or 2026-11-23T14:00:30", text);
	*time_s = seconds_of(today, is_utc);
	if (*time_s > now)
		*time_s -= DAY_S;
	return 0;
}

static char *time_text(int64_t time_s)
{
	char text[32];
	time_t time = time_s;
	struct tm parts;

	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", localtime_r(&time, &parts));
	return text_copy(text);
}

static int64_t end_of(const struct recording_run *run)
{
	return run->wall_ns ? run->started_s + (int64_t)(run->wall_ns / 1000000000) : time(NULL);
}

/* Whole recordings are added up, so what the report covers may be more than was asked for. */
static void tell_covered(const struct recording *recording)
{
	const struct recording_run *last = &recording->runs.items[recording->runs.count - 1];
	AUTO(text) char *from = time_text(recording->runs.items[0].started_s);
	AUTO(text) char *to = time_text(end_of(last));

	message_print(EXIT_ANSWERED, "%zu recording%s, from %s to %s", recording->runs.count,
		      recording->runs.count == 1 ? "" : "s", from, to);
}

/* A file that cannot be read, as one that the disk lost, does not hide the others. */
static void add_file(struct merge *merge, const char *path, const struct report_range *range)
{
	struct recording *recording = NULL;
	struct error error = {0};

	if (profile_read(path, &recording, &error)) {
		if (!range->is_quiet)
			message_print(EXIT_ANSWERED, "left out: %s", error.text);
		return;
	}
	merge_add(merge, recording, range->from_s, range->to_s);
	recording_free(recording);
}

static int nothing_there(const char *path, const struct archive *archive, struct error *error)
{
	if (!archive->files.count)
		return error_set(error, -ENOENT,
				 "%s holds no recordings; lever record --continuous makes them",
				 path);
	AUTO(text) char *first = time_text(archive->files.items[0].start_s);
	AUTO(text)
	char *last = time_text(archive->files.items[archive->files.count - 1].start_s);
	return error_set(error, -ENOENT,
			 "%s holds no recording of that time; its first begins at %s, its last at "
			 "%s",
			 path, first, last);
}

static int read_folder(const char *path, const struct report_range *range,
		       struct recording **recording, struct error *error)
{
	struct archive archive = {0};
	int code = archive_read(path, &archive, error);

	if (code)
		return code;
	struct merge *merge = merge_new();
	for (size_t i = 0; i < archive.files.count; i++) {
		bool is_last = i + 1 == archive.files.count;
		bool is_before = !is_last && archive.files.items[i + 1].start_s < range->from_s;
		if (!is_before && archive.files.items[i].start_s < range->to_s)
			add_file(merge, archive.files.items[i].path, range);
	}
	*recording = merge_take(merge);
	merge_free(merge);
	if ((*recording)->runs.count && !range->is_quiet)
		tell_covered(*recording);
	if (!(*recording)->runs.count)
		code = nothing_there(path, &archive, error);
	archive_release(&archive);
	return code;
}

int report_files_read(const char *path, const struct report_range *range,
		      struct recording **recording, struct error *error)
{
	struct report_range all = *range;
	struct stat found;

	if (!all.to_s)
		all.to_s = INT64_MAX;
	if (range->from_s && range->to_s && range->from_s >= range->to_s)
		return error_set(error, -ERANGE, "the time does not begin before it ends");
	if (!stat(path, &found) && S_ISDIR(found.st_mode))
		return read_folder(path, &all, recording, error);
	if (range->from_s || range->to_s)
		return error_set(error, -ERANGE,
				 "--from and --to need a folder of lever record --continuous; %s "
				 "is a file",
				 path);
	return profile_read(path, recording, error);
}

/* "FROM..TO" */
static int parse_range(const char *text, struct report_range *range, struct error *error)
{
	const char *dots = strstr(text, "..");

	if (!dots || (dots == text && !dots[2]))
		return error_set(error, -ERANGE,
				 "'%s' is not a time from one to another, like 14:00..14:10", text);
	AUTO(text) char *from = text_format("%.*s", (int)(dots - text), text);
	if ((*from && report_set_time(NULL, &range->from_s, from, error)) ||
	    (dots[2] && report_set_time(NULL, &range->to_s, dots + 2, error)))
		return error->code = -ERANGE;
	return 0;
}

int report_files_read_named(const char *name, struct recording **recording, struct error *error)
{
	const char *at = strrchr(name, '@');
	struct report_range range = {0};
	struct stat found;

	if (!at || at == name || !stat(name, &found))
		return report_files_read(name, &range, recording, error);
	AUTO(text) char *path = text_format("%.*s", (int)(at - name), name);
	if (parse_range(at + 1, &range, error))
		return error->code;
	return report_files_read(path, &range, recording, error);
}
