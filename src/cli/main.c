/* SPDX-License-Identifier: BSD-2-Clause */
/* main - from the command line to a command. */
#include "cli/commands/commands.h"
#include "cli/output/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A result that did not reach the reader (disk full, closed pipe) is a failure. */
static int check_stdout(int exit_code)
{
	if (fflush(stdout) || ferror(stdout))
		return message_print(EXIT_FAILED, "cannot write to standard output: %s",
				     strerror(errno));
	return exit_code;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		commands_print(stderr);
		return EXIT_USAGE;
	}
	static char help[] = "help", version[] = "version";
	const char *word = argv[1];
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		argv[1] = help;
	else if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		argv[1] = version;
	else if (word[0] == '-')
		return message_print(EXIT_USAGE,
				     "unknown option '%s' before a command; see lever --help",
				     word);
	return check_stdout(commands_run(argc - 1, argv + 1));
}
