/* SPDX-License-Identifier: BSD-2-Clause */
/* command_record - `lever record`: samples a program on and off CPU, and shows what was found. */
#include "record/record.h"
#include "analyze/samples/samples.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/options/values.h"
#include "cli/output/live_line.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "collect/machine/machine.h"
#include "profile/profile.h"
#include "report/display.h"
#include "report/formats.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#define PERIOD_DEFAULT_NS 1000000
#define PERIOD_LEAST_NS 50000
#define PERIOD_MOST_NS 1000000000
#define LIVE_SECONDS 10
#define LIVE_WORDS "10 s"

struct record_values {
	const char *output;
	bool fresh;
	uint64_t period_ns;
	int chain; /* enum record_chain */
	const char *classes;
	struct value_processes processes;
	const char *cgroup;
	bool is_system_wide;
	double seconds;
	bool live, force, quiet, verbose;
};

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(samples, struct samples *, samples_free, NULL)

static void record_values_auto_release(struct record_values *values)
{
	array_free(&values->processes);
}

static const char *const chains[] = {"dwarf", "fp", "none", NULL}; /* as enum record_chain */

#define FIELD(member) offsetof(struct record_values, member)
static const struct option record_table[] = {
	{"output", 'o', "FILE", "write the profile to FILE (lever.lever); it adds to what is there",
	 value_set_text, FIELD(output), NULL},
	{"fresh", 0, NULL, "begin the profile file anew", value_set_flag, FIELD(fresh), NULL},
	{"period", 0, "DURATION", "the time between two samples of a task, like 250us (1ms)",
	 value_set_duration, FIELD(period_ns), NULL},
	{"call-graph", 0, "WAY",
	 "how callers are found: dwarf (by unwind tables), fp (by frame pointers) or none (dwarf)",
	 value_set_choice, FIELD(chain), chains},
	{"class", 0, "FILE", "further rules for the classes of time off CPU, before the usual ones",
	 value_set_text, FIELD(classes), NULL},
	{"pid", 'p', "PID", "record processes that run already, and what they fork", value_add_pids,
	 FIELD(processes), NULL},
	{"cgroup", 0, "CGROUP", "record the processes of a cgroup and of those below it",
	 value_set_text, FIELD(cgroup), NULL},
	{"system", 'a', NULL, "record all processes of the machine", value_set_flag,
	 FIELD(is_system_wide), NULL},
	{"seconds", 0, "NUMBER", "end the recording after this time (at the program's end)",
	 value_set_seconds, FIELD(seconds), NULL},
	{"live", 0, NULL, "show the report of the last ten seconds, every two seconds",
	 value_set_flag, FIELD(live), NULL},
	{"force", 0, NULL, "record also on a kernel that is known to hang machines", value_set_flag,
	 FIELD(force), NULL},
	{"quiet", 'q', NULL, "no live progress and no summary, only errors and warnings",
	 value_set_flag, FIELD(quiet), NULL},
	{"verbose", 'v', NULL, "let the BPF loader explain itself", value_set_flag, FIELD(verbose),
	 NULL},
};

const struct command_page record_page = {
	.name = "record",
	.summary = "sample a program on and off CPU",
	.operands = "[--] [PROGRAM [ARGUMENT...]]",
	.manual = "lever-record",
	.purpose =
		"Runs PROGRAM, or looks at processes that run already, and records where their "
		"time goes: on CPU, and off CPU waiting for I/O, locks, a CPU or other things, by "
		"one clock. Without root or CAP_BPF and CAP_PERFMON it sees less, and only "
		"processes of one's own (see lever check).",
	.options = record_table,
	.option_count = sizeof(record_table) / sizeof(record_table[0]),
	.runs_program = true,
};

struct terminal {
	struct live_line live; /* first: live_line_say gets this as its context, too */
};

static void show_status(void *context, const struct record_status *status)
{
	struct terminal *terminal = context;

	if (!terminal->live.is_renewed)
		return;
	AUTO(text) char *samples = display_count(status->samples);
	AUTO(text)
	char *left = status->left_seconds >= 0 ?
			     text_format(", %.0f s left", status->left_seconds) :
			     text_copy("");
	AUTO(text)
	char *line = text_format(
		"lever: %.0f s%s, %s samples; CPU %.0f %%, I/O %.0f %%, locks %.0f %%, runnable "
		"%.0f %%, other %.0f %%",
		status->elapsed_seconds, left, samples,
		100 * (status->shares[CLASS_USER] + status->shares[CLASS_KERNEL]),
		100 * status->shares[CLASS_IO], 100 * status->shares[CLASS_LOCK],
		100 * status->shares[CLASS_RUNNABLE], 100 * status->shares[CLASS_OTHER]);
	live_line_show(&terminal->live, line);
}

