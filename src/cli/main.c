/* SPDX-License-Identifier: BSD-2-Clause */
/* main - from the command line to a command. */
#include "base/cleanup.h"
#include "cli/commands/commands.h"
#include "cli/output/message.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void config_auto_release(struct config *config)
{
	config_release(config);
}

/* A result that did not reach the reader (disk full, closed pipe) is a failure. */
static int check_stdout(int exit_code)
{
	if (fflush(stdout) || ferror(stdout))
		return message_print(EXIT_FAILED, "cannot write to standard output: %s",
				     strerror(errno));
	return exit_code;
}

static int run_with_config(int argc, char **argv)
{
	AUTO(config)
	struct config config = {.check = commands_check_config,
				.check_option = commands_check_option};
	struct error error = {0};

	if (config_read(&config, &error) || commands_check_config(&config, &error))
		return message_error(&error, EXIT_USAGE);
	for (size_t i = 0; i < config.ignored.count; i++)
		message_print(0, "%s", config.ignored.items[i]);
	options_use_config(&config);
	int exit_code = check_stdout(commands_run(argc, argv));
	options_use_config(NULL);
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
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "version"))
		return check_stdout(commands_run(argc - 1, argv + 1));
	return run_with_config(argc - 1, argv + 1);
}
