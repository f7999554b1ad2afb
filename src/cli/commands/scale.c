/* SPDX-License-Identifier: BSD-2-Clause */
/* command_scale - `lever scale`: how parallel a program is, and how long it would take on k cores. */
#include "analyze/scale/scale.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/installed_library.h"
#include "cli/options/values.h"
#include "cli/output/live_line.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "cli/what_if.h"
#include "profile/profile.h"
#include "report/formats.h"
#include "scale/scale.h"

#include <errno.h>
#include <string.h>

#define CORES_MOST 65536
#define ASKED_DEFAULT "1,2,4,8,16,64"
#define RUNS_DEFAULT 3
#define RUNS_MOST 1000

struct scale_values {
	const char *output;
	bool fresh;
	const char *cores, *profile;
	struct value_number on, compare;
	unsigned runs;
	bool show_cores, no_replay;
	bool quiet, verbose;
};

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(scale, struct scale *, scale_free, NULL)

/* "1,2,8" */
static int set_cores(const struct option *option, void *field, const char *text,
		     struct error *error)
{
	AUTO(text) char *copy = text_copy(text);
	char *rest = copy;

	(void)option;
	for (char *word; (word = strsep(&rest, ","));) {
		uint64_t cores;
		if (!text_to_unsigned(word, &cores) || !cores || cores > CORES_MOST)
			return error_set(error, -EINVAL,
					 "'%s' is not a number of cores from 1 to %d", word,
					 CORES_MOST);
	}
	*(const char **)field = text;
	return 0;
}

#define FIELD(member) offsetof(struct scale_values, member)
static const struct option scale_table[] = {
	{"output", 'o', "FILE", "write the profile to FILE (lever.lever); it adds to what is there",
	 value_set_text, FIELD(output), NULL},
	{"fresh", 0, NULL, "begin the profile file anew", value_set_flag, FIELD(fresh), NULL},
	{"cores", 'k', "LIST",
	 "predict for these numbers of cores, with commas (" ASKED_DEFAULT ")", set_cores,
	 FIELD(cores), NULL},
	{"on", 0, "NUMBER", "profile on so many cores (all)", value_set_number, FIELD(on), NULL},
	{"runs", 'n', "NUMBER", "run the program so often on them (3)", value_set_count,
	 FIELD(runs), NULL},
	{"compare", 0, "NUMBER",
	 "run it on so many cores, too, to see whether its threads and CPU time change; 0: do not "
	 "(half of them, or all)",
	 value_set_number, FIELD(compare), NULL},
	{"profile", 0, "FILE",
	 "say whether the first target of this causal profile still matters on those cores (the file "
	 "of --output, if it has one of the program)",
	 value_set_text, FIELD(profile), NULL},
	{"no-replay", 0, NULL,
	 "do not run it once more to record who waits for whom, for the model `replay`",
	 value_set_flag, FIELD(no_replay), NULL},
	{"show-cores", 0, NULL, "let the program see when it has fewer cores than the machine",
	 value_set_flag, FIELD(show_cores), NULL},
	{"quiet", 'q', NULL, "no live progress and no summary, only errors and warnings",
	 value_set_flag, FIELD(quiet), NULL},
	{"verbose", 'v', NULL, "let the BPF loader explain itself", value_set_flag, FIELD(verbose),
	 NULL},
};

const struct command_page scale_page = {
	.name = "scale",
	.summary = "count active threads, and predict the wall time on other numbers of cores",
	.operands = "[--] PROGRAM [ARGUMENT...]",
	.manual = "lever-scale",
	.purpose =
		"Runs PROGRAM several times and counts how many of its threads are active at each "
		"moment. From that follows how parallel it is, what its cores wait for, and how "
		"long it would take on other numbers of cores. Needs root or CAP_BPF and "
		"CAP_PERFMON (see lever check).",
	.options = scale_table,
	.option_count = sizeof(scale_table) / sizeof(scale_table[0]),
	.runs_program = true,
};

static void show_status(void *context, const struct scale_status *status)
{
	struct live_line *live = context;

	if (!live->is_renewed)
		return;
	AUTO(text)
	char *line =
		text_format("lever: run %u of %u, on %u core%s, %.0f s; %u threads active, %u "
			    "on a core",
			    status->run, status->runs, status->cores, status->cores == 1 ? "" : "s",
			    status->elapsed_seconds, status->active, status->running);
	live_line_show(live, line);
}

