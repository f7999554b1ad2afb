/* SPDX-License-Identifier: BSD-2-Clause */
/* scale - `lever scale`: how parallel a program is, and its wall time on other numbers of cores. */
#include "scale/scale.h"

#include "analyze/scale/scale.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/recording_command.h"
#include "cli/commands/scale_hosts.h"
#include "cli/installed_library.h"
#include "cli/output/live_line.h"
#include "cli/output/summary.h"
#include "cli/what_if.h"
#include "report/formats.h"

#include <errno.h>
#include <string.h>

#define CORES_MAX 65536
#define CORES_DEFAULT "1,2,4,8,16,64"
#define RUNS_DEFAULT 3
#define RUNS_MAX 1000

struct scale_values {
	struct common_options common; /* first */
	const char *cores, *profile;
	struct value_number on, compare;
	unsigned runs;
	bool show_cores, no_replay, only_recorded;
	struct recording_what_if what_if;
};

CLEANUP_DEFINE(scale, struct scale *, scale_free, NULL)

static void scale_values_auto_release(struct scale_values *values)
{
	what_if_release(&values->what_if);
}

/* "1,2,8" */
static int set_cores(const struct option *option, void *field, const char *text,
		     struct error *error)
{
	AUTO(text) char *copy = text_copy(text);
	char *rest = copy;

	(void)option;
	for (char *word; (word = strsep(&rest, ","));) {
		uint64_t cores;
		if (!text_to_unsigned(word, &cores) || !cores || cores > CORES_MAX)
			return error_set(error, -EINVAL,
					 "'%s' is not a number of cores from 1 to %d", word,
					 CORES_MAX);
	}
	*(const char **)field = text;
	return 0;
}

#define FIELD(member) offsetof(struct scale_values, member)
static const struct option scale_table[] = {
	{"cores", 'k', "LIST",
	 "predict for these numbers of cores, with commas (" CORES_DEFAULT ")", set_cores,
	 FIELD(cores), NULL},
	{"on", 0, "NUMBER", "profile on so many cores (all)", value_set_number, FIELD(on), NULL},
	{"runs", 'n', "NUMBER", "the number of runs on them (3)", value_set_count, FIELD(runs),
	 NULL},
	{"compare", 0, "NUMBER",
	 "run also on so many cores, to see whether threads and CPU time change; 0: do not (half "
	 "of them, or all)",
	 value_set_number, FIELD(compare), NULL},
	{"profile", 0, "FILE",
	 "predict whether the first target of this causal profile still matters on those cores "
	 "(the file of --output, if it has one of the program)",
	 value_set_text, FIELD(profile), NULL},
	{"no-replay", 0, NULL,
	 "do not record a run with its waits and wake-ups, for the model `replay`", value_set_flag,
	 FIELD(no_replay), NULL},
	{"only-recorded", 0, NULL,
	 "make that run only, with messages over TCP between hosts (as --hosts does there)",
	 value_set_flag, FIELD(only_recorded), NULL},
	{"show-cores", 0, NULL, "let the program see when it has fewer cores than the machine",
	 value_set_flag, FIELD(show_cores), NULL},
};

static const struct option *const scale_shared[] = {
	&option_output, &option_fresh,  &option_quiet, &option_verbose,
	&option_hosts,  &option_launch, NULL,
};

