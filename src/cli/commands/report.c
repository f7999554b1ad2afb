/* SPDX-License-Identifier: BSD-2-Clause */
/* command_report - `lever report`: a profile as text, a page, or in a format for other programs. */
#include "report/report.h"
#include "analyze/causal/causal.h"
#include "analyze/samples/samples.h"
#include "analyze/scale/scale.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "cli/commands/commands.h"
#include "cli/options/values.h"
#include "cli/output/browser.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum report_format {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_HTML,
	REPORT_CSV,
	REPORT_COZ,
	REPORT_FOLDED,
	REPORT_PPROF,
	REPORT_SPEEDSCOPE,
	REPORT_FIREFOX,
	REPORT_PERFETTO,
	REPORT_CHROME,
	REPORT_FORMATS,
};
enum report_kind { REPORT_LATEST, REPORT_CAUSAL, REPORT_SAMPLES, REPORT_TIMELINE, REPORT_SCALE };

#define TREE_LEAST 0.005 /* the smallest share of a branch that is shown */

struct report_values {
	int format; /* enum report_format */
	int kind;   /* enum report_kind */
	const char *output;
	bool open;
	struct value_number targets;
	int group;                    /* enum samples_group */
	int tree;                     /* enum report_tree */
	struct samples_filter filter; /* classes: 0, all */
	struct value_number pid, thread;
};

/* In the order of the enums. */
static const char *const formats[] = {"text",    "json",     "html",   "csv",
				      "coz",     "folded",   "pprof",  "speedscope",
				      "firefox", "perfetto", "chrome", NULL};
static const char *const kinds[] = {"latest", "causal", "samples", "timeline", "scale", NULL};
static const char *const groups[] = {"function", "line",    "class", "call",
				     "thread",   "process", "lock",  NULL};
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
	{"format", 'f', "FORMAT",
	 "text, json or html; csv, of all but samples; coz, of causal profiles; folded, pprof, "
	 "speedscope or firefox, of samples; perfetto or chrome, of timelines (text)",
	 value_set_choice, FIELD(format), formats},
	{"output", 'o', "FILE", "write to FILE instead of standard output", value_set_text,
	 FIELD(output), NULL},
	{"open", 0, NULL,
	 "write the HTML page, to FILE.html without --output, and show it in a browser",
	 value_set_flag, FIELD(open), NULL},
	{"targets", 'n', "NUMBER", "text: show at most this many targets or rows, 0 for all (20)",
	 value_set_number, FIELD(targets), NULL},
	{"kind", 0, "KIND",
	 "of a file with several: causal (from lever run), samples (from lever record), timeline "
	 "(from lever trace), scale (from lever scale), or latest, as its last run is (latest)",
	 value_set_choice, FIELD(kind), kinds},
	{"by", 0, "GROUP",
	 "samples: add up by function, line, class, call, thread, process or lock (function)",
	 value_set_choice, FIELD(group), groups},
	{"tree", 0, "TREE",
	 "samples: a call tree instead of the table; callees: from the outermost function to what it "
	 "calls, callers: from the innermost to its callers (none)",
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
};

const struct command_page report_page = {
	.name = "report",
	.summary = "show a profile as text, a page in the browser, JSON or another format",
	.operands = "[FILE]",
	.manual = "lever-report",
	.purpose = "Shows the profile in FILE (lever.lever): the targets of a causal profile, or "
		   "where the time of recorded samples went.",
	.options = report_table,
	.option_count = sizeof(report_table) / sizeof(report_table[0]),
};

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(causal, struct causal *, causal_free, NULL)
CLEANUP_DEFINE(samples, struct samples *, samples_free, NULL)
CLEANUP_DEFINE(timeline, struct timeline *, timeline_free, NULL)
CLEANUP_DEFINE(scale, struct scale *, scale_free, NULL)

static struct report_options report_options_of(FILE *out, const struct report_values *values)
{
	return summary_options(out,
			       values->targets.is_given ? (unsigned)values->targets.number : 20);
}

static void write_causal(FILE *out, const struct recording *recording,
			 const struct report_values *values)
{
	AUTO(causal) struct causal *causal = causal_new(recording);
	struct report_options options = report_options_of(out, values);

	switch ((enum report_format)values->format) {
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
	default: /* choose_kind has refused the others */
		report_text(out, recording, causal, &options);
		break;
	}
}

