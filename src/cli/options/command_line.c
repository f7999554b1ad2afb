/* SPDX-License-Identifier: BSD-2-Clause */
/* command_line - prints help or the error of options_parse. */
#include "cli/options/command_line.h"

#include "cli/options/help.h"
#include "cli/output/message.h"

bool command_line_parse(const struct command_page *page, int argc, char **argv, void *values,
			int *operand, int *exit_code)
{
	struct error error = {0};
	struct options_outcome outcome;
	if (options_parse(page, argc, argv, values, &outcome, &error)) {
		*exit_code = message_error(&error, EXIT_USAGE);
		return false;
	}
	if (outcome.help) {
		help_command(stdout, page);
		*exit_code = EXIT_ANSWERED;
		return false;
	}
	*operand = outcome.operand;
	return true;
}