/* To stderr: standard output is the program's. */
static int show_summary(const struct scale_values *values)
{
	struct error error = {0};
	AUTO(recording) struct recording *recording = NULL;

	if (profile_read(values->output, &recording, &error))
		return message_error(&error, EXIT_FAILED);
	recording_keep(recording, RUN_SCALE);
	recording_keep_session(recording);
	AUTO(scale) struct scale *scale = scale_new(recording);
	const struct report report = {.recording = recording,
				      .scale = scale,
				      .options = summary_options(stderr, 0)};
	if (!values->quiet)
		report_scale_text(stderr, &report);
	return EXIT_ANSWERED;
}

static int finish(const struct scale_values *values, const struct scale_result *result,
		  const struct error *error)
{
	if (!values->quiet)
		summary_program_end(result->status);
	switch (result->end) {
	case SCALE_DONE:
		return show_summary(values);
	case SCALE_NOTHING:
		return message_say(EXIT_NO_ANSWER, "no run came to its end, so there is nothing to "
						   "predict from");
	case SCALE_WRONG_USAGE:
		return message_error(error, EXIT_USAGE);
	case SCALE_NOT_STARTED:
		return message_error(error, (enum exit_code)result->exit_code);
	case SCALE_FAILED:
		break;
	}
	return message_error(error, EXIT_FAILED);
}

static int check(const struct scale_values *values, bool has_program)
{
	if (!has_program)
		return message_say(EXIT_USAGE, "lever scale needs a program to run: lever scale "
					       "[OPTION...] [--] PROGRAM [ARGUMENT...]");
	if (values->quiet && values->verbose)
		return message_say(EXIT_USAGE, "--quiet and --verbose exclude each other");
	if (values->on.is_given && !values->on.number)
		return message_say(EXIT_USAGE, "--on: a program needs a core");
	if (values->on.number > CORES_MOST || values->compare.number > CORES_MOST)
		return message_say(EXIT_USAGE, "--on, --compare: the number is too large");
	if (values->runs > RUNS_MOST)
		return message_say(EXIT_USAGE, "--runs: at most %d", RUNS_MOST);
	return 0;
}

/* Named by the user, or found in the file to which this is added. */
static int find_what_if(const struct scale_values *values, char *const *arguments,
			struct recording_what_if *what_if)
{
	if (!values->profile) {
		if (!values->fresh && !values->no_replay && !access(values->output, R_OK))
			what_if_find(values->output, arguments, what_if);
		return 0;
	}
	if (values->no_replay)
		return message_say(EXIT_USAGE, "--profile and --no-replay exclude each other");
	if (!what_if_find(values->profile, NULL, what_if))
		return message_say(
			EXIT_USAGE,
			"%s has no causal profile with a target whose effect is sure; make "
			"one with lever run, or leave out --profile",
			values->profile);
	return 0;
}

int command_scale(int argc, char **argv)
{
	struct scale_values values = {.output = "lever.lever",
				      .cores = ASKED_DEFAULT,
				      .runs = RUNS_DEFAULT};
	struct scale_result result;
	struct recording_what_if what_if = {0};
	struct error error = {0};
	int operand, exit_code;

	scale_prepare_signals();
	if (!options_parse_command(&scale_page, argc, argv, &values, &operand, &exit_code))
		return exit_code;
	exit_code = check(&values, operand < argc);
	exit_code = exit_code ? exit_code : find_what_if(&values, argv + operand, &what_if);
	if (exit_code)
		return exit_code;
	AUTO(text)
	char *library = values.show_cores ? NULL : installed_library_find("liblever-cores.so");
	struct live_line live = {.is_quiet = values.quiet,
				 .is_renewed = !values.quiet && isatty(STDERR_FILENO)};
	struct scale_options options = {
		.arguments = argv + operand,
		.version = LEVER_VERSION,
		.output = values.output,
		.fresh = values.fresh,
		.asked = values.cores,
		.on = (unsigned)values.on.number,
		.runs = values.runs,
		.compare = (unsigned)values.compare.number,
		.picks_compare = !values.compare.is_given,
		.what_if = what_if.name ? &what_if : NULL,
		.replays = !values.no_replay,
		.cores_library = library,
		.verbose = values.verbose,
		.context = &live,
		.notify = show_status,
		.say = live_line_say,
	};
	scale_run(&options, &result, &error);
	live_line_clear(&live);
	what_if_release(&what_if);
	return finish(&values, &result, &error);
}
