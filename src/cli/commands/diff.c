/* SPDX-License-Identifier: BSD-2-Clause */
/* diff - `lever diff`: two profiles, or two commands that run in turn. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/output_file.h"
#include "cli/commands/commands.h"
#include "cli/commands/diff_options.h"
#include "cli/commands/report_files.h"
#include "cli/installed_library.h"
#include "cli/options/command_line.h"
#include "cli/output/live_line.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "collect/process/program.h"
#include "compare/compare.h"
#include "compare/layout.h"
#include "report/diff/diff_report.h"
#include "report/display.h"
#include "report/html.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LAYOUTS_LEAST 7 /* with fewer, no result is significant */
#define NOTIFY_NS 500000000u

CLEANUP_DEFINE(run_pairs, struct run_pairs *, run_pairs_free, NULL)
CLEANUP_DEFINE(visits, struct visits *, visits_free, NULL)

struct live_pairs {
	struct live_line line;
	uint64_t shown_ns;
};

static void show_progress(void *context, const struct run_pairs *run_pairs)
{
	struct live_pairs *live = context;
	uint64_t now_ns = clock_now_ns();

	if (now_ns - live->shown_ns < NOTIFY_NS)
		return;
	struct run_pairs_result result = run_pairs_result(run_pairs);
	AUTO(text)
	char *estimate = isfinite(result.high) ?
				 text_format(", B / A %.4f (%.4f to %.4f)", result.ratio,
					     result.low, result.high) :
				 text_copy("");
	AUTO(text) char *line = text_format("%zu pairs%s", run_pairs_count(run_pairs), estimate);
	live_line_show(&live->line, line);
	live->shown_ns = now_ns;
}

static char *command_text(char *const *arguments)
{
	AUTO(text) char *line = text_copy("");

	for (char *const *word = arguments; *word; word++) {
		AUTO(text) char *before = line;
		AUTO(text) char *shown = display_argument(*word);
		line = text_format("%s%s%s", before, *before ? " " : "", shown);
	}
	return take(&line);
}

/* As the user wrote it: the shell that runs it goes without saying. */
static char *shown_command(const struct diff_values *values, char *const *arguments)
{
	bool has_shell = values->pair && !strcmp(arguments[0], "/bin/sh") && arguments[1] &&
			 !strcmp(arguments[1], "-c") && arguments[2] && !arguments[3];

	return has_shell ? text_copy(arguments[2]) : command_text(arguments);
}

static int write_report(const struct diff_values *values, const struct diff_report *report)
{
	struct output_file *file = NULL;
	struct error error = {0};

	if (values->output && output_file_open(values->output, &file, &error)) {
		error_add_remedy(&error, "choose another file with -o");
		return message_error(&error, EXIT_FAILED);
	}
	FILE *out = file ? output_file_stream(file) : stdout;
	const struct diff_format *format = &diff_formats[values->format];
	diff_writer *write = report->pairs    ? format->write_pairs :
			     report->profiles ? format->write_profiles :
						format->write_samples;
	write(out, report);
	if (file && output_file_finish(file, &error))
		return message_error(&error, EXIT_FAILED);
	return EXIT_ANSWERED;
}

static int exit_code_of(const struct run_pairs_result *result)
{
	if (result->gate == GATE_FAILED)
		return EXIT_SLOWER;
	if (result->gate == GATE_UNSURE)
		return EXIT_NO_ANSWER;
	if (!isfinite(result->high))
		return message_print(EXIT_NO_ANSWER,
				     "too few runs to tell; 12 of each give an answer, with --runs "
				     "or --seconds");
	return EXIT_ANSWERED;
}

static int show_result(const struct diff_values *values, const struct compare_options *options,
		       const struct run_pairs *run_pairs)
{
	struct run_pairs_result result = run_pairs_result(run_pairs);
	AUTO(text) char *before = shown_command(values, options->arguments[RUN_BEFORE]);
	AUTO(text) char *after = shown_command(values, options->arguments[RUN_AFTER]);
	bool is_fixed = !layout_is_randomized();
	struct diff_report report = {
		.pairs = &result,
		.commands = {before, after},
		.plan = &options->plan,
		.point = options->point,
		.note = is_fixed ? "address space randomization is off: one memory layout decides; "
				   "switch it on, or use --layouts" :
				   NULL,
		.options = summary_options(values->output ? stderr : stdout, 0),
	};

	if (!result.pairs)
		return message_print(EXIT_NO_ANSWER, "interrupted before two runs of each command");
	int code = write_report(values, &report);
	return code ? code : exit_code_of(&result);
}

