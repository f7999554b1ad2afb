/* SPDX-License-Identifier: BSD-2-Clause */
/* help - prints option tables: as --help, as lines for scripts. */
#pragma once

#include "cli/options/options.h"

#include <stdio.h>

void help_overview(FILE *out, const struct command *list, size_t count);
void help_command(FILE *out, const struct command_page *page);
/* One option a line: command, --name, -letter or "-", argument or "-"; tabs between. */
void help_options(FILE *out, const struct command *list, size_t count);
