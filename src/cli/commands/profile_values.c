/* SPDX-License-Identifier: BSD-2-Clause */
/* profile_values - reads the profile, then the program, and lists their names. */
#include "cli/commands/profile_values.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/commands/program_values.h"
#include "experiment/target/target_kinds.h"
#include "profile/profile.h"
#include "symbolize/kernel/system_calls.h"

#include <stdio.h>
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

static void print_points(FILE *out, const struct recording *recording)
{
	for (size_t i = 0; i < recording->points.count; i++)
		fprintf(out, "%s\n", recording->points.items[i].name);
}

static void print_targets(FILE *out, const struct recording *recording)
{
	for (size_t i = 0; i < recording->targets.count; i++) {
		const struct recording_target *target = &recording->targets.items[i];
		if (target->kind != TARGET_EXTERNAL && target->name)
			fprintf(out, "%s\n", target->name);
	}
}

/* Plainly, and behind the prefixes that may begin as the value does. */
static void print_functions(FILE *out, const struct completion_line *line)
{
	static const char *const prefixes[] = {TARGET_FUNCTION_PREFIX, SYMBOLS_INCLUSIVE_PREFIX};
	AUTO(text) char *names = program_functions(line->program);

	fputs(names, out);
	for (size_t i = 0; *line->value && i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		AUTO(text) char *copy = text_copy(names);
		char *rest = copy;
		if (!text_starts_with(line->value, prefixes[i]) &&
		    !text_starts_with(prefixes[i], line->value))
			continue;
		for (char *name; (name = strsep(&rest, "\n"));)
			if (*name)
				fprintf(out, "%s%s\n", prefixes[i], name);
	}
}

/* System calls and classes of waits, where the value begins as such a name does. */
static void print_waits(FILE *out, const char *value)
{
	const char *name;

	if (!*value)
		return;
	if (text_starts_with(value, TARGET_CLASS_PREFIX) ||
	    text_starts_with(TARGET_CLASS_PREFIX, value))
		for (const char *letter = "ILSB"; *letter; letter++)
			fprintf(out, TARGET_CLASS_PREFIX "%c\n", *letter);
	if (text_starts_with(value, SYSTEM_CALL_PREFIX) ||
	    text_starts_with(SYSTEM_CALL_PREFIX, value))
		for (int number = 0; number < system_call_count(); number++)
			if ((name = system_call_name(number)))
				fprintf(out, SYSTEM_CALL_PREFIX "%s\n", name);
}

char *profile_values(const struct option *option, const struct completion_line *line)
{
	static const char *const for_points[] = {"progress", "latency", NULL};
	static const char *const for_targets[] = {"target", "with", "assume", "focus", NULL};
	AUTO(recording) struct recording *recording = NULL;
	struct error error = {0};
	const char *path = line->profile ? line->profile : "lever.lever";
	bool of_points = is_one_of(option->name, for_points);
	char *lines = NULL;
	size_t size;

	if (!strcmp(option->name, "class"))
		return text_copy("I\nL\nS\nB\n");
	if (!of_points && !is_one_of(option->name, for_targets))
		return NULL;
	FILE *out = open_memstream(&lines, &size);
	/* Only functions focus. */
	bool of_profile = strcmp(option->name, "focus") != 0;
	if (of_profile && !access(path, R_OK) && !profile_read(path, &recording, &error))
		(of_points ? print_points : print_targets)(out, recording);
	if (line->program && of_points) {
		AUTO(text) char *names = program_points(line->program);
		fputs(names, out);
	} else if (line->program) {
		print_functions(out, line);
	}
	if (of_profile && !of_points)
		print_waits(out, line->value);
	fclose(out);
	return lines;
}