static void write_samples(FILE *out, const struct recording *recording,
			  const struct report_values *values)
{
	AUTO(samples) struct samples *samples = samples_new(recording, &values->filter);
	struct report_samples_options options = {
		.layout = report_options_of(out, values),
		.group = (enum samples_group)values->group,
		.tree = (enum report_tree)values->tree,
		.least = TREE_LEAST,
	};

	switch ((enum report_format)values->format) {
	case REPORT_JSON:
		report_samples_json(out, recording, samples);
		break;
	case REPORT_HTML:
		report_samples_html(out, recording, samples);
		break;
	case REPORT_FOLDED:
		report_samples_folded(out, samples);
		break;
	case REPORT_PPROF:
		report_samples_pprof(out, recording, samples);
		break;
	case REPORT_SPEEDSCOPE:
		report_samples_speedscope(out, recording, samples);
		break;
	case REPORT_FIREFOX:
		report_samples_firefox(out, recording, samples);
		break;
	default: /* choose_kind has refused the others */
		report_samples_text(out, recording, samples, &options);
		break;
	}
}

static void write_timeline(FILE *out, const struct recording *recording,
			   const struct report_values *values)
{
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	struct report_options options = report_options_of(out, values);

	switch ((enum report_format)values->format) {
	case REPORT_JSON:
		report_timeline_json(out, recording, timeline);
		break;
	case REPORT_HTML:
		report_timeline_html(out, recording, timeline);
		break;
	case REPORT_CSV:
		report_timeline_csv(out, timeline);
		break;
	case REPORT_PERFETTO:
		report_timeline_perfetto(out, timeline);
		break;
	case REPORT_CHROME:
		report_timeline_chrome(out, timeline);
		break;
	default: /* choose_kind has refused the others */
		report_timeline_text(out, recording, timeline, &options);
		break;
	}
}

static void write_scale(FILE *out, const struct recording *recording,
			const struct report_values *values)
{
	AUTO(scale) struct scale *scale = scale_new(recording);
	struct report_options options = report_options_of(out, values);

	if (values->format == REPORT_JSON)
		report_scale_json(out, recording, scale);
	else if (values->format == REPORT_HTML)
		report_scale_html(out, recording, scale);
	else if (values->format == REPORT_CSV)
		report_scale_csv(out, scale);
	else /* choose_kind has refused the others */
		report_scale_text(out, recording, scale, &options);
}

static void write_report(FILE *out, const struct recording *recording, enum run_kind kind,
			 const struct report_values *values)
{
	if (kind == RUN_SCALE)
		write_scale(out, recording, values);
	else if (kind == RUN_TIMELINE)
		write_timeline(out, recording, values);
	else if (kind == RUN_SAMPLES)
		write_samples(out, recording, values);
	else
		write_causal(out, recording, values);
}

static int write_file(const struct recording *recording, enum run_kind kind,
		      const struct report_values *values, struct error *error)
{
	AUTO(file) FILE *out = fopen(values->output, "we");
	if (!out)
		return error_set(error, errno, "%s cannot be written: %s", values->output,
				 strerror(errno));
	file_give_to_caller(fileno(out));
	write_report(out, recording, kind, values);
	if (fflush(out) || ferror(out))
		return error_set(error, errno ? errno : EIO, "%s cannot be written: %s",
				 values->output, strerror(errno ? errno : EIO));
	return 0;
}

static bool has_runs(const struct recording *recording, enum run_kind kind)
{
	for (size_t i = 0; i < recording->runs.count; i++)
		if (recording->runs.items[i].kind == kind)
			return true;
	return false;
}

/* For which kinds a format is: a bit for each of enum run_kind. */
static unsigned kinds_of(enum report_format format)
{
	static const unsigned all =
		1u << RUN_CAUSAL | 1u << RUN_SAMPLES | 1u << RUN_TIMELINE | 1u << RUN_SCALE;
	static const unsigned some[REPORT_FORMATS] = {
		[REPORT_CSV] = 1u << RUN_CAUSAL | 1u << RUN_TIMELINE | 1u << RUN_SCALE,
		[REPORT_COZ] = 1u << RUN_CAUSAL,
		[REPORT_FOLDED] = 1u << RUN_SAMPLES,
		[REPORT_PPROF] = 1u << RUN_SAMPLES,
		[REPORT_SPEEDSCOPE] = 1u << RUN_SAMPLES,
		[REPORT_FIREFOX] = 1u << RUN_SAMPLES,
		[REPORT_PERFETTO] = 1u << RUN_TIMELINE,
		[REPORT_CHROME] = 1u << RUN_TIMELINE,
	};
	return some[format] ? some[format] : all;
}

static const char *const makers[] = {[RUN_CAUSAL] = "run",
				     [RUN_SAMPLES] = "record",
				     [RUN_TIMELINE] = "trace",
				     [RUN_SCALE] = "scale"};
static const char *const contents[] = {[RUN_CAUSAL] = "causal profile",
				       [RUN_SAMPLES] = "samples",
				       [RUN_TIMELINE] = "timeline",
				       [RUN_SCALE] = "count of threads"};

static bool chooses_samples(const struct report_values *values)
{
	return values->group || values->tree || values->filter.classes || values->filter.command ||
	       values->filter.function || values->pid.is_given || values->thread.is_given;
}

