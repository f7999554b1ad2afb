/* SPDX-License-Identifier: BSD-2-Clause */
/* run - `lever run`: makes a causal profile. */
#include "experiment/session/session.h"

#include "analyze/causal/causal.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/commands/commands.h"
#include "cli/commands/recording_command.h"
#include "cli/commands/run_hosts.h"
#include "cli/commands/run_live.h"
#include "cli/commands/run_options.h"
#include "cli/commands/run_roadmap.h"
#include "cli/commands/run_verbose.h"
#include "cli/installed_library.h"
#include "cli/output/live_line.h"
#include "cli/output/summary.h"
#include "collect/machine/machine.h"
#include "experiment/target/target_pattern.h"
#include "report/display.h"
#include "report/formats.h"
#include "report/html.h"

#include <errno.h>
#include <string.h>

CLEANUP_DEFINE(causal, struct causal *, causal_free, NULL)
CLEANUP_DEFINE(scope, struct scope *, scope_free, NULL)

#define NAME_LEAST 10
#define BEST_HALF_MAX 50 /* percentage points; a target with a wider interval is not shown */

/* The name has what is left of the line. */
static char *add_best(char *line, const struct session_status *status, double half)
{
	AUTO(text) char *before = line;
	AUTO(text) char *gain = display_gain(status->best_gain);
	AUTO(text) char *effect = text_format(": 25 %% faster → %s ±%.1f", gain, half);
	size_t taken = display_width(before) + display_width(effect) + 3;
	size_t columns = summary_options(stderr, 0).columns;
	AUTO(text) char *name = display_clean(status->best);
	AUTO(text)
	char *fitted =
		display_fit_end(name, columns > taken + NAME_LEAST ? columns - taken : NAME_LEAST);

	return text_format("%s; %s%s", before, fitted, effect);
}

static void show_status(void *context, const struct session_status *status)
{
	struct live_line *live = context;

	if (!live->is_renewed)
		return;
	AUTO(text) char *left = live_line_left(status->left_seconds);
	AUTO(text)
	char *line = text_format("lever: %.0f s%s, %u experiment%s", status->elapsed_seconds, left,
				 status->experiments, status->experiments == 1 ? "" : "s");
	double half = 50 * (status->best_high - status->best_low);
	if (status->best && half < BEST_HALF_MAX)
		line = add_best(take(&line), status, half);
	live_line_show(live, line);
}

static struct scope *make_scope(const struct run_options *options)
{
	struct scope *scope = scope_new();

	for (size_t i = 0; i < options->scopes.count; i++)
		scope_add(scope, options->scopes.items[i].pattern,
			  options->scopes.items[i].include);
	for (size_t i = 0; i < options->targets.count; i++) {
		const char *name = options->targets.items[i].name;
		if (!target_pattern_is(name) || !target_pattern_is_code(name))
			continue;
		AUTO(text) char *pattern = text_format("func:%s", target_pattern_glob(name));
		scope_add(scope, pattern, true);
	}
	return scope;
}

/* The commands that show the rest, to be copied. */
static void name_reports(const char *profile)
{
	AUTO(text) char *quoted = display_argument(profile);
	bool is_default = !strcmp(profile, "lever.lever");
	const char *space = is_default ? "" : " ", *shown = is_default ? "" : quoted;

	fprintf(stderr, "\nAll targets: lever report%s%s\n", space, shown);
	if (html_is_built())
		fprintf(stderr, "Curves and source lines in a browser: lever report --open%s%s\n",
			space, shown);
}

static bool summarize(FILE *out, const struct common_options *common,
		      const struct recording *recording)
{
	AUTO(causal) struct causal *causal = causal_new(recording);
	bool has_answer = summary_has_answer(causal);

	if (!out)
		return has_answer;
	struct report report = {.recording = recording,
				.causal = causal,
				.options = summary_options(out, 0)};
	report.options.is_brief = true;
	report.options.is_verbose = common->verbose;
	report_causal_text(out, &report);
	if (has_answer)
		name_reports(common->output);
	return has_answer;
}

/* Patterns of --target name functions, and not their lines. */
static enum target_kind granularity_of(const struct run_options *options)
{
	enum target_kind usual = options->roadmap ? TARGET_FUNCTION : TARGET_LINE;
	enum target_kind kind =
		options->granularity < 0 ? usual : target_granularity(options->granularity)->kind;

	for (size_t i = 0; i < options->targets.count; i++)
		if (target_pattern_is(options->targets.items[i].name))
			return target_pattern_granularity(options->targets.items[i].name, kind);
	return kind;
}

