/* SPDX-License-Identifier: BSD-2-Clause */
/* agent - `lever agent`: one host's part of a run over several hosts. */
#include "collect/hosts/agent.h"

#include "cli/commands/commands.h"
#include "cli/options/command_line.h"
#include "cli/options/values.h"
#include "cli/output/message.h"
#include "collect/hosts/join.h"
#include "collect/process/job_hosts.h"
#include "collect/process/program.h"
#include "driver/driver.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct agent_options {
	const char *job;
	bool where;
};

#define FIELD(name) offsetof(struct agent_options, name)

static const struct option options[] = {
	{"join", 0, "JOB",
	 "take PROGRAM into the job's run on this host, and run it: lever run puts this before "
	 "the program of mpirun",
	 value_set_text, FIELD(job), NULL},
	{"where", 0, NULL, "print this host's name, and end: lever run asks so where ranks run",
	 value_set_flag, FIELD(where), NULL},
};

const struct command_page agent_page = {
	.name = "agent",
	.summary = "one host's part of lever run over several, which starts it",
	.operands = "[[--] PROGRAM [ARGUMENT...]]",
	.manual = "lever-agent",
	.purpose =
		"Runs and pauses the program on this host for a lever run --hosts on another one, "
		"which starts this command and writes an invitation to its standard input.",
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.runs_program = true,
};

static int tell_where(void)
{
	char name[256] = "";

	gethostname(name, sizeof(name) - 1);
	printf(JOB_HOSTS_WORD " %s\n", name);
	return EXIT_ANSWERED;
}

/* Its results are the program's; a host that is not part of the run does not end the job. */
static int join(const char *job, char **program)
{
	struct error error = {0};

	if (join_job(job, &error))
		message_print(EXIT_FAILED, "this process is not part of the profile: %s",
			      error.text);
	execvp(program[0], program);
	int code = -errno;
	program_cannot_run(program[0], code, &error);
	return message_error(&error, (enum exit_code)program_exec_status(code));
}

int command_agent(int argc, char **argv)
{
	struct agent_options values = {0};
	struct error error = {0};
	int operand, exit_code;

	if (!command_line_parse(&agent_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (values.where)
		return tell_where();
	if (values.job && operand < argc)
		return join(values.job, argv + operand);
	if (values.job)
		return message_print(EXIT_USAGE, "--join needs a PROGRAM");
	if (operand < argc)
		return message_print(EXIT_USAGE, "unexpected argument '%s'", argv[operand]);
	driver_prepare_signals();
	signal(SIGINT, SIG_IGN); /* the coordinator ends its agents */
	signal(SIGPIPE, SIG_IGN);
	if (agent_run(STDIN_FILENO, LEVER_VERSION, &error))
		return message_error(&error, EXIT_FAILED);
	return EXIT_ANSWERED;
}