static struct run_pairs_plan plan_of(const struct diff_values *values)
{
	return (struct run_pairs_plan){
		.pairs = values->runs,
		.seconds = 2 * values->seconds,
		.smallest = values->smallest,
		.gate = values->gate,
		.layouts = values->layouts,
		.seed = values->seed.is_given ? values->seed.number : clock_now_ns(),
		.needs_all = values->all_runs,
	};
}

/* EXIT_ANSWERED, also where no progress point is asked for. */
static int open_visits(const struct diff_values *values, char *const *before, char *const *after,
		       struct visits **visits)
{
	AUTO(text) char *runtime_library = installed_library_find("liblever-runtime.so");
	struct error error = {0};
	int code = 0;

	if (!values->point)
		return EXIT_ANSWERED;
	/* What is linked in each layout is another file then. */
	bool is_linked = values->links.count;
	AUTO(text) char *first = is_linked ? NULL : program_find(before[0], &code, &error);
	AUTO(text) char *second = is_linked ? NULL : program_find(after[0], &code, &error);
	const struct visits_options options = {.point = values->point,
					       .runtime_library = runtime_library,
					       .programs = {first, second}};
	if (code)
		return message_error(&error, (enum exit_code)program_exec_status(code));
	code = visits_open(&options, visits, &error);
	bool is_usage = code == -EINVAL || code == -ENOENT || code == -ENXIO;
	return code ? message_error(&error, is_usage ? EXIT_USAGE : EXIT_FAILED) : EXIT_ANSWERED;
}

static int compare_commands(const struct diff_values *values, char *const *before,
			    char *const *after)
{
	struct live_pairs live = {.line = {.is_renewed = summary_is_renewable(stderr)}};
	bool is_live = live.line.is_renewed && !values->quiet;
	const char *const *links = values->links.items;
	struct compare_options options = {
		.arguments = {before, after},
		.links = {values->links.count ? links[0] : NULL,
			  values->links.count ? links[values->links.count - 1] : NULL},
		.plan = plan_of(values),
		.point = values->point,
		.shows_output = values->show_output,
		.ignores_failure = values->ignore_failure,
		.context = &live,
		.notify = is_live ? show_progress : NULL,
	};
	AUTO(run_pairs) struct run_pairs *run_pairs = NULL;
	AUTO(visits) struct visits *visits = NULL;
	struct error error = {0};
	enum compare_end end;
	int code = open_visits(values, before, after, &visits);

	if (code)
		return code;
	options.visits = visits;
	code = compare_run(&options, &run_pairs, &end, &error);

	live_line_clear(&live.line);
	if (end == COMPARE_NO_VISITS)
		return message_error(&error, EXIT_USAGE);
	if (end == COMPARE_NOT_STARTED)
		return message_error(&error, (enum exit_code)program_exec_status(code));
	if (code)
		return message_error(&error, EXIT_FAILED);
	return show_result(values, &options, run_pairs);
}

/* EXIT_ANSWERED if the options fit each other. */
static enum exit_code check_values(const struct diff_values *values)
{
	if (values->layouts && values->layouts < LAYOUTS_LEAST)
		return message_print(EXIT_USAGE,
				     "--layouts: %u are too few to tell; use %d or more",
				     values->layouts, LAYOUTS_LEAST);
	if (values->layouts > values->runs)
		return message_print(EXIT_USAGE, "--layouts %u exceeds --runs %u", values->layouts,
				     values->runs);
	if (values->links.count > 2)
		return message_print(EXIT_USAGE, "--link can be given once or twice");
	if (values->links.count && !values->layouts)
		return message_print(EXIT_USAGE, "--link needs --layouts NUMBER");
	return EXIT_ANSWERED;
}

static int compare_pair(const struct diff_values *values, char **operands, int count)
{
	if (count != 1)
		return message_print(EXIT_USAGE, "--pair needs two commands, each as one word: "
						 "--pair 'COMMAND' 'COMMAND'");
	struct value_words before = diff_words(values->pair), after = diff_words(operands[0]);
	int code = before.items[0] && after.items[0] ?
			   compare_commands(values, before.items, after.items) :
			   message_print(EXIT_USAGE, "--pair: a command is empty");
	diff_words_release(&before);
	diff_words_release(&after);
	return code;
}

static void diff_values_auto_release(struct diff_values *values)
{
	array_free(&values->links);
}

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(profile_pair, struct profile_pair *, profile_pair_free, NULL)

CLEANUP_DEFINE(samples_pair, struct samples_pair *, samples_pair_free, NULL)

