/* SPDX-License-Identifier: BSD-2-Clause */
/* config - `lever config`: the options that files give, and where. */
#include "base/cleanup.h"
#include "cli/commands/commands.h"
#include "cli/options/command_line.h"
#include "cli/output/message.h"
#include "report/display.h"

#include <stdio.h>
#include <string.h>

const struct command_page config_page = {
	.name = "config",
	.summary = "list the options that configuration files give",
	.operands = "[COMMAND.OPTION]",
	.manual = "lever-config",
	.purpose = "Lists the options that ~/.config/lever/config and the .lever of the current "
		   "folder, or of one above it, give, and where each stands; or prints the values "
		   "of one of them.",
};

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
				     "no configuration file; write one as lever-config(1) shows: "
				     "~/.config/lever/config, or .lever in the project");
	return EXIT_ANSWERED;
}

int command_config(int argc, char **argv)
{
	const struct config *config = options_config();
	int operand, exit_code;
	bool is_found = false;

	if (!command_line_parse(&config_page, argc, argv, NULL, &operand, &exit_code))
		return exit_code;
	if (argc - operand > 1)
		return message_print(EXIT_USAGE, "unexpected argument '%s'", argv[operand + 1]);
	if (operand == argc)
		return list(config);
	for (size_t i = 0; i < config->entries.count; i++) {
		const struct config_entry *entry = &config->entries.items[i];
		if (!is_named(entry, argv[operand]) || !config_entry_counts(config, entry))
			continue;
		AUTO(text)
		char *value = entry->value ? display_clean(entry->value) : text_copy("true");
		puts(value);
		is_found = true;
	}
	return is_found ? EXIT_ANSWERED :
			  message_print(EXIT_FAILED, "no file gives '%s'; names are as run.seconds",
					argv[operand]);
}
