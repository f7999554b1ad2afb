/* SPDX-License-Identifier: BSD-2-Clause */
/* report - `lever report`: a profile as text, a page, or in another program's format. */
#include "base/cleanup.h"
#include "base/output_file.h"
#include "cli/commands/commands.h"
#include "cli/commands/report_files.h"
#include "cli/options/command_line.h"
#include "cli/options/values.h"
#include "cli/output/browser.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "profile/profile.h"
#include "report/display.h"
#include "report/formats.h"
#include "report/html.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum report_kind { REPORT_LATEST, REPORT_CAUSAL, REPORT_SAMPLES, REPORT_TIMELINE, REPORT_SCALE };

#define TREE_LEAST 0.005 /* the smallest share of a branch that is shown */

struct report_values {
	int format; /* its number in report_formats */
	int kind;   /* enum report_kind */
	const char *output;
	bool open, verbose;
	struct value_number targets;
	int group;                    /* enum samples_group */
	int tree;                     /* enum report_tree */
	struct samples_filter filter; /* classes: 0, all */
	struct value_number pid, thread;
	struct report_range range;
};

/* In the order of the enums. */
static const char *const kinds[] = {"latest", "causal", "samples", "timeline", "scale", NULL};
static const char *const groups[] = {"function", "line", "class", "call", "thread",
				     "process",  "host", "lock",  "file", NULL};
static const char *const trees[] = {"none", "callees", "callers", NULL};

/* "I,L": letters of classes, or cpu */
static int set_classes(const struct option *option, void *field, const char *text,
		       struct error *error)
{
	struct report_values *values = field;
	AUTO(text) char *copy = text_copy(text);
	char *rest = copy;

	(void)option;
	for (char *word; (word = strsep(&rest, ","));) {
		unsigned class = CLASS_IO;
		while (class < SAMPLE_CLASSES && strcmp(word, sample_class_name(class)))
			class ++;
		if (!strcmp(word, "cpu"))
			values->filter.classes |= 1u << CLASS_USER | 1u << CLASS_KERNEL;
		else if (class < SAMPLE_CLASSES)
			values->filter.classes |= 1u << class;
		else
			return error_set(error, -EINVAL, "'%s' is not one of cpu, I, L, S or B",
					 word);
	}
	return 0;
}

#define FIELD(member) offsetof(struct report_values, member)
static const struct option report_table[] = {
	{"format", 'f', "FORMAT", report_format_help, value_set_choice, FIELD(format),
	 report_format_names},
	{"output", 'o', "FILE", "write to FILE instead of standard output", value_set_text,
	 FIELD(output), NULL},
	{"open", 0, NULL,
	 "write the HTML page, to FILE.html without --output, and show it in a browser",
	 value_set_flag, FIELD(open), NULL},
	{"targets", 'n', "NUMBER", "text: show at most this many targets or rows, 0 for all (20)",
	 value_set_number, FIELD(targets), NULL},
	{"kind", 0, "KIND",
	 "if the file has several: causal, samples, timeline, scale, or latest, the kind of its "
	 "last run (latest)",
	 value_set_choice, FIELD(kind), kinds},
	{"by", 0, "GROUP",
	 "samples: add up by function, line, class, call, thread, process, lock or file (function)",
	 value_set_choice, FIELD(group), groups},
	{"tree", 0, "TREE",
	 "samples: a call tree instead of the table, from the outermost function to its callees, "
	 "or from the innermost to its callers (none)",
	 value_set_choice, FIELD(tree), trees},
	{"class", 0, "LIST", "samples: only of these classes: cpu, I, L, S, B, with commas",
	 set_classes, 0, NULL},
	{"comm", 0, "GLOB", "samples: only of threads with this name", value_set_text,
	 FIELD(filter.command), NULL},
	{"function", 0, "GLOB", "samples: only with this function in the call chain",
	 value_set_text, FIELD(filter.function), NULL},
	{"pid", 'p', "PID", "samples: only of this process", value_set_number, FIELD(pid), NULL},
	{"thread", 't', "TID", "samples: only of this thread", value_set_number, FIELD(thread),
	 NULL},
	{"from", 0, "TIME",
	 "of a folder of lever record --continuous: recordings from this time on, like 14:00 or "
	 "2026-11-23T14:00",
	 report_set_time, FIELD(range.from_s), NULL},
	{"to", 0, "TIME", "the same: recordings before this time", report_set_time,
	 FIELD(range.to_s), NULL},
	{"verbose", 'v', NULL,
	 "text of a causal profile: where the width of the first intervals comes from, too",
	 value_set_flag, FIELD(verbose), NULL},
};