static int exit_code_of_gate(enum gate_verdict gate)
{
	if (gate == GATE_FAILED)
		return EXIT_SLOWER;
	return gate == GATE_UNSURE ? EXIT_NO_ANSWER : EXIT_ANSWERED;
}

static bool has_kind(const struct recording *recording, enum run_kind kind)
{
	for (size_t i = 0; i < recording->runs.count; i++)
		if (recording->runs.items[i].kind == kind)
			return true;
	return false;
}

static int compare_causal(const struct diff_values *values, struct diff_report *report,
			  struct recording *before, struct recording *after)
{
	AUTO(profile_pair) struct profile_pair *pair = NULL;
	struct error error = {0};

	recording_keep(before, RUN_CAUSAL);
	recording_keep(after, RUN_CAUSAL);
	if (profile_pair_new(before, after, values->gate, values->point, &pair, &error))
		return message_error(&error, EXIT_USAGE);
	report->profiles = pair;
	int code = write_report(values, report);
	return code ? code : exit_code_of_gate(pair->gate);
}

static int compare_samples(const struct diff_values *values, struct diff_report *report,
			   struct recording *before, struct recording *after)
{
	AUTO(samples_pair) struct samples_pair *pair = NULL;
	struct error error = {0};

	if (!strcmp(diff_formats[values->format].name, "html") && !html_is_built())
		return message_print(EXIT_FAILED, MESSAGE_NO_PAGE);
	recording_keep(before, RUN_SAMPLES);
	recording_keep(after, RUN_SAMPLES);
	if (samples_pair_new(before, after, values->gate, &pair, &error))
		return message_error(&error, EXIT_USAGE);
	report->samples = pair;
	int code = write_report(values, report);
	return code ? code : exit_code_of_gate(pair->gate);
}

/* Two causal profiles if both files have one, else two recordings of samples. */
static int compare_profiles(const struct diff_values *values, const char *before, const char *after)
{
	static int (*const comparisons[])(const struct diff_values *, struct diff_report *,
					  struct recording *, struct recording *) = {
		[RUN_CAUSAL] = compare_causal,
		[RUN_SAMPLES] = compare_samples,
	};
	AUTO(recording) struct recording *first = NULL, *second = NULL;
	struct run_pairs_plan plan = {.gate = values->gate};
	struct error error = {0};
	struct diff_report report = {
		.commands = {before, after},
		.plan = &plan,
		.options = summary_options(values->output ? stderr : stdout, 0),
	};

	if (report_files_read_named(before, &first, &error) ||
	    report_files_read_named(after, &second, &error))
		return message_error(&error, EXIT_USAGE);
	for (enum run_kind kind = RUN_CAUSAL; kind <= RUN_SAMPLES; kind++)
		if (has_kind(first, kind) && has_kind(second, kind))
			return comparisons[kind](values, &report, first, second);
	return message_print(EXIT_USAGE,
			     "%s and %s are of no common kind that can be compared; make both with "
			     "lever run, or both with lever record",
			     before, after);
}

/* BEFORE and AFTER, or --against BEFORE and AFTER. */
static int compare_two_profiles(const struct diff_values *values, char **operands, int count)
{
	if (values->against && count == 1)
		return compare_profiles(values, values->against, operands[0]);
	if (values->against || count != 2)
		return message_print(EXIT_USAGE,
				     "%d profile%s where %s needed; see lever diff --help", count,
				     count == 1 ? "" : "s", values->against ? "one is" : "two are");
	return compare_profiles(values, operands[0], operands[1]);
}

/* Whether the operands stand behind a "--" of their own: they are commands then. */
static bool has_commands(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--") || !strcmp(argv[i], "--vs"))
			return true;
	return false;
}

int command_diff(int argc, char **argv)
{
	AUTO(diff_values)
	struct diff_values values = {.runs = DIFF_PAIRS_MOST,
				     .seconds = DIFF_SECONDS_DEFAULT,
				     .smallest = DIFF_SMALLEST_DEFAULT,
				     .gate = RUN_PAIRS_NO_GATE};
	struct diff_commands commands;
	struct error error = {0};
	int operand, exit_code;
	bool are_commands = has_commands(argc, argv);

	if (!command_line_parse(&diff_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	exit_code = check_values(&values);
	if (exit_code)
		return exit_code;
	if (values.pair)
		return compare_pair(&values, argv + operand, argc - operand);
	if (!are_commands)
		return compare_two_profiles(&values, argv + operand, argc - operand);
	if (diff_split_commands(argv + operand, argc - operand, &commands, &error))
		return message_error(&error, EXIT_USAGE);
	return compare_commands(&values, commands.before, commands.after);
}
