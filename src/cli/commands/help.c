/* SPDX-License-Identifier: BSD-2-Clause */
/* command_help - `lever help` and `lever version`. */
#include "cli/options/help.h"
#include "cli/commands/commands.h"
#include "cli/options/values.h"
#include "cli/output/message.h"

#include <stdio.h>
#include <string.h>

struct help_values {
	bool options, bash_completion;
};

static const struct option help_table[] = {
	{.name = "options",
	 .help = "print every command's options, one a line with tabs, for scripts",
	 .set = value_set_flag,
	 .offset = offsetof(struct help_values, options)},
	{.name = "bash-completion",
	 .help = "print the completion script for bash",
	 .set = value_set_flag,
	 .offset = offsetof(struct help_values, bash_completion)},
};

const struct command_page help_page = {
	.name = "help",
	.summary = "what lever can do, and the options of a command",
	.operands = "[COMMAND]",
	.manual = "lever",
	.purpose = "Lists the commands, or tells the options of one.",
	.options = help_table,
	.option_count = sizeof(help_table) / sizeof(help_table[0]),
};

const struct command_page version_page = {
	.name = "version",
	.summary = "the version of lever",
	.operands = "",
	.manual = "lever",
	.purpose = "Prints the version.",
};

int command_help(int argc, char **argv)
{
	struct help_values values = {0};
	int operand, exit_code;
	if (!options_parse_command(&help_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (operand < argc) {
		char help[] = "--help", *words[] = {argv[operand], help, NULL};
		return commands_run(2, words);
	}
	if (values.options)
		help_options(stdout, commands, commands_count);
	else if (values.bash_completion)
		help_bash_completion(stdout, commands, commands_count);
	else
		help_overview(stdout, commands, commands_count);
	return EXIT_ANSWERED;
}

int command_version(int argc, char **argv)
{
	int operand, exit_code;
	if (!options_parse_command(&version_page, argc, argv, NULL, &operand, &exit_code))
		return exit_code;
	if (operand < argc)
		return message_say(EXIT_USAGE, "lever version takes no arguments");
	puts("lever " LEVER_VERSION);
	return EXIT_ANSWERED;
}