const struct command_page report_page = {
	.name = "report",
	.summary = "show a profile as text, a page in the browser, JSON or another format",
	.operands = "[FILE | FOLDER]",
	.manual = "lever-report",
	.purpose =
		"Shows the profile in FILE (lever.lever): targets of a causal profile, samples, a "
		"timeline, or predictions for other numbers of cores. Of a folder that lever "
		"record --continuous has filled, the recordings are added up.",
	.options = report_table,
	.option_count = sizeof(report_table) / sizeof(report_table[0]),
};

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)

static void write_report(FILE *out, const struct recording *recording, enum run_kind kind,
			 const struct report_values *values)
{
	struct report report = {
		.recording = recording,
		.options = summary_options(out, values->targets.is_given ?
							(unsigned)values->targets.number :
							20),
	};

	report.options.group = (enum samples_group)values->group;
	report.options.tree = (enum report_tree)values->tree;
	report.options.share_least = TREE_LEAST;
	report.options.is_verbose = values->verbose;
	report_analyze(&report, kind, &values->filter);
	report_formats[values->format].write[kind](out, &report);
	report_release(&report);
}

static int write_file(const struct recording *recording, enum run_kind kind,
		      const struct report_values *values, struct error *error)
{
	struct output_file *file;
	int code = output_file_open(values->output, &file, error);

	if (code)
		return error_add_remedy(error, "choose another file with -o");
	write_report(output_file_stream(file), recording, kind, values);
	return output_file_finish(file, error);
}

static bool has_runs(const struct recording *recording, enum run_kind kind)
{
	for (size_t i = 0; i < recording->runs.count; i++)
		if (recording->runs.items[i].kind == kind)
			return true;
	return false;
}

static bool serves(int format, enum run_kind kind)
{
	return report_formats[format].write[kind] != NULL;
}

static const char *const makers[] = {[RUN_CAUSAL] = "run",
				     [RUN_SAMPLES] = "record",
				     [RUN_TIMELINE] = "trace",
				     [RUN_SCALE] = "scale"};
static const char *const contents[] = {[RUN_CAUSAL] = "causal profile",
				       [RUN_SAMPLES] = "recording of samples",
				       [RUN_TIMELINE] = "timeline",
				       [RUN_SCALE] = "count of threads"};

static bool chooses_samples(const struct report_values *values)
{
	return values->group || values->tree || values->filter.classes || values->filter.command ||
	       values->filter.function || values->pid.is_given || values->thread.is_given;
}

/* --kind, or the kind of the latest run that the format can show. */
static enum run_kind wanted_kind(const struct recording *recording,
				 const struct report_values *values)
{
	static const enum run_kind named[] = {
		[REPORT_CAUSAL] = RUN_CAUSAL,
		[REPORT_SAMPLES] = RUN_SAMPLES,
		[REPORT_TIMELINE] = RUN_TIMELINE,
		[REPORT_SCALE] = RUN_SCALE,
	};

	if (values->kind != REPORT_LATEST)
		return named[values->kind];
	if (chooses_samples(values))
		return RUN_SAMPLES;
	for (size_t i = recording->runs.count; i--;)
		if (serves(values->format, recording->runs.items[i].kind))
			return recording->runs.items[i].kind;
	for (unsigned kind = RUN_CAUSAL; kind <= RUN_SCALE; kind++)
		if (serves(values->format, kind))
			return (enum run_kind)kind;
	return RUN_CAUSAL;
}

/* -EINVAL if the file has no such runs, or the options do not fit them. */
static int choose_kind(const struct recording *recording, const struct report_values *values,
		       const char *path, enum run_kind *kind, struct error *error)
{
	*kind = wanted_kind(recording, values);
	if (!serves(values->format, *kind))
		return error_set(error, -EINVAL,
				 "--format %s cannot show %s; leave out --format, or choose "
				 "another --kind",
				 report_formats[values->format].name, contents[*kind]);
	if (*kind != RUN_SAMPLES && chooses_samples(values))
		return error_set(error, -EINVAL,
				 "--kind %s excludes --by, --tree and filters: they are for "
				 "samples",
				 kinds[values->kind]);
	if (recording->runs.count && !has_runs(recording, *kind))
		return error_set(error, -EINVAL, "%s has no %s; make one with lever %s", path,
				 contents[*kind], makers[*kind]);
	return 0;
}