/* Takes the screen from the top each time. */
static void refresh(void *context, const struct recording *recording)
{
	struct winsize size = {.ws_row = 40};
	struct samples_filter everything = {.classes = SAMPLES_ALL_CLASSES};
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);

	(void)context;
	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	unsigned rows = size.ws_row > 26 ? size.ws_row - 20u : 6;
	const struct report report = {.recording = recording,
				      .samples = samples,
				      .options = summary_options(stderr, rows)};
	if (isatty(STDERR_FILENO))
		fputs("\033[H\033[2J", stderr);
	fputs("The last " LIVE_WORDS ", anew every 2 s; Ctrl-C ends it\n", stderr);
	report_samples_text(stderr, &report);
}

static int check_combination(const struct record_values *values, bool has_program)
{
	unsigned whom = has_program + (values->processes.count > 0) + (values->cgroup != NULL) +
			values->is_system_wide;

	if (!whom)
		return message_say(EXIT_USAGE,
				   "lever record needs a program to run, or --pid, --cgroup or "
				   "--system: lever record [OPTION...] [--] PROGRAM [ARGUMENT...]");
	if (whom > 1)
		return message_say(EXIT_USAGE, "a program, --pid, --cgroup and --system exclude "
					       "each other");
	if (values->quiet && values->live)
		return message_say(EXIT_USAGE, "--quiet and --live exclude each other");
	if (values->quiet && values->verbose)
		return message_say(EXIT_USAGE, "--quiet and --verbose exclude each other");
	if (values->period_ns < PERIOD_LEAST_NS || values->period_ns > PERIOD_MOST_NS)
		return message_say(EXIT_USAGE, "--period: 50us is the shortest, 1s the longest");
	return 0;
}

/* To stderr: standard output is the program's. */
static int show_summary(const struct record_values *values)
{
	struct error error = {0};
	AUTO(recording) struct recording *recording = NULL;
	struct samples_filter everything = {.classes = SAMPLES_ALL_CLASSES};

	if (profile_read(values->output, &recording, &error))
		return message_error(&error, EXIT_FAILED);
	recording_keep(recording, RUN_SAMPLES);
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);
	const struct report report = {.recording = recording,
				      .samples = samples,
				      .options = summary_options(stderr, 10)};
	if (!values->quiet)
		report_samples_text(stderr, &report);
	return EXIT_ANSWERED;
}

static int finish(const struct record_values *values, const struct record_result *result,
		  const struct error *error)
{
	if (!values->quiet)
		summary_program_end(result->status);
	switch (result->end) {
	case RECORD_DONE:
		return show_summary(values);
	case RECORD_NOTHING:
		return message_say(EXIT_NO_ANSWER,
				   "there is no sample: it ended too soon, or did nothing; record "
				   "for longer, or with a shorter --period");
	case RECORD_WRONG_USAGE:
		return message_error(error, EXIT_USAGE);
	case RECORD_NOT_STARTED:
		return message_error(error, (enum exit_code)result->exit_code);
	case RECORD_FAILED:
		break;
	}
	return message_error(error, EXIT_FAILED);
}

int command_record(int argc, char **argv)
{
	AUTO(record_values)
	struct record_values values = {.output = "lever.lever", .period_ns = PERIOD_DEFAULT_NS};
	struct record_result result;
	struct error error = {0};
	int operand, exit_code;

	record_prepare_signals();
	if (!options_parse_command(&record_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	exit_code = check_combination(&values, operand < argc);
	if (exit_code)
		return exit_code;
	if (machine_may_pause(NULL, values.force, &error))
		return message_error(&error, EXIT_FAILED);
	struct terminal terminal = {
		.live = {.is_quiet = values.quiet,
			 .is_renewed = !values.quiet && !values.live && isatty(STDERR_FILENO)},
	};
	struct record_options options = {
		.arguments = operand < argc ? argv + operand : NULL,
		.processes = values.processes.items,
		.process_count = values.processes.count,
		.cgroup = values.cgroup,
		.is_system_wide = values.is_system_wide,
		.version = LEVER_VERSION,
		.output = values.output,
		.fresh = values.fresh,
		.period_ns = values.period_ns,
		.chain = (enum record_chain)values.chain,
		.class_rules = values.classes,
		.seconds = values.seconds,
		.live_seconds = values.live ? LIVE_SECONDS : 0,
		.verbose = values.verbose,
		.context = &terminal,
		.notify = show_status,
		.refresh = refresh,
		.say = live_line_say,
	};
	record_run(&options, &result, &error);
	live_line_clear(&terminal.live);
	return finish(&values, &result, &error);
}