static enum session_pool pool_of(const struct run_options *options)
{
	if (options->granularity >= 0 && target_granularity(options->granularity)->is_pool)
		return SESSION_POOL;
	return run_options_leave_kind_open(options) ? SESSION_POOL_IF_POSSIBLE : SESSION_NO_POOL;
}

static bool wants_kernel(const struct run_options *options)
{
	bool wants = options->kernel || options->vmlinux;

	for (size_t i = 0; i < options->targets.count; i++) {
		const char *name = options->targets.items[i].name;
		wants |= target_pattern_is(name) && target_pattern_is_kernel(name);
	}
	return wants;
}

static struct session_options session_options_from(const struct run_options *options)
{
	return (struct session_options){
		.points = options->progress.items,
		.point_count = options->progress.count,
		.pairs = options->latency.items,
		.pair_count = options->latency.count,
		.targets = options->targets.items,
		.target_count = options->targets.count,
		.assumed = options->assumed.items,
		.assumed_count = options->assumed.count,
		.classes = options->classes,
		.kernel = wants_kernel(options),
		.vmlinux = options->vmlinux,
		.granularity = granularity_of(options),
		.pool = pool_of(options),
		.speedups = options->speedups.items,
		.speedup_count = options->speedups.count,
		.until = options->until_points / 100,
		.after_ns = (uint64_t)(options->after * 1e9),
		.after_point = options->after_point.kind ? &options->after_point : NULL,
		.focus = options->focus,
		.period_ns = options->period_ns,
		.off_cpu = options->off_cpu == 0,
		.engine = run_options_need_kernel(options) ? COLLECTOR_KERNEL :
							     (enum collector_engine)options->engine,
		.window_ns = options->window_ns,
		.slowdown_most = options->slowdown_most,
		.seed = options->seed.is_given ? options->seed.number : clock_now_ns(),
		.without_peers = options->without_peers,
		.without_set_search = options->without_set_search,
		.end_to_end = options->end_to_end,
		.runs = options->runs,
		.notify = show_status,
	};
}

/* Before a page or a table is announced that would stay empty. */
static bool has_program(const struct driver_options *driver, struct driver_result *result,
			struct error *error)
{
	int code = 0;

	if (!driver->arguments)
		return true;
	AUTO(text) char *path = program_find(driver->arguments[0], &code, error);
	if (!path) {
		result->end = DRIVER_NOT_STARTED;
		result->exit_code = program_exec_status(code);
	}
	return path;
}

static void record(struct common_options *common, const struct driver_options *driver,
		   struct driver_result *result, struct error *error)
{
	const struct run_options *options = (struct run_options *)common;
	AUTO(scope) struct scope *scope = make_scope(options);
	AUTO(text) char *points_library = installed_library_find("liblever-points.so");
	AUTO(text) char *runtime_library = installed_library_find("liblever-runtime.so");
	struct session_options session = session_options_from(options);

	AUTO(run_hosts) struct run_hosts hosts = {0};
	if (run_hosts_are_those_of_run(options) && run_hosts_read(common, &hosts, error)) {
		result->end = DRIVER_WRONG_USAGE;
		return;
	}
	struct driver_options executing = *driver;
	executing.executed = hosts.executed;
	driver = &executing;
	session.group = hosts.names.count ? &hosts.group : NULL;
	session.scope = scope;
	session.points_library = points_library;
	session.runtime_library = runtime_library;
	session.context = driver->context;
	struct session_observer observer = run_verbose_observer(driver->context);
	session.observer = driver->verbose ? &observer : NULL;
	struct live_view view = {0};
	if (options->engine != RUN_ENGINE_RUNTIME && machine_may_pause(NULL, common->force, error))
		return;
	if (!has_program(driver, result, error))
		return;
	if (run_live_begin(options, &view, error)) {
		result->end = DRIVER_WRONG_USAGE;
		return;
	}
	if (options->tui)
		((struct live_line *)driver->context)->is_renewed = false;
	if (options->roadmap)
		run_roadmap(&session, options->roadmap, driver, result, error);
	else
		session_run(&session, driver, result, error);
	run_live_end(options, &view);
}

int command_run(int argc, char **argv)
{
	static const struct recording_command command = {
		.page = &run_page,
		.kind = RUN_CAUSAL,
		.check = run_options_check,
		.record = record,
		.summarize = summarize,
	};
	AUTO(run_options) struct run_options options;

	run_options_init(&options);
	return recording_command_run(&command, &options.common, argc, argv);
}
