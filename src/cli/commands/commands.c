/* SPDX-License-Identifier: BSD-2-Clause */
/* commands - the list, and `lever help` and `lever version`, which are about it. */
#include "cli/commands/commands.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/commands/profile_values.h"
#include "cli/options/command_line.h"
#include "cli/options/completion.h"
#include "cli/options/help.h"
#include "cli/options/topics.h"
#include "cli/options/values.h"
#include "cli/output/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct help_values {
	bool options, complete;
	unsigned behind;
};

static const struct option help_table[] = {
	{.name = "options",
	 .help = "print all options, one a line with tabs, for scripts",
	 .set = value_set_flag,
	 .offset = offsetof(struct help_values, options)},
	{.name = "complete",
	 .help = "for shells: print what the last WORD of a command line may go on with",
	 .set = value_set_flag,
	 .offset = offsetof(struct help_values, complete)},
	{.name = "behind",
	 .argument = "COUNT",
	 .help = "with --complete: so many of the words stand behind the cursor",
	 .set = value_set_count,
	 .offset = offsetof(struct help_values, behind)},
};

const struct command_page help_page = {
	.name = "help",
	.summary = "list the commands, the options of one, or explain a topic",
	.operands = "[COMMAND | TOPIC | -- WORD...]",
	.manual = "lever",
	.purpose = "Lists the commands and topics, the options of a command, or a topic's page.",
	.options = help_table,
	.option_count = sizeof(help_table) / sizeof(help_table[0]),
};

const struct command_page version_page = {
	.name = "version",
	.summary = "print the version of lever",
	.operands = "",
	.manual = "lever",
	.purpose = "Prints the version.",
};

#define COMMAND_ENTRY(name) {&name##_page, command_##name},
static const struct command commands[] = {COMMANDS(COMMAND_ENTRY)};
static const size_t commands_count = sizeof(commands) / sizeof(commands[0]);

static const char *nearest_to(const char *name)
{
	const char *names[sizeof(commands) / sizeof(commands[0])];
	for (size_t i = 0; i < commands_count; i++)
		names[i] = commands[i].page->name;
	return text_nearest(name, names, commands_count);
}

const struct command *commands_find(const char *name)
{
	for (size_t i = 0; i < commands_count; i++)
		if (!strcmp(commands[i].page->name, name))
			return &commands[i];
	return NULL;
}

int commands_check_config(const struct config *config, struct error *error)
{
	for (size_t i = 0; i < config->entries.count; i++) {
		const struct config_entry *entry = &config->entries.items[i];
		const struct command *command = commands_find(entry->section);
		const char *nearest = nearest_to(entry->section);
		if (command && options_check_entry(command->page, entry, error))
			return error->code;
		if (command)
			continue;
		return error_set(error, -EINVAL, "%s:%u: there is no command [%s]%s%s%s",
				 entry->path, entry->line, entry->section,
				 nearest ? "; did you mean [" : "; a section is a command as [run]",
				 nearest ? nearest : "", nearest ? "]?" : "");
	}
	return 0;
}

/* The first command with that option. */
static const struct command *find_command_with(const char *option)
{
	for (size_t i = 0; i < commands_count; i++)
		if (!options_check_name(commands[i].page, option, NULL))
			return &commands[i];
	return NULL;
}

/* Of all commands; `name` itself, if it is one. */
static const char *nearest_option(const char *name)
{
	ARRAY(const char *) names = {0};
	const struct option *option;

	if (find_command_with(name))
		return name;
	for (size_t i = 0; i < commands_count; i++)
		for (size_t j = 0; (option = command_page_option(commands[i].page, j)); j++)
			*array_add(&names) = option->name;
	const char *nearest = text_nearest(name, names.items, names.count);
	array_free(&names);
	return nearest;
}

static int report_no_command(const char *name, const char *section, const char *rest,
			     struct error *error)
{
	const char *option = *rest ? rest : nearest_option(name);
	const struct command *owner = option ? find_command_with(option) : NULL;
	const char *nearest = nearest_to(section);

