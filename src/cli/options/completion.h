/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * completion - what the words of a command line may go on with, from the option tables.
 *
 * The scripts for bash, zsh and fish ask for it by `lever help --complete -- WORD...`.
 */
#pragma once

#include "cli/options/options.h"

#include <stdio.h>

/* Values of an option that are known only now, one a line; NULL: none. The caller frees. */
typedef char *completion_values(const struct option *option, const char *profile);

struct completion {
	const struct command *commands;
	size_t command_count;
	completion_values *values;
};

/*
 * `words` are those behind "lever"; the last is to be completed and may be empty. Bash makes
 * three words of --name=value. Prints a candidate a line, with a tab before its help if it has one;
 * ":file" stands for paths, ":program" for programs.
 */
void completion_print(FILE *out, const struct completion *completion, int count, char **words);
