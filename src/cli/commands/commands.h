/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commands - the list of lever's commands, one file each.
 *
 * argv[0] is the command's name; the value returned is lever's exit code (message.h).
 */
#pragma once

#include "cli/options/options.h"

#include <stdio.h>

/* In the order of `lever help`. Each has NAME_page and command_NAME, in a file of its own. */
#define COMMANDS(COMMAND) \
	COMMAND(run)      \
	COMMAND(record)   \
	COMMAND(trace)    \
	COMMAND(scale)    \
	COMMAND(report)   \
	COMMAND(diff)     \
	COMMAND(history)  \
	COMMAND(import)   \
	COMMAND(serve)    \
	COMMAND(check)    \
	COMMAND(agent)    \
	COMMAND(config)   \
	COMMAND(help)     \
	COMMAND(version)

#define COMMAND_DECLARE(name)                      \
	int command_##name(int argc, char **argv); \
	extern const struct command_page name##_page;
COMMANDS(COMMAND_DECLARE)

/* The command of that name, or NULL. */
const struct command *commands_find(const char *name);
/* -EINVAL if a file has a section that is no command, or an option that the command has not. */
int commands_check_config(const struct config *config, struct error *error);
/* -EINVAL, with what was probably meant, if `name` is not of the form run.seconds. */
int commands_check_option(const char *name, struct error *error);
/* Runs the command that argv[0] names; an unknown one is wrong usage. */
int commands_run(int argc, char **argv);
/* The overview of commands. */
void commands_print(FILE *out);
