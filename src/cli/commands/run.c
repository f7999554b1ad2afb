/* SPDX-License-Identifier: BSD-2-Clause */
/* command_run - `lever run`: profiles a program and shows what was found. */
#include "analyze/causal/causal.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/commands/run_options.h"
#include "cli/installed_library.h"
#include "cli/output/live_line.h"
#include "cli/output/message.h"
#include "cli/output/summary.h"
#include "collect/machine/machine.h"
#include "experiment/session/session.h"
#include "experiment/target/target_kinds.h"
#include "profile/profile.h"
#include "report/display.h"
#include "report/formats.h"
#include "report/html.h"

#include <errno.h>
#include <string.h>

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(causal, struct causal *, causal_free, NULL)
CLEANUP_DEFINE(scope, struct scope *, scope_free, NULL)

#define BEST_HALF_MOST 50 /* percentage points; a wider interval tells nothing */

static void show_status(void *context, const struct session_status *status)
{
	struct live_line *live = context;

	if (!live->is_renewed)
		return;
	unsigned columns = summary_options(stderr, 0).columns;
	AUTO(text)
	char *left = status->left_seconds >= 0 ?
			     text_format(", %.0f s left", status->left_seconds) :
			     text_copy("");
	AUTO(text) char *name = display_clean(status->best);
	AUTO(text)
	char *fitted = display_fit(name, columns < 82 ? 14 : columns < 104 ? columns - 68 : 36);
	AUTO(text) char *gain = display_gain(status->best_gain);
	double half = 50 * (status->best_high - status->best_low);
	AUTO(text)
	char *best = status->best && half < BEST_HALF_MOST ?
			     text_format("; %s by 25 %% → %s (±%.1f)", fitted, gain, half) :
			     text_copy("");
	AUTO(text)
	char *line =
		text_format("lever: %.0f s%s, %u experiment%s%s", status->elapsed_seconds, left,
			    status->experiments, status->experiments == 1 ? "" : "s", best);
	live_line_show(live, line);
}

static struct scope *make_scope(const struct run_options *options)
{
	struct scope *scope = scope_new();

	for (size_t i = 0; i < options->scopes.count; i++)
		scope_add(scope, options->scopes.items[i].pattern,
			  options->scopes.items[i].include);
	return scope;
}

/* The command that shows the curves, to be copied. */
static void name_page(const char *profile)
{
	AUTO(text) char *quoted = display_argument(profile);
	bool is_default = !strcmp(profile, "lever.lever");

	fprintf(stderr, "\nCurves and source lines in a browser: lever report --open%s%s\n",
		is_default ? "" : " ", is_default ? "" : quoted);
}

/* To stderr: standard output is the program's. Returns whether there is an answer in it. */
static bool show_summary(const struct run_options *options)
{
	struct error error = {0};
	AUTO(recording) struct recording *recording = NULL;

	if (profile_read(options->output, &recording, &error)) {
		message_error(&error, EXIT_FAILED);
		return false;
	}
	recording_keep(recording, RUN_CAUSAL);
	AUTO(causal) struct causal *causal = causal_new(recording);
	const struct report report = {.recording = recording,
				      .causal = causal,
				      .options = summary_options(stderr, 10)};
	if (!options->quiet)
		report_causal_text(stderr, &report);
	bool has_answer = summary_has_answer(causal);
	if (!options->quiet && has_answer && html_is_built())
		name_page(options->output);
	return has_answer;
}

static int finish(const struct run_options *options, const struct session_result *result,
		  const struct error *error)
{
	if (!options->quiet)
		summary_program_end(result->status);
	switch (result->end) {
	case SESSION_ANSWERED:
		return show_summary(options) ? EXIT_ANSWERED : EXIT_NO_ANSWER;
	case SESSION_NO_ANSWER:
		show_summary(options);
		return EXIT_NO_ANSWER;
	case SESSION_NO_POINTS: /* has been said, as soon as it was known */
		return options->quiet ? message_error(error, EXIT_USAGE) : EXIT_USAGE;
	case SESSION_WRONG_USAGE:
		return message_error(error, EXIT_USAGE);
	case SESSION_NOT_STARTED:
		return message_error(error, (enum exit_code)result->exit_code);
	case SESSION_FAILED:
		break;
	}
	return message_error(error, EXIT_FAILED);
}

static struct session_options session_options_from(const struct run_options *options)
{
	return (struct session_options){
		.arguments = options->program,
		.selection = {.processes = options->processes.items,
			      .process_count = options->processes.count,
			      .cgroup = options->cgroup,
			      .is_system_wide = options->is_system_wide,
			      .names = options->names.items,
			      .name_count = options->names.count},
		.version = LEVER_VERSION,
		.output = options->output,
		.fresh = options->fresh,
		.points = options->progress.items,
		.point_count = options->progress.count,
		.pairs = options->latency.items,
		.pair_count = options->latency.count,
		.targets = options->targets.items,
		.target_count = options->targets.count,
		.classes = options->classes,
		.kernel = options->kernel || options->vmlinux,
		.vmlinux = options->vmlinux,
		.granularity = target_granularity(options->granularity)->kind,
		.speedups = options->speedups.items,
		.speedup_count = options->speedups.count,
		.seconds = options->seconds,
		.until = options->until_points / 100,
		.period_ns = options->period_ns,
		.off_cpu = options->off_cpu == 0,
		.engine = run_options_need_kernel(options) ? COLLECTOR_KERNEL :
							     (enum collector_engine)options->engine,
		.window_ns = options->window_ns,
		.seed = options->seed.is_given ? options->seed.number : clock_now_ns(),
		.end_to_end = options->end_to_end,
		.runs = options->runs,
		.verbose = options->verbose,
		.notify = show_status,
		.say = live_line_say,
	};
}

int command_run(int argc, char **argv)
{
	AUTO(run_options) struct run_options options;
	struct error error = {0};
	struct session_result result;
	int exit_code;

	session_prepare_signals();
	if (!run_options_parse_command(argc, argv, &options, &exit_code))
		return exit_code;
	if (options.engine != RUN_ENGINE_RUNTIME && machine_may_pause(NULL, options.force, &error))
		return message_error(&error, EXIT_FAILED);
	AUTO(scope) struct scope *scope = make_scope(&options);
	AUTO(text) char *points_library = installed_library_find("liblever-points.so");
	AUTO(text) char *runtime_library = installed_library_find("liblever-runtime.so");
	struct live_line live = {.is_quiet = options.quiet,
				 .is_renewed = !options.quiet && isatty(STDERR_FILENO)};
	struct session_options session = session_options_from(&options);
	session.scope = scope;
	session.points_library = points_library;
	session.runtime_library = runtime_library;
	session.context = &live;
	session_run(&session, &result, &error);
	live_line_clear(&live);
	return finish(&options, &result, &error);
}