const struct command_page scale_page = {
	.name = "scale",
	.summary = "count active threads, and predict the wall time on other numbers of cores",
	.operands = "[--] PROGRAM [ARGUMENT...]",
	.manual = "lever-scale",
	.purpose =
		"Runs PROGRAM several times and counts its active threads at each moment. From "
		"that follows how parallel it is, what idle cores wait for, and its wall time on "
		"other numbers of cores. Needs root, or CAP_BPF and CAP_PERFMON (see lever check).",
	.options = scale_table,
	.option_count = sizeof(scale_table) / sizeof(scale_table[0]),
	.shared = scale_shared,
	.runs_program = true,
	.lacks = " pid port comm cgroup system no-children ",
	.why_it_lacks = "it compares whole runs, from start to end, on different numbers of cores, "
			"and a process that runs already cannot begin anew; lever run, record and "
			"trace take it",
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

/* Of --profile, or of the file to which this run is added. */
static int find_what_if(struct scale_values *values, struct error *error)
{
	const struct common_options *common = &values->common;

	if (!values->profile) {
		if (!common->fresh && !values->no_replay && !common->hosts.count &&
		    !access(common->output, R_OK))
			what_if_find(common->output, common->program, &values->what_if);
		return 0;
	}
	if (values->no_replay || common->hosts.count)
		return error_set(error, -EINVAL, "--profile and %s exclude each other",
				 values->no_replay ? "--no-replay" : "--hosts");
	if (!what_if_find(values->profile, NULL, &values->what_if))
		return error_set(error, -EINVAL,
				 "%s has no causal profile with a target of certain effect; make "
				 "one with lever run, or leave out --profile",
				 values->profile);
	return 0;
}

static int check(struct common_options *common, struct error *error)
{
	struct scale_values *values = (struct scale_values *)common;

	if (!common->program)
		return error_set(error, -EINVAL,
				 "no program to run; name one: lever scale PROGRAM");
	if (values->on.is_given && !values->on.number)
		return error_set(error, -EINVAL, "--on 0: a program needs a core");
	if (values->on.number > CORES_MAX || values->compare.number > CORES_MAX)
		return error_set(error, -EINVAL, "--on, --compare: more than %d cores", CORES_MAX);
	if (values->runs > RUNS_MAX)
		return error_set(error, -EINVAL, "--runs: more than %d", RUNS_MAX);
	if (values->only_recorded && values->no_replay)
		return error_set(error, -EINVAL,
				 "--only-recorded and --no-replay exclude each other");
	return find_what_if(values, error);
}

static void record(struct common_options *common, const struct driver_options *driver,
		   struct driver_result *result, struct error *error)
{
	const struct scale_values *values = (struct scale_values *)common;
	bool has_hosts = common->hosts.count;
	AUTO(scale_hosts) struct scale_hosts hosts = {0};
	struct driver_options together = *driver;
	AUTO(text)
	char *library = values->show_cores ? NULL : installed_library_find("liblever-cores.so");
	struct scale_options options = {
		.asked = values->cores,
		.on = (unsigned)values->on.number,
		.runs = values->runs,
		.compare = (unsigned)values->compare.number,
		.picks_compare = !values->compare.is_given && !has_hosts,
		.what_if = values->what_if.name ? &values->what_if : NULL,
		.replays = !values->no_replay,
		.only_recorded = values->only_recorded,
		.logs_messages = values->only_recorded || has_hosts,
		.others = has_hosts ? &hosts.others : NULL,
		.cores_library = library,
		.context = driver->context,
		.notify = show_status,
	};

	scale_hosts_open(&hosts, common);
	if (has_hosts) {
		together.await_start = scale_hosts_start;
		together.start_context = &hosts;
	}
	scale_run(&options, &together, result, error);
}

static bool summarize(FILE *out, const struct common_options *common,
		      const struct recording *recording)
{
	(void)common;
	if (!out)
		return true;
	AUTO(scale) struct scale *scale = scale_new(recording);
	const struct report report = {.recording = recording,
				      .scale = scale,
				      .options = summary_options(out, 0)};
	report_scale_text(out, &report);
	return true;
}

int command_scale(int argc, char **argv)
{
	static const struct recording_command command = {
		.page = &scale_page,
		.kind = RUN_SCALE,
		.no_answer = "no run came to its end, so there is nothing to predict from",
		.check = check,
		.record = record,
		.summarize = summarize,
	};
	AUTO(scale_values)
	struct scale_values values = {.cores = CORES_DEFAULT, .runs = RUNS_DEFAULT};

	return recording_command_run(&command, &values.common, argc, argv);
}