/* --open sets the format. EXIT_ANSWERED if the format can be written. */
static enum exit_code complete_format(struct report_values *values)
{
	int html = report_format_find("html");
	const struct report_format *format = &report_formats[values->format];

	if (values->open && values->format && values->format != html)
		return message_print(EXIT_USAGE,
				     "--open shows the HTML page; leave out --format %s",
				     format->name);
	if (values->open)
		values->format = html;
	if (values->format == html && !html_is_built())
		return message_print(EXIT_FAILED, MESSAGE_NO_PAGE);
	if (!format->is_for_terminal && !values->open && !values->output && isatty(STDOUT_FILENO))
		return message_print(EXIT_USAGE,
				     "refusing to write %s to a terminal; use --output FILE%s%s",
				     format->name, format->suffix,
				     values->format == html ? " or --open" : "");
	return EXIT_ANSWERED;
}

static enum exit_code complete_options(struct report_values *values)
{
	if (values->targets.number > UINT32_MAX)
		return message_print(EXIT_USAGE, "--targets is too large");
	if (values->pid.number > UINT32_MAX || values->thread.number > UINT32_MAX)
		return message_print(EXIT_USAGE, "--pid or --thread is too large");
	values->filter.pid = (unsigned)values->pid.number;
	values->filter.tid = (unsigned)values->thread.number;
	return complete_format(values);
}

static int write_and_open(const char *path, const struct recording *recording, enum run_kind kind,
			  const struct report_values *values, struct error *error)
{
	AUTO(text) char *beside = text_format("%s.html", path);
	struct report_values copy = *values;
	copy.output = values->output ? values->output : beside;
	int code = write_file(recording, kind, &copy, error);
	if (code)
		return code;
	if (!values->output)
		message_print(EXIT_ANSWERED, "the page is %s", beside);
	return browser_open(copy.output, error);
}

/* To a terminal: names, which only the text has clean, cannot control it. */
static void write_clean(const struct recording *recording, enum run_kind kind,
			const struct report_values *values)
{
	AUTO(text) char *content = NULL;
	size_t size;
	FILE *memory = open_memstream(&content, &size);

	if (!memory)
		return;
	write_report(memory, recording, kind, values);
	fclose(memory);
	AUTO(text) char *clean = display_clean_lines(content);
	fputs(clean, stdout);
}

static int show(const char *path, const struct recording *recording, enum run_kind kind,
		const struct report_values *values, struct error *error)
{
	if (values->open)
		return write_and_open(path, recording, kind, values, error);
	if (values->output)
		return write_file(recording, kind, values, error);
	if (isatty(STDOUT_FILENO) && values->format != report_format_find("text"))
		write_clean(recording, kind, values);
	else
		write_report(stdout, recording, kind, values);
	return 0;
}

int command_report(int argc, char **argv)
{
	struct report_values values = {0};
	int operand, exit_code;
	if (!command_line_parse(&report_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (operand + 1 < argc)
		return message_print(EXIT_USAGE, "unexpected argument '%s' after the profile",
				     argv[operand + 1]);
	exit_code = complete_options(&values);
	if (exit_code)
		return exit_code;
	const char *path = operand < argc ? argv[operand] : "lever.lever";
	struct error error = {0};
	enum run_kind kind;
	AUTO(recording) struct recording *recording = NULL;
	if (report_files_read(path, &values.range, &recording, &error))
		return message_error(&error, error.code == -ERANGE ? EXIT_USAGE : EXIT_FAILED);
	if (choose_kind(recording, &values, path, &kind, &error))
		return message_error(&error, EXIT_USAGE);
	recording_keep(recording, kind);
	if (kind == RUN_SCALE)
		recording_keep_session(recording);
	if (!values.filter.classes)
		values.filter.classes = SAMPLES_ALL_CLASSES;
	if (show(path, recording, kind, &values, &error))
		return message_error(&error, EXIT_FAILED);
	return EXIT_ANSWERED; /* also if the report says that there is none */
}
