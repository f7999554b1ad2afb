/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_values - reads the profile and lists its names. */
#include "cli/commands/profile_values.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "profile/profile.h"

#include <string.h>
#include <unistd.h>

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static void add_line(char **lines, const char *line)
{
	char *longer = *lines ? text_format("%s\n%s", *lines, line) : text_copy(line);

	free(*lines);
	*lines = longer;
}

static char *points_of(const struct recording *recording)
{
	char *lines = NULL;

	for (size_t i = 0; i < recording->points.count; i++)
		add_line(&lines, recording->points.items[i].name);
	return lines;
}

static char *targets_of(const struct recording *recording)
{
	char *lines = NULL;

	for (size_t i = 0; i < recording->targets.count; i++) {
		const struct recording_target *target = &recording->targets.items[i];
		if (target->kind != TARGET_EXTERNAL && target->name)
			add_line(&lines, target->name);
	}
	return lines;
}

char *profile_values(const struct option *option, const char *profile)
{
	static const char *const for_points[] = {"progress", "latency", NULL};
	AUTO(recording) struct recording *recording = NULL;
	struct error error = {0};
	const char *path = profile ? profile : "lever.lever";
	bool of_points = is_one_of(option->name, for_points);

	if (!of_points && strcmp(option->name, "target") != 0)
		return NULL;
	if (access(path, R_OK) || profile_read(path, &recording, &error))
		return NULL;
	return of_points ? points_of(recording) : targets_of(recording);
}
