/* SPDX-License-Identifier: BSD-2-Clause */
/* layout - padded environments, and shuffled link commands. */
#include "compare/layout.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "compare/child.h"
#include "stats/random.h"

#include <errno.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>

#define PLACEHOLDER "{}"

extern char **environ;

char **layout_environment(unsigned bytes)
{
	ARRAY(char *) copy = {0};

	for (char **entry = environ; *entry; entry++)
		*array_add(&copy) = text_copy(*entry);
	if (bytes) {
		char *padding = memory_new(bytes + sizeof("LEVER_LAYOUT="), 1);
		memset(stpcpy(padding, "LEVER_LAYOUT="), '.', bytes);
		*array_add(&copy) = padding;
	}
	*array_add(&copy) = NULL;
	return copy.items;
}

void layout_free(char **texts)
{
	for (char **text = texts; text && *text; text++)
		free(*text);
	free(texts);
}

bool layout_is_randomized(void)
{
	AUTO(text) char *setting = file_read("/proc/sys/kernel/randomize_va_space", NULL, NULL);
	int flags = personality(0xffffffff);

	return setting && *setting != '0' && !(flags >= 0 && flags & ADDR_NO_RANDOMIZE);
}

static bool is_object(const char *word)
{
	const char *dot = strrchr(word, '.');
	return dot && (!strcmp(dot, ".o") || !strcmp(dot, ".obj") || !strcmp(dot, ".a"));
}

struct words {
	char **items;
	size_t count, capacity;
};

/* Puts the objects among the words into random order, at the same positions. */
static void shuffle_objects(struct words *words, uint64_t seed)
{
	struct random random = random_seeded(seed);
	struct words objects = {0};
	size_t next = 0;

	for (size_t i = 0; i < words->count; i++)
		if (is_object(words->items[i]))
			*array_add(&objects) = words->items[i];
	random_shuffle(&random, objects.items, objects.count, sizeof(*objects.items));
	for (size_t i = 0; i < words->count; i++)
		if (is_object(words->items[i]))
			words->items[i] = objects.items[next++];
	array_free(&objects);
}

static char *replaced(const char *word, const char *program)
{
	const char *at = strstr(word, PLACEHOLDER);

	return at ? text_format("%.*s%s%s", (int)(at - word), word, program,
				at + strlen(PLACEHOLDER)) :
		    text_copy(word);
}

int layout_link(const char *command, const char *program, uint64_t seed, struct error *error)
{
	AUTO(text) char *copy = text_copy(command);
	AUTO(text) char *line = text_copy("");
	struct words words = {0};
	struct child_run run;
	char *rest = NULL;

	for (char *word = strtok_r(copy, " \t\n", &rest); word;
	     word = strtok_r(NULL, " \t\n", &rest))
		*array_add(&words) = word;
	shuffle_objects(&words, seed);
	for (size_t i = 0; i < words.count; i++) {
		AUTO(text) char *before = line;
		AUTO(text) char *word = replaced(words.items[i], program);
		line = text_format("%s%s%s", before, i ? " " : "", word);
	}
	array_free(&words);
	char shell[] = "/bin/sh", option[] = "-c", *arguments[] = {shell, option, line, NULL};
	const struct child_command shell_command = {.arguments = arguments,
						    .environment = environ,
						    .shows_output = true};
	int code = child_run(&shell_command, &run, error);
	if (code)
		return code;
	close(run.stderr_file);
	if (WIFEXITED(run.status) && !WEXITSTATUS(run.status))
		return 0;
	return error_set(error, -EINVAL, "the link command failed: %s", line);
}

char **layout_arguments(char *const *arguments, const char *program)
{
	struct words words = {0};

	for (; *arguments; arguments++)
		*array_add(&words) =
			program ? replaced(*arguments, program) : text_copy(*arguments);
	*array_add(&words) = NULL;
	return words.items;
}
