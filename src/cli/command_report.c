/* SPDX-License-Identifier: BSD-2-Clause */
/* command_report - `lever report`: a profile as text, JSON or coz's format. */
#include "analyze/causal.h"
#include "base/file.h"
#include "base/own.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/show.h"
#include "cli/values.h"
#include "profile/profile.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_COZ };

struct report_values {
	int format; /* enum report_format */
	const char *output;
	struct value_number targets;
};

static const char *const formats[] = {"text", "json", "coz", NULL}; /* as enum report_format */

#define FIELD(member) .offset = offsetof(struct report_values, member)
static const struct option report_table[] = {
	{"format", 'f', "FORMAT", "text, json or coz (text)", value_set_choice, FIELD(format),
	 formats},
	{"output", 'o', "FILE", "write to FILE instead of standard output", value_set_text,
	 FIELD(output), NULL},
	{"targets", 'n', "NUMBER", "text: show at most this many targets, 0 for all (20)",
	 value_set_number, FIELD(targets), NULL},
};

const struct command_page report_page = {
	.name = "report",
	.summary = "show a profile as a ranked table, JSON or coz's format",
	.operands = "[FILE]",
	.manual = "lever-report",
	.purpose =
		"Shows the causal profile in FILE (lever.lever). Ends with 3 if the profile holds "
		"no experiment that answers anything.",
	.options = report_table,
	.option_count = sizeof(report_table) / sizeof(report_table[0]),
};

OWN_DEFINE(recording, struct recording *, recording_free, NULL)
OWN_DEFINE(causal, struct causal *, causal_free, NULL)

static void write_report(FILE *out, const struct recording *recording, const struct causal *causal,
			 const struct report_values *values)
{
	struct report_options options =
		show_options(out, values->targets.is_given ? (unsigned)values->targets.number : 20);
	if (values->format == REPORT_JSON)
		report_json(out, recording, causal);
	else if (values->format == REPORT_COZ)
		report_coz(out, recording);
	else
		report_text(out, recording, causal, &options);
}

static int write_file(const struct recording *recording, const struct causal *causal,
		      const struct report_values *values, struct error *error)
{
	AUTO(file) FILE *out = fopen(values->output, "we");
	if (!out)
		return error_set(error, errno, "%s cannot be written: %s", values->output,
				 strerror(errno));
	file_give_to_caller(fileno(out));
	write_report(out, recording, causal, values);
	if (fflush(out) || ferror(out))
		return error_set(error, errno ? errno : EIO, "%s cannot be written: %s",
				 values->output, strerror(errno ? errno : EIO));
	return 0;
}

int command_report(int argc, char **argv)
{
	struct report_values values = {0};
	int operand, exit_code;
	if (!options_take(&report_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (operand + 1 < argc)
		return message_say(EXIT_USAGE, "lever report takes one profile; '%s' is too much",
				   argv[operand + 1]);
	if (values.targets.number > UINT32_MAX)
		return message_say(EXIT_USAGE, "--targets: the number is too large");
	const char *path = operand < argc ? argv[operand] : "lever.lever";
	struct error error = {0};
	AUTO(recording) struct recording *recording = NULL;
	if (profile_read(path, &recording, &error))
		return message_error(&error, EXIT_FAILED);
	AUTO(causal) struct causal *causal = causal_new(recording);
	if (values.output && write_file(recording, causal, &values, &error))
		return message_error(&error, EXIT_FAILED);
	if (!values.output)
		write_report(stdout, recording, causal, &values);
	return EXIT_ANSWERED; /* the report itself says it when there is no answer in it */
}
