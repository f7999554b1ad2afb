/* SPDX-License-Identifier: BSD-2-Clause */
/* help - what the option tables say: as --help, as bash completion, as lines for scripts. */
#pragma once

#include "cli/options/options.h"

#include <stdio.h>

struct command; /* commands.h; the list is handed in, so that options can be tested without it */

void help_overview(FILE *out, const struct command *list, size_t count);
void help_command(FILE *out, const struct command_page *page);
/* One option a line: command, --name, -letter or "-", argument or "-"; tabs between. */
void help_options(FILE *out, const struct command *list, size_t count);
void help_bash_completion(FILE *out, const struct command *list, size_t count);