	if (nearest && *rest)
		return error_set(error, -EINVAL, "there is no command '%s'; did you mean '%s.%s'?",
				 section, nearest, rest);
	if (owner)
		return error_set(error, -EINVAL, "'%s' names no command; did you mean '%s.%s'?",
				 name, owner->page->name, option);
	return error_set(error, -EINVAL,
			 "'%s' is not of the form COMMAND.OPTION, as run.seconds; lever help lists "
			 "commands",
			 name);
}

int commands_check_option(const char *name, struct error *error)
{
	size_t length = strcspn(name, ".");
	AUTO(text) char *section = text_format("%.*s", (int)length, name);
	const struct command *command = commands_find(section);
	const char *option = name + length + (name[length] == '.');

	if (!command)
		return report_no_command(name, section, option, error);
	if (!*option)
		return error_set(
			error, -EINVAL,
			"'%s' names no option, as %s.OPTION does; lever help %s lists them", name,
			section, section);
	return options_check_name(command->page, option, error);
}

static int report_unknown(const char *name)
{
	const char *nearest = nearest_to(name);
	if (nearest)
		return message_print(EXIT_USAGE, "unknown command '%s'; did you mean '%s'?", name,
				     nearest);
	return message_print(EXIT_USAGE,
			     "unknown command '%s'; see lever help, or profile a program with "
			     "lever run -- %s",
			     name, name);
}

int commands_run(int argc, char **argv)
{
	const struct command *command = commands_find(argv[0]);

	return command ? command->run(argc, argv) : report_unknown(argv[0]);
}

static int print_topic(const char *name)
{
	const char **names = memory_new(help_topics_count + commands_count, sizeof(*names));

	for (size_t i = 0; i < help_topics_count; i++) {
		names[i] = help_topics[i].name;
		if (strcmp(name, help_topics[i].name))
			continue;
		for (const char *const *line = help_topics[i].lines; *line; line++)
			puts(*line);
		free(names);
		return EXIT_ANSWERED;
	}
	for (size_t i = 0; i < commands_count; i++)
		names[help_topics_count + i] = commands[i].page->name;
	const char *nearest = text_nearest(name, names, help_topics_count + commands_count);
	free(names);
	return message_print(EXIT_USAGE, "no command or topic '%s'; %s%s%s", name,
			     nearest ? "did you mean '" : "lever help lists them",
			     nearest ? nearest : "", nearest ? "'?" : "");
}

int command_help(int argc, char **argv)
{
	struct help_values values = {0};
	int operand, exit_code;
	if (!command_line_parse(&help_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (values.complete) {
		struct completion completion = {commands, commands_count, profile_values};
		completion_print(stdout, &completion, argc - operand, argv + operand,
				 values.behind);
		return EXIT_ANSWERED;
	}
	if (operand + 1 < argc)
		return message_print(EXIT_USAGE, "unexpected argument '%s' after '%s'",
				     argv[operand + 1], argv[operand]);
	if (operand < argc && !commands_find(argv[operand]))
		return print_topic(argv[operand]);
	if (operand < argc) {
		char help[] = "--help", *words[] = {argv[operand], help, NULL};
		return commands_run(2, words);
	}
	if (values.options)
		help_options(stdout, commands, commands_count);
	else
		help_overview(stdout, commands, commands_count);
	return EXIT_ANSWERED;
}

int command_version(int argc, char **argv)
{
	int operand, exit_code;
	if (!command_line_parse(&version_page, argc, argv, NULL, &operand, &exit_code))
		return exit_code;
	if (operand < argc)
		return message_print(EXIT_USAGE, "unexpected argument '%s'", argv[operand]);
	puts("lever " LEVER_VERSION);
	return EXIT_ANSWERED;
}

void commands_print(FILE *out)
{
	help_overview(out, commands, commands_count);
}
