/* SPDX-License-Identifier: BSD-2-Clause */
/* command_report - `lever report`: a profile as text, a page, or in a format for other programs. */
#include "analyze/causal.h"
#include "base/file.h"
#include "base/own.h"
#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/show.h"
#include "cli/values.h"
#include "profile/profile.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_HTML, REPORT_CSV, REPORT_COZ };

struct report_values {
	int format; /* enum report_format */
	const char *output;
	bool open;
	struct value_number targets;
};

/* As enum report_format. */
static const char *const formats[] = {"text", "json", "html", "csv", "coz", NULL};

#define FIELD(member) .offset = offsetof(struct report_values, member)
static const struct option report_table[] = {
	{"format", 'f', "FORMAT", "text, json, html, csv or coz (text)", value_set_choice,
	 FIELD(format), formats},
	{"output", 'o', "FILE", "write to FILE instead of standard output", value_set_text,
	 FIELD(output), NULL},
	{"open", 0, NULL,
	 "write the HTML page, to FILE.html without --output, and show it in a browser",
	 value_set_flag, FIELD(open), NULL},
	{"targets", 'n', "NUMBER", "text: show at most this many targets, 0 for all (20)",
	 value_set_number, FIELD(targets), NULL},
};

const struct command_page report_page = {
	.name = "report",
	.summary = "show a profile as a ranked table, HTML, JSON, CSV or coz's format",
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
	switch ((enum report_format)values->format) {
	case REPORT_TEXT:
		report_text(out, recording, causal, &options);
		break;
	case REPORT_JSON:
		report_json(out, recording, causal);
		break;
	case REPORT_HTML:
		report_html(out, recording, causal);
		break;
	case REPORT_CSV:
		report_csv(out, causal);
		break;
	case REPORT_COZ:
		report_coz(out, recording);
		break;
	}
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

/* Completes the options; EXIT_ANSWERED if they fit each other. */
static enum exit_code settle(struct report_values *values)
{
	if (values->targets.number > UINT32_MAX)
		return message_say(EXIT_USAGE, "--targets: the number is too large");
	if (values->open && values->format != REPORT_TEXT && values->format != REPORT_HTML)
		return message_say(EXIT_USAGE, "--open shows the HTML page; leave out --format %s",
				   formats[values->format]);
	if (values->open)
		values->format = REPORT_HTML;
	if (values->format != REPORT_HTML)
		return EXIT_ANSWERED;
	if (!report_has_html())
		return message_say(
			EXIT_FAILED,
			"this lever was built without the HTML report; install Node.js and "
			"npm, then run `make setup` and `make` again, or use another --format");
	if (!values->output && !values->open && isatty(STDOUT_FILENO))
		return message_say(EXIT_USAGE,
				   "an HTML page is nothing for a terminal; name a file by "
				   "--output, or use --open");
	return EXIT_ANSWERED;
}

static int write_and_open(const char *path, const struct recording *recording,
			  const struct causal *causal, const struct report_values *values,
			  struct error *error)
{
	AUTO(text) char *beside = text_format("%s.html", path);
	struct report_values copy = *values;
	copy.output = values->output ? values->output : beside;
	int code = write_file(recording, causal, &copy, error);
	if (code)
		return code;
	if (!values->output)
		message_say(EXIT_ANSWERED, "the page is in %s", beside);
	return browser_open(copy.output, error);
}

static int show(const char *path, const struct report_values *values, struct error *error)
{
	AUTO(recording) struct recording *recording = NULL;
	int code = profile_read(path, &recording, error);
	if (code)
		return code;
	AUTO(causal) struct causal *causal = causal_new(recording);
	if (values->open)
		return write_and_open(path, recording, causal, values, error);
	if (values->output)
		return write_file(recording, causal, values, error);
	write_report(stdout, recording, causal, values);
	return 0;
}

int command_report(int argc, char **argv)
{
	struct report_values values = {0};
	struct error error = {0};
	int operand, exit_code;
	if (!options_take(&report_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (operand + 1 < argc)
		return message_say(EXIT_USAGE, "lever report takes one profile; '%s' is too much",
				   argv[operand + 1]);
	exit_code = settle(&values);
	if (exit_code)
		return exit_code;
	if (show(operand < argc ? argv[operand] : "lever.lever", &values, &error))
		return message_error(&error, EXIT_FAILED);
	return EXIT_ANSWERED; /* the report itself says it when there is no answer in it */
}
