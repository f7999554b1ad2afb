/* SPDX-License-Identifier: BSD-2-Clause */
/* recording_command - parses, calls the verb, and ends with a summary and an exit code. */
#include "cli/commands/recording_command.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "cli/options/help.h"
#include "cli/output/live_line.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "driver/interruption.h"
#include "driver/start_gate.h"
#include "profile/profile.h"
#include "symbolize/debug_fetch.h"

#include <string.h>

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)

#define BYTES_OF_MB 1e6

/* Ctrl-C ends the wait, too. */
static bool show_fetch(void *context, const char *name, uint64_t bytes, uint64_t whole)
{
	static char *told; /* the file that the last message named */
	struct live_line *live = context;

	if (!name) {
		live_line_message(live, "no server of DEBUGINFOD_URLS answers; going on without "
					"them (DEBUGINFOD_TIMEOUT: seconds to wait)");
		return true;
	}
	if (bytes && (!told || strcmp(told, name))) {
		free(told);
		told = text_copy(name);
		AUTO(text)
		char *sentence = text_format("asking the servers of DEBUGINFOD_URLS for debug "
					     "information of %s",
					     name);
		live_line_message(live, sentence);
	}
	if (bytes && live->is_renewed) {
		AUTO(text)
		char *line =
			whole ? text_format("lever: %.1f of %.1f MB fetched",
					    (double)bytes / BYTES_OF_MB,
					    (double)whole / BYTES_OF_MB) :
				text_format("lever: %.1f MB fetched", (double)bytes / BYTES_OF_MB);
		live_line_show(live, line);
	}
	return interruption_any();
}

/* Without --quiet the summary has told why. */
static int tell_no_answer(const struct common_options *values)
{
	return values->quiet ? message_print(EXIT_NO_ANSWER, "no answer; lever report %s tells why",
					     values->output) :
			       EXIT_NO_ANSWER;
}

/* To stderr: standard output is the program's. */
static int summarize(const struct recording_command *command, const struct common_options *values)
{
	struct error error = {0};
	AUTO(recording) struct recording *recording = NULL;

	if (values->quiet && command->no_answer)
		return EXIT_ANSWERED;
	if (profile_read(values->output, &recording, &error))
		return message_error(&error, EXIT_FAILED);
	recording_keep(recording, command->kind);
	if (command->kind == RUN_SCALE)
		recording_keep_session(recording);
	bool has_answer = command->summarize(values->quiet ? NULL : stderr, values, recording);
	if (has_answer)
		return EXIT_ANSWERED;
	return tell_no_answer(values);
}

static int finish(const struct recording_command *command, const struct common_options *values,
		  const struct driver_result *result, const struct error *error)
{
	if (!values->quiet)
		summary_program_end(result->status);
	switch (result->end) {
	case DRIVER_ANSWERED:
		return summarize(command, values);
	case DRIVER_NO_ANSWER:
		if (command->no_answer)
			return message_print(EXIT_NO_ANSWER, "%s", command->no_answer);
		return summarize(command, values) == EXIT_ANSWERED ? tell_no_answer(values) :
								     EXIT_NO_ANSWER;
	case DRIVER_NO_POINTS: /* printed when it was found, unless --quiet */
		return values->quiet ? message_error(error, EXIT_USAGE) : EXIT_USAGE;
	case DRIVER_WRONG_USAGE:
		return message_error(error, EXIT_USAGE);
	case DRIVER_NOT_STARTED:
		return message_error(error, (enum exit_code)result->exit_code);
	case DRIVER_FAILED:
		break;
	}
	return message_error(error, EXIT_FAILED);
}

/* The options of the command line for the profile; to be freed. */
static char *words_of(const struct command_page *page, int argc, char **argv)
{
	char **words = options_words(page, argc, argv);
	char *text = recording_command(words);

	for (size_t i = 0; words[i]; i++)
		free(words[i]);
	free(words);
	return text;
}

int recording_command_run(const struct recording_command *command, struct common_options *values,
			  int argc, char **argv)
{
	struct driver_result result = {.end = DRIVER_FAILED, .status = -1};
	struct error error = {0};
	bool help = false;

	driver_prepare_signals();
	start_gate_take();
	int code = common_options_parse(command->page, argc, argv, values, &help, &error);
	if (!code && help) {
		help_command(stdout, command->page);
		return EXIT_ANSWERED;
	}
	if (code || command->check(values, &error))
		return message_error(&error, EXIT_USAGE);
	AUTO(text) char *words = words_of(command->page, argc, argv);
	struct live_line live = {.is_quiet = values->quiet,
				 .is_renewed = !values->quiet && summary_is_renewable(stderr)};
	struct driver_options driver = {
		.arguments = values->program,
		.selection = {.pids = values->processes.items,
			      .pid_count = values->processes.count,
			      .ports = values->ports.items,
			      .port_count = values->ports.count,
			      .cgroup = values->cgroup,
			      .is_system_wide = values->is_system_wide,
			      .without_children = values->without_children,
			      .names = values->names.items,
			      .name_count = values->names.count},
		.version = LEVER_VERSION,
		.words = words,
		.output = values->output,
		.fresh = values->fresh,
		.seconds = values->seconds,
		.then_stop = values->then_stop,
		.verbose = values->verbose,
		.await_start = start_gate_await,
		.context = &live,
		.message = live_line_message,
	};
	debug_fetch_set_notify(show_fetch, &live);
	command->record(values, &driver, &result, &error);
	live_line_clear(&live);
	return finish(command, values, &result, &error);
}
