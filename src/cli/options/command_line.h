/* SPDX-License-Identifier: BSD-2-Clause */
/* command_line - the options of a command, parsed, with the answers that need no command. */
#pragma once

#include "cli/options/options.h"

/*
 * Parses, and answers --help and wrong usage. True: the command goes on, with the index of the
 * first operand in `operand`. False: it ends with `exit_code`.
 */
bool command_line_parse(const struct command_page *page, int argc, char **argv, void *values,
			int *operand, int *exit_code);
