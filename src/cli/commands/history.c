/* SPDX-License-Identifier: BSD-2-Clause */
/* history - `lever history`: the rate of a program over many profiles. */
#include "analyze/diff/history.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/options/command_line.h"
#include "cli/options/values.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "profile/profile.h"
#include "report/diff/history_report.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".lever"

struct history_values {
	int format;
	const char *output, *point;
};

#define FIELD(member) offsetof(struct history_values, member)
static const struct option history_table[] = {
	{"format", 'f', "FORMAT", history_format_help, value_set_choice, FIELD(format),
	 history_format_names},
	{"output", 'o', "FILE", "write to FILE instead of standard output", value_set_text,
	 FIELD(output), NULL},
	{"progress", 'p', "NAME", "the rate of this progress point (the first one)", value_set_text,
	 FIELD(point), NULL},
};

const struct command_page history_page = {
	.name = "history",
	.summary = "show a program's rate over many profiles, and where it changed",
	.operands = "FOLDER | FILE...",
	.manual = "lever-history",
	.purpose = "Shows the rate of a program over causal profiles, the files of FOLDER that end "
		   "in .lever or the given ones, and the neighbours between which it changed.",
	.options = history_table,
	.option_count = sizeof(history_table) / sizeof(history_table[0]),
};

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(history, struct history *, history_free, NULL)

static int add_file(struct history *history, const char *path, struct error *error)
{
	AUTO(recording) struct recording *recording = NULL;
	AUTO(text) char *label = text_copy(path_base(path));
	size_t length = strlen(label);
	int code = profile_read(path, &recording, error);

	if (code)
		return code;
	if (length > strlen(SUFFIX) && !strcmp(label + length - strlen(SUFFIX), SUFFIX))
		label[length - strlen(SUFFIX)] = 0;
	recording_keep(recording, RUN_CAUSAL);
	history_add(history, label, recording);
	return 0;
}

static int is_profile(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > strlen(SUFFIX) && !strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX);
}

static int add_folder(struct history *history, const char *folder, struct error *error)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_profile, alphasort), code = 0;

	if (count < 0)
		return error_set(error, errno, "cannot read %s: %s", folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		AUTO(text) char *path = text_format("%s/%s", folder, entries[i]->d_name);
		free(entries[i]);
		if (!code)
			code = add_file(history, path, error);
	}
	free(entries);
	if (!code && !count)
		return error_set(error, -ENOENT, "%s has no files that end in " SUFFIX, folder);
	return code;
}

static int add_operand(struct history *history, const char *path, struct error *error)
{
	struct stat status;

	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		return add_folder(history, path, error);
	return add_file(history, path, error);
}

static int show(const struct history_values *values, const struct history *history)
{
	struct report_options options = summary_options(values->output ? stderr : stdout, 0);
	AUTO(file) FILE *file = NULL;

	if (values->output && !(file = fopen(values->output, "we")))
		return message_print(EXIT_FAILED, "cannot write %s: %s", values->output,
				     strerror(errno));
	if (file)
		file_give_to_caller(fileno(file));
	options.colour &= !file;
	history_writers[values->format](file ? file : stdout, history, &options);
	if (file && (fflush(file) || ferror(file)))
		return message_print(EXIT_FAILED, "cannot write %s: %s", values->output,
				     strerror(errno));
	return EXIT_ANSWERED;
}

int command_history(int argc, char **argv)
{
	struct history_values values = {0};
	struct error error = {0};
	int operand, exit_code;

	if (!command_line_parse(&history_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (operand == argc)
		return message_print(EXIT_USAGE, "no profiles; name a folder of them, or files");
	AUTO(history) struct history *history = history_new(values.point);
	for (int i = operand; i < argc; i++)
		if (add_operand(history, argv[i], &error))
			return message_error(&error, EXIT_USAGE);
	if (!history->entries.count)
		return message_print(EXIT_NO_ANSWER,
				     "no profile of lever run has enough windows of %s; record "
				     "longer, with --seconds 20",
				     history->point ? history->point : "a progress point");
	history_finish(history);
	return show(&values, history);
}
