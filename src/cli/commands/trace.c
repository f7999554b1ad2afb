/* SPDX-License-Identifier: BSD-2-Clause */
/* command_trace - `lever trace`: records a program's annotations and scheduling, and shows tables. */
#include "trace/trace.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/installed_library.h"
#include "cli/options/values.h"
#include "cli/output/live_line.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "profile/profile.h"
#include "report/display.h"
#include "report/formats.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define BUFFER_DEFAULT (2u << 20)
#define BUFFER_LEAST (16u << 10)
#define BUFFER_MOST (256u << 20)
#define ROWS_OF_SUMMARY 10

struct trace_values {
	const char *output;
	bool fresh;
	int scheduler; /* enum trace_scheduler */
	bool interrupts;
	int texts; /* enum trace_texts */
	ARRAY(const char *) probes;
	size_t buffer_bytes;
	double flight_seconds;
	ARRAY(pid_t) processes;
	bool is_system_wide;
	double seconds;
	bool quiet, verbose;
};

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(timeline, struct timeline *, timeline_free, NULL)

static void trace_values_auto_release(struct trace_values *values)
{
	array_free(&values->processes);
	array_free(&values->probes);
}

static int add_probe(const struct option *option, void *field, const char *text,
		     struct error *error)
{
	struct trace_values *values = field;

	(void)option, (void)error;
	*array_add(&values->probes) = text;
	return 0;
}

/* "17" or "17,18" */
static int add_processes(const struct option *option, void *field, const char *text,
			 struct error *error)
{
	struct trace_values *values = field;
	AUTO(text) char *copy = text_copy(text);
	char *rest = copy;

	(void)option;
	for (char *word; (word = strsep(&rest, ","));) {
		uint64_t pid;
		if (!text_to_unsigned(word, &pid) || !pid || pid > INT_MAX)
			return error_set(error, -EINVAL, "'%s' is not a process id", word);
		*array_add(&values->processes) = (pid_t)pid;
	}
	return 0;
}

/* "512K" or "4M"; made a power of two. */
static int set_size(const struct option *option, void *field, const char *text, struct error *error)
{
	size_t length = strlen(text), *bytes = field;
	char unit = length ? text[length - 1] : 0;
	AUTO(text) char *digits = text_format("%.*s", (int)(length ? length - 1 : 0), text);
	uint64_t number, size = BUFFER_LEAST;

	(void)option;
	if ((unit != 'K' && unit != 'M') || !text_to_unsigned(digits, &number) || !number ||
	    number > BUFFER_MOST >> 10)
		return error_set(error, -EINVAL, "'%s' is not a size like 512K or 4M", text);
	number <<= unit == 'K' ? 10 : 20;
	if (number < BUFFER_LEAST || number > BUFFER_MOST)
		return error_set(error, -EINVAL, "16K is the smallest buffer, 256M the largest");
	while (size < number)
		size *= 2;
	*bytes = size;
	return 0;
}

static const char *const texts[] = {"auto", "on", "off", NULL};      /* as enum trace_texts */
static const char *const schedulers[] = {"auto", "on", "off", NULL}; /* as enum trace_scheduler */

#define FIELD(member) offsetof(struct trace_values, member)
static const struct option trace_table[] = {
	{"output", 'o', "FILE", "write the profile to FILE (lever.lever); it adds to what is there",
	 value_set_text, FIELD(output), NULL},
	{"fresh", 0, NULL, "begin the profile file anew", value_set_flag, FIELD(fresh), NULL},
	{"scheduler", 0, "WHEN",
	 "log who runs where and who wakes whom: on, off, or auto, if the rights are there (auto)",
	 value_set_choice, FIELD(scheduler), schedulers},
	{"interrupts", 0, NULL, "log hard and soft interrupts, too", value_set_flag,
	 FIELD(interrupts), NULL},
	{"usdt", 0, "PROBE",
	 "record a static probe PROVIDER:NAME, or with two, BEGIN,END, a span; may be repeated",
	 add_probe, 0, NULL},
	{"trace-marker", 0, "WHEN",
	 "record what the program writes to trace_marker: on, off, or auto, if it mentions it (auto)",
	 value_set_choice, FIELD(texts), texts},
	{"buffer", 0, "SIZE", "room for annotations of each thread, like 512K or 4M (2M)", set_size,
	 FIELD(buffer_bytes), NULL},
	{"flight", 0, "SECONDS", "keep only what happened in so many seconds before the end",
	 value_set_seconds, FIELD(flight_seconds), NULL},
	{"pid", 'p', "PID", "log processes that run already, and what they fork", add_processes, 0,
	 NULL},
	{"system", 'a', NULL,
	 "log all processes of the machine; annotations of PROGRAM, if given, else of all",
	 value_set_flag, FIELD(is_system_wide), NULL},
	{"seconds", 0, "NUMBER", "end the recording after this time (at the program's end)",
	 value_set_seconds, FIELD(seconds), NULL},
	{"quiet", 'q', NULL, "no live progress and no summary, only errors and warnings",
	 value_set_flag, FIELD(quiet), NULL},
	{"verbose", 'v', NULL, "let the BPF loader explain itself", value_set_flag, FIELD(verbose),
	 NULL},
};

