/* SPDX-License-Identifier: BSD-2-Clause */
/* config - `lever config`: the options that files give, where; and changes of them. */
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/options/command_line.h"
#include "cli/options/config_edit.h"
#include "cli/options/values.h"
#include "cli/output/message.h"
#include "report/display.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct config_options {
	bool is_appended, is_local, is_global;
};

static const struct option options[] = {
	{"append", 0, NULL,
	 "with set: keep the values that stand there, for options that may repeat", value_set_flag,
	 offsetof(struct config_options, is_appended), NULL},
	{"global", 0, NULL, "with set and unset: in the user's file", value_set_flag,
	 offsetof(struct config_options, is_global), NULL},
	{"local", 0, NULL, "with set and unset: in the project's .lever, or a new one here",
	 value_set_flag, offsetof(struct config_options, is_local), NULL},
};

const struct command_page config_page = {
	.name = "config",
	.summary = "list or change the options that configuration files give",
	.operands = "[COMMAND.OPTION | set COMMAND.OPTION [VALUE] | unset COMMAND.OPTION]",
	.manual = "lever-config",
	.purpose = "Lists the options that ~/.config/lever/config and the .lever of the current "
		   "folder, or of one above it, give, and where each stands; or prints the values "
		   "of one of them; or writes one into a file.",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
};

static void config_auto_release(struct config *config)
{
	config_release(config);
}

static void print_entry(const struct config_entry *entry)
{
	AUTO(text) char *section = display_clean(entry->section);
	AUTO(text) char *name = display_clean(entry->name);
	AUTO(text) char *value = entry->value ? display_clean(entry->value) : text_copy("true");
	AUTO(text) char *path = display_clean(entry->path);

	printf("%s.%s = %s\t# %s:%u\n", section, name, value, path, entry->line);
}

static bool is_named(const struct config_entry *entry, const char *name)
{
	size_t length = strlen(entry->section);

	return !strncmp(entry->section, name, length) && name[length] == '.' &&
	       !strcmp(entry->name, name + length + 1);
}

static int list(const struct config *config)
{
	for (size_t i = 0; i < config->entries.count; i++)
		if (config_entry_counts(config, &config->entries.items[i]))
			print_entry(&config->entries.items[i]);
	if (!config->paths.count)
		return message_print(EXIT_ANSWERED,
				     "no configuration file; lever config set run.seconds 30 "
				     "writes one");
	return EXIT_ANSWERED;
}

static int print_values(const struct config *config, const char *name)
{
	struct error error = {0};
	bool is_found = false;

	for (size_t i = 0; i < config->entries.count; i++) {
		const struct config_entry *entry = &config->entries.items[i];
		if (!is_named(entry, name) || !config_entry_counts(config, entry))
			continue;
		AUTO(text)
		char *value = entry->value ? display_clean(entry->value) : text_copy("true");
		puts(value);
		is_found = true;
	}
	if (is_found)
		return EXIT_ANSWERED;
	if (options_config()->check_option(name, &error))
		return message_error(&error, EXIT_USAGE);
	return message_print(EXIT_FAILED, "no file gives '%s'", name);
}

/* ---- changes ---- */

/* An option of the user's file that the project gives, too, does not count here. */
static void tell_overriding(const char *path, const char *name)
{
	const struct config *config = options_config();

	for (size_t i = 0; i < config->entries.count; i++) {
		const struct config_entry *entry = &config->entries.items[i];
		if (is_named(entry, name) && strcmp(entry->path, path) != 0)
			message_print(0, "here %s:%u counts in its place", entry->path,
				      entry->line);
	}
}

static int change(const struct config_options *values, const char *name,
		  struct config_change *change)
{
	AUTO(config) struct config edited = {0};
	AUTO(text) char *section = text_copy(name);
	struct error error = {0};
	char *dot = strchr(section, '.');

	if (options_config()->check_option(name, &error))
		return message_error(&error, EXIT_USAGE);
	*dot = 0;
	change->section = section;
	change->name = dot + 1;
	AUTO(text)
	char *path = config_edit_path(values->is_global ? CONFIG_GLOBAL :
				      values->is_local  ? CONFIG_LOCAL :
							  CONFIG_NEAREST,
				      &error);
	if (!path || config_edit_file(path, change, options_config()->check, &edited, &error))
		return message_error(&error, error.code == -EINVAL ? EXIT_USAGE : EXIT_FAILED);
	for (size_t i = 0; i < edited.entries.count; i++)
		if (is_named(&edited.entries.items[i], name))
			print_entry(&edited.entries.items[i]);
	if (values->is_global)
		tell_overriding(path, name);
	return EXIT_ANSWERED;
}

static int set(const struct config_options *values, int count, char **words)
{
	struct config_change it = {.value = count == 2 ? words[1] : NULL,
				   .is_appended = values->is_appended};

	if (count < 1 || count > 2)
		return message_print(EXIT_USAGE, "set takes an option and its value, as lever "
						 "config set run.seconds 30");
	if (it.value && strchr(it.value, '\n'))
		return message_print(EXIT_USAGE, "a value is one line");
	return change(values, words[0], &it);
}

static int unset(const struct config_options *values, int count, char **words)
{
	struct config_change it = {.is_removed = true};

	if (count != 1 || values->is_appended)
		return message_print(EXIT_USAGE,
				     "unset takes one option, as lever config unset run.seconds");
	return change(values, words[0], &it);
}

int command_config(int argc, char **argv)
{
	static const char *const actions[] = {"set", "unset", "get"};
	struct config_options values = {0};
	int operand, exit_code;

	if (!command_line_parse(&config_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (values.is_local && values.is_global)
		return message_print(EXIT_USAGE, "--local and --global name different files");
	if (operand < argc && !strcmp(argv[operand], "set"))
		return set(&values, argc - operand - 1, argv + operand + 1);
	if (operand < argc && !strcmp(argv[operand], "unset"))
		return unset(&values, argc - operand - 1, argv + operand + 1);
	if (argc - operand > 1 && text_nearest(argv[operand], actions, 3) &&
	    strcmp(argv[operand], "get") != 0)
		return message_print(EXIT_USAGE, "there is no action '%s'; did you mean '%s'?",
				     argv[operand], text_nearest(argv[operand], actions, 3));
	if (values.is_local || values.is_global || values.is_appended)
		return message_print(EXIT_USAGE, "--append, --local and --global belong to set "
						 "and unset");
	if (operand < argc && !strcmp(argv[operand], "get"))
		operand++;
	if (argc - operand > 1)
		return message_print(EXIT_USAGE, "unexpected argument '%s'", argv[operand + 1]);
	return operand == argc ? list(options_config()) :
				 print_values(options_config(), argv[operand]);
}
