/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * completion - what the words of a command line may go on with, from the option tables.
 *
 * The scripts for bash, zsh and fish ask for it by `lever help --complete -- WORD...`.
 */
#pragma once

#include "cli/options/options.h"

#include <stdio.h>

/* What else the line names; NULL: nothing. */
struct completion_line {
	const char *profile; /* the last operand that looks like one */
	const char *program; /* as typed, or the file of the process of --pid */
	const char *value;   /* what stands of the value so far */
};

/* Values of an option that are known only now, one a line; NULL: none. The caller frees. */
typedef char *completion_values(const struct option *option, const struct completion_line *line);

struct completion {
	const struct command *commands;
	size_t command_count;
	completion_values *values;
};

/*
 * `words` are those behind "lever"; the last but `behind` is to be completed and may be empty, the
 * others stand behind the cursor. Bash makes three words of --name=value. Prints a candidate a
 * line, with a tab before its help if it has one; ":file" stands for paths, ":program" for
 * programs.
 */
void completion_print(FILE *out, const struct completion *completion, int count, char **words,
		      unsigned behind);