const struct command_page trace_page = {
	.name = "trace",
	.summary = "record a timeline: annotations, and who ran where",
	.operands = "[--] [PROGRAM [ARGUMENT...]]",
	.manual = "lever-trace",
	.purpose =
		"Runs PROGRAM and records its annotations (lever.h) and, with root or CAP_BPF and "
		"CAP_PERFMON (see lever check), which thread ran on which core, why it waited, and "
		"who woke it. Annotations of NVTX, OpenMP, trace_marker and static probes are seen, "
		"too. lever report shows tables of it, or gives it to Perfetto.",
	.options = trace_table,
	.option_count = sizeof(trace_table) / sizeof(trace_table[0]),
	.runs_program = true,
};

struct terminal {
	struct live_line live; /* first: live_line_say gets this as its context, too */
};

static void show_status(void *context, const struct trace_status *status)
{
	struct terminal *terminal = context;

	if (!terminal->live.is_renewed)
		return;
	AUTO(text) char *marks = display_count(status->marks);
	AUTO(text) char *switches = display_count(status->switches);
	AUTO(text) char *lost = display_count(status->lost);
	AUTO(text)
	char *left = status->left_seconds >= 0 ?
			     text_format(", %.0f s left", status->left_seconds) :
			     text_copy("");
	AUTO(text)
	char *line = text_format("lever: %.0f s%s, %s annotations, %s switches, %s lost",
				 status->elapsed_seconds, left, marks, switches, lost);
	live_line_show(&terminal->live, line);
}

static int check_combination(const struct trace_values *values, bool has_program)
{
	if (!has_program && !values->processes.count && !values->is_system_wide)
		return message_say(EXIT_USAGE,
				   "lever trace needs a program to run, or --pid, or --system: "
				   "lever trace [OPTION...] [--] PROGRAM [ARGUMENT...]");
	if (values->processes.count && (has_program || values->is_system_wide))
		return message_say(EXIT_USAGE,
				   "--pid goes neither with a program nor with --system");
	if (values->scheduler == TRACE_SCHEDULER_OFF && (!has_program || values->interrupts))
		return message_say(EXIT_USAGE,
				   "--scheduler off leaves the annotations of a program only");
	if (values->scheduler == TRACE_SCHEDULER_OFF &&
	    (values->probes.count || values->texts == TRACE_TEXTS_ON))
		return message_say(EXIT_USAGE, "--usdt and --trace-marker on do not go with "
					       "--scheduler off: the kernel sees both");
	if (values->quiet && values->verbose)
		return message_say(EXIT_USAGE, "--quiet and --verbose exclude each other");
	return 0;
}

/* To stderr: standard output is the program's. */
static int show_summary(const struct trace_values *values)
{
	struct error error = {0};
	AUTO(recording) struct recording *recording = NULL;
	AUTO(timeline) struct timeline *timeline = NULL;

	if (values->quiet)
		return EXIT_ANSWERED;
	if (profile_read(values->output, &recording, &error))
		return message_error(&error, EXIT_FAILED);
	recording_keep(recording, RUN_TIMELINE);
	timeline = timeline_new(recording);
	const struct report report = {.recording = recording,
				      .timeline = timeline,
				      .options = summary_options(stderr, ROWS_OF_SUMMARY)};
	report_timeline_text(stderr, &report);
	return EXIT_ANSWERED;
}

static int finish(const struct trace_values *values, const struct trace_result *result,
		  const struct error *error)
{
	if (!values->quiet)
		summary_program_end(result->status);
	switch (result->end) {
	case TRACE_DONE:
		return show_summary(values);
	case TRACE_NOTHING:
		return message_say(
			EXIT_NO_ANSWER,
			"there is no event: the program has no annotations (lever.h), and "
			"the scheduler was not logged");
	case TRACE_WRONG_USAGE:
		return message_error(error, EXIT_USAGE);
	case TRACE_NOT_STARTED:
		return message_error(error, (enum exit_code)result->exit_code);
	case TRACE_FAILED:
		break;
	}
	return message_error(error, EXIT_FAILED);
}

int command_trace(int argc, char **argv)
{
	AUTO(trace_values)
	struct trace_values values = {.output = "lever.lever", .buffer_bytes = BUFFER_DEFAULT};
	struct trace_result result;
	struct error error = {0};
	int operand, exit_code;

	trace_prepare_signals();
	if (!options_parse_command(&trace_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	exit_code = check_combination(&values, operand < argc);
	if (exit_code)
		return exit_code;
	struct terminal terminal = {
		.live = {.is_quiet = values.quiet,
			 .is_renewed = !values.quiet && isatty(STDERR_FILENO)},
	};
	AUTO(text) char *nvtx = installed_library_find("liblever-nvtx.so");
	AUTO(text) char *ompt = installed_library_find("liblever-ompt.so");
	struct trace_options options = {
		.arguments = operand < argc ? argv + operand : NULL,
		.processes = values.processes.items,
		.process_count = values.processes.count,
		.is_system_wide = values.is_system_wide,
		.version = LEVER_VERSION,
		.output = values.output,
		.fresh = values.fresh,
		.scheduler = (enum trace_scheduler)values.scheduler,
		.wants_interrupts = values.interrupts,
		.texts = (enum trace_texts)values.texts,
		.probes = values.probes.items,
		.probe_count = values.probes.count,
		.nvtx_library = nvtx,
		.ompt_library = ompt,
		.ring_bytes = values.buffer_bytes,
		.seconds = values.seconds,
		.flight_seconds = values.flight_seconds,
		.verbose = values.verbose,
		.context = &terminal,
		.notify = show_status,
		.say = live_line_say,
	};
	trace_run(&options, &result, &error);
	live_line_clear(&terminal.live);
	return finish(&values, &result, &error);
}
