/* SPDX-License-Identifier: BSD-2-Clause */
/* agent - `lever agent`: one host's part of `lever run --hosts`. */
#include "collect/hosts/agent.h"

#include "cli/commands/commands.h"
#include "cli/options/command_line.h"
#include "cli/output/message.h"
#include "driver/driver.h"

#include <signal.h>
#include <unistd.h>

const struct command_page agent_page = {
	.name = "agent",
	.summary = "one host's part of lever run --hosts, which starts it",
	.operands = "",
	.manual = "lever-agent",
	.purpose =
		"Runs and pauses the program on this host for a lever run --hosts on another one, "
		"which starts this command and writes an invitation to its standard input.",
};

int command_agent(int argc, char **argv)
{
	struct error error = {0};
	int operand, exit_code;

	if (!command_line_parse(&agent_page, argc, argv, NULL, &operand, &exit_code))
		return exit_code;
	if (operand < argc)
		return message_print(EXIT_USAGE, "unexpected argument '%s'", argv[operand]);
	driver_prepare_signals();
	signal(SIGINT, SIG_IGN); /* the coordinator ends its agents */
	signal(SIGPIPE, SIG_IGN);
	if (agent_run(STDIN_FILENO, LEVER_VERSION, &error))
		return message_error(&error, EXIT_FAILED);
	return EXIT_ANSWERED;
}
