/* SPDX-License-Identifier: BSD-2-Clause */
/* commands - the list, and finding the one that was asked for. */
#include "cli/commands/commands.h"

#include "base/text.h"
#include "cli/options/help.h"
#include "cli/output/message.h"

#include <string.h>

const struct command commands[] = {
	{&run_page, command_run},       {&record_page, command_record},
	{&trace_page, command_trace},   {&scale_page, command_scale},
	{&report_page, command_report}, {&check_page, command_check},
	{&help_page, command_help},     {&version_page, command_version},
};
const size_t commands_count = sizeof(commands) / sizeof(commands[0]);

/* Commands of the design that this version does not have. */
static const char *const planned[] = {"diff"};

static int say_unknown(const char *name)
{
	const char *names[sizeof(commands) / sizeof(commands[0])];
	for (size_t i = 0; i < sizeof(planned) / sizeof(planned[0]); i++)
		if (!strcmp(name, planned[i]))
			return message_say(EXIT_USAGE,
					   "'%s' is not part of this version; "
					   "lever help lists the commands that are",
					   name);
	for (size_t i = 0; i < commands_count; i++)
		names[i] = commands[i].page->name;
	const char *nearest = text_nearest(name, names, commands_count);
	if (nearest)
		return message_say(EXIT_USAGE, "there is no command '%s'; did you mean '%s'?", name,
				   nearest);
	return message_say(EXIT_USAGE,
			   "there is no command '%s'; lever help lists them "
			   "(to profile a program: lever run -- %s)",
			   name, name);
}

int commands_run(int argc, char **argv)
{
	for (size_t i = 0; i < commands_count; i++)
		if (!strcmp(commands[i].page->name, argv[0]))
			return commands[i].run(argc, argv);
	return say_unknown(argv[0]);
}