/* Which kind the user wants: named, or the latest that the format is for. */
static enum run_kind wanted_kind(const struct recording *recording,
				 const struct report_values *values)
{
	static const enum run_kind named[] = {
		[REPORT_CAUSAL] = RUN_CAUSAL,
		[REPORT_SAMPLES] = RUN_SAMPLES,
		[REPORT_TIMELINE] = RUN_TIMELINE,
		[REPORT_SCALE] = RUN_SCALE,
	};
	unsigned fitting = kinds_of((enum report_format)values->format);

	if (values->kind != REPORT_LATEST)
		return named[values->kind];
	if (chooses_samples(values))
		return RUN_SAMPLES;
	for (size_t i = recording->runs.count; i--;)
		if (fitting >> recording->runs.items[i].kind & 1)
			return recording->runs.items[i].kind;
	for (unsigned kind = RUN_CAUSAL; kind <= RUN_SCALE; kind++)
		if (fitting >> kind & 1)
			return (enum run_kind)kind;
	return RUN_CAUSAL;
}

/* Which kind of runs to show; -EINVAL if the file has none, or the options fit only others. */
static int choose_kind(const struct recording *recording, const struct report_values *values,
		       const char *path, enum run_kind *kind, struct error *error)
{
	*kind = wanted_kind(recording, values);
	if (!(kinds_of((enum report_format)values->format) >> *kind & 1))
		return error_set(error, -EINVAL,
				 "--format %s is not for a %s; leave out what chooses that",
				 formats[values->format],
				 *kind == RUN_SAMPLES ? "recording of samples" : contents[*kind]);
	if (*kind != RUN_SAMPLES && chooses_samples(values))
		return error_set(error, -EINVAL,
				 "--by, --tree and the filters are for samples; "
				 "--kind %s does not go together with them",
				 kinds[values->kind]);
	if (recording->runs.count && !has_runs(recording, *kind))
		return error_set(error, -EINVAL, "%s holds no %s; lever %s makes them", path,
				 contents[*kind], makers[*kind]);
	return 0;
}

/* Completes the options of the page; EXIT_ANSWERED if they fit each other. */
static enum exit_code complete_page_options(struct report_values *values)
{
	if (values->open && values->format != REPORT_TEXT && values->format != REPORT_HTML)
		return message_say(EXIT_USAGE, "--open shows the HTML page; leave out --format %s",
				   formats[values->format]);
	if (values->open)
		values->format = REPORT_HTML;
	if (values->format == REPORT_PPROF && !values->output && isatty(STDOUT_FILENO))
		return message_say(
			EXIT_USAGE,
			"pprof's format is nothing for a terminal; name a file by --output");
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

static enum exit_code complete_options(struct report_values *values)
{
	if (values->targets.number > UINT32_MAX)
		return message_say(EXIT_USAGE, "--targets: the number is too large");
	if (values->pid.number > UINT32_MAX || values->thread.number > UINT32_MAX)
		return message_say(EXIT_USAGE, "--pid, --thread: the number is too large");
	values->filter.pid = (unsigned)values->pid.number;
	values->filter.tid = (unsigned)values->thread.number;
	return complete_page_options(values);
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
		message_say(EXIT_ANSWERED, "the page is in %s", beside);
	return browser_open(copy.output, error);
}

static int show(const char *path, const struct recording *recording, enum run_kind kind,
		const struct report_values *values, struct error *error)
{
	if (values->open)
		return write_and_open(path, recording, kind, values, error);
	if (values->output)
		return write_file(recording, kind, values, error);
	write_report(stdout, recording, kind, values);
	return 0;
}

int command_report(int argc, char **argv)
{
	struct report_values values = {0};
	int operand, exit_code;
	if (!options_parse_command(&report_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	if (operand + 1 < argc)
		return message_say(EXIT_USAGE, "lever report takes one profile; '%s' is too much",
				   argv[operand + 1]);
	exit_code = complete_options(&values);
	if (exit_code)
		return exit_code;
	const char *path = operand < argc ? argv[operand] : "lever.lever";
	struct error error = {0};
	enum run_kind kind;
	AUTO(recording) struct recording *recording = NULL;
	if (profile_read(path, &recording, &error))
		return message_error(&error, EXIT_FAILED);
	if (choose_kind(recording, &values, path, &kind, &error))
		return message_error(&error, EXIT_USAGE);
	recording_keep(recording, kind);
	if (kind == RUN_SCALE)
		recording_keep_session(recording);
	if (!values.filter.classes)
		values.filter.classes = SAMPLES_ALL_CLASSES;
	if (show(path, recording, kind, &values, &error))
		return message_error(&error, EXIT_FAILED);
	return EXIT_ANSWERED; /* the report itself says it when there is no answer in it */
}
