/* SPDX-License-Identifier: BSD-2-Clause */
/* record - `lever record`: samples a program on and off CPU. */
#include "record/continuous.h"

#include "analyze/samples/samples.h"
#include "base/cleanup.h"
#include "cli/commands/commands.h"
#include "cli/commands/record_hosts.h"
#include "cli/commands/recording_command.h"
#include "cli/output/live_line.h"
#include "cli/output/summary.h"
#include "collect/machine/machine.h"
#include "report/display.h"
#include "report/formats.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#define PERIOD_DEFAULT_NS 1000000
#define PERIOD_CONTINUOUS_NS 20000000 /* its cost: bench/continuous.py */
#define PERIOD_MIN_NS 50000
#define PERIOD_MAX_NS 1000000000
#define ROTATE_MIN_NS 5000000000
#define ROTATE_DEFAULT_NS 600000000000
#define KEEP_DEFAULT_BYTES 2000000000
#define LIVE_SECONDS 10
#define SUMMARY_ROWS 10
#define LIVE_ROWS_MIN 6
#define LIVE_LINES_AROUND 20 /* what the report has beside its rows */

struct record_values {
	struct common_options common; /* first */
	uint64_t period_ns;           /* 0: not given */
	int chain;                    /* enum record_chain */
	const char *classes;
	bool live;
	bool is_continuous;
	uint64_t rotate_ns, keep_bytes; /* 0: not given */
};

CLEANUP_DEFINE(samples, struct samples *, samples_free, NULL)

static void record_values_auto_release(struct record_values *values)
{
	common_options_release(&values->common);
}

static const char *const chains[] = {"dwarf", "fp", "none", NULL}; /* as enum record_chain */

#define FIELD(member) offsetof(struct record_values, member)
static const struct option record_table[] = {
	{"period", 0, "DURATION",
	 "the time between two samples of a thread, like 250us (1ms; 20ms with --continuous)",
	 value_set_duration, FIELD(period_ns), NULL},
	{"call-graph", 0, "WAY",
	 "find callers by unwind tables (dwarf), frame pointers (fp), or not: none (dwarf)",
	 value_set_choice, FIELD(chain), chains},
	{"class", 0, "FILE", "rules for the classes of time off CPU, before the built-in ones",
	 value_set_text, FIELD(classes), NULL},
	{"live", 0, NULL, "print a report of the last ten seconds, every two seconds",
	 value_set_flag, FIELD(live), NULL},
	{"continuous", 0, NULL, "record without end, into files of the folder that --output names",
	 value_set_flag, FIELD(is_continuous), NULL},
	{"rotate", 0, "DURATION",
	 "with --continuous: a new file at each multiple of this time, like 30s or 1h (10min)",
	 value_set_duration, FIELD(rotate_ns), NULL},
	{"keep", 0, "SIZE",
	 "with --continuous: remove the oldest files while all are larger, like 500MB (2GB)",
	 value_set_size, FIELD(keep_bytes), NULL},
};

static const struct option *const record_shared[] = {
	&option_output,  &option_fresh,     &option_pid,    &option_no_children,
	&option_port,    &option_comm,      &option_cgroup, &option_system,
	&option_seconds, &option_then_stop, &option_force,  &option_quiet,
	&option_verbose, &option_hosts,     &option_launch, NULL,
};

const struct command_page record_page = {
	.name = "record",
	.summary = "sample a program on and off CPU",
	.operands = "[--] [PROGRAM [ARGUMENT...]]",
	.manual = "lever-record",
	.purpose =
		"Runs PROGRAM, or attaches to running processes, and records where their time "
		"goes, by one clock: on CPU, and off CPU waiting for I/O, locks, a CPU or other "
		"things. Without root, or CAP_BPF and CAP_PERFMON, it records less, and only the "
		"user's own processes (see lever check).",
	.options = record_table,
	.option_count = sizeof(record_table) / sizeof(record_table[0]),
	.shared = record_shared,
	.runs_program = true,
};

static void show_status(void *context, const struct record_status *status)
{
	struct live_line *live = context;

	if (!live->is_renewed)
		return;
	AUTO(text) char *samples = display_count(status->samples);
	AUTO(text) char *left = live_line_left(status->left_seconds);
	AUTO(text)
	char *line = text_format(
		"lever: %.0f s%s, %s samples; CPU %.0f %%, I/O %.0f %%, locks %.0f %%, runnable "
		"%.0f %%, other %.0f %%",
		status->elapsed_seconds, left, samples,
		100 * (status->shares[CLASS_USER] + status->shares[CLASS_KERNEL]),
		100 * status->shares[CLASS_IO], 100 * status->shares[CLASS_LOCK],
		100 * status->shares[CLASS_RUNNABLE], 100 * status->shares[CLASS_OTHER]);
	live_line_show(live, line);
}

static void print_samples(const struct recording *recording, unsigned rows)
{
	struct samples_filter everything = {.classes = SAMPLES_ALL_CLASSES};
	AUTO(samples) struct samples *samples = samples_new(recording, &everything);
	const struct report report = {.recording = recording,
				      .samples = samples,
				      .options = summary_options(stderr, rows)};

	report_samples_text(stderr, &report);
}

/* From the top of the screen. */
static void refresh(void *context, const struct recording *recording)
{
	struct winsize size = {.ws_row = 40};
	unsigned rows = LIVE_ROWS_MIN;

	(void)context;
	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	if (size.ws_row > LIVE_LINES_AROUND + LIVE_ROWS_MIN)
		rows = size.ws_row - LIVE_LINES_AROUND;
	if (summary_is_renewable(stderr))
		fputs("\033[H\033[2J", stderr);
	fprintf(stderr, "The last %d s, renewed every 2 s; end with Ctrl-C\n", LIVE_SECONDS);
	print_samples(recording, rows);
}

static int check_continuous(const struct record_values *values, struct error *error)
{
	const struct common_options *common = &values->common;
	const char *excluded = common->program     ? "a program" :
			       values->live        ? "--live" :
			       common->fresh       ? "--fresh" :
			       common->seconds > 0 ? "--seconds" :
						     NULL;

	if (!values->is_continuous && (values->rotate_ns || values->keep_bytes))
		return error_set(error, -EINVAL,
				 "--rotate and --keep need --continuous; --seconds ends one "
				 "recording");
	if (!values->is_continuous)
		return 0;
	if (common->hosts.count)
		excluded = "--hosts";
	if (excluded)
		return error_set(error, -EINVAL, "--continuous and %s exclude each other%s",
				 excluded,
				 common->program ? "; name what runs with --system, --pid, "
						   "--port, --comm or --cgroup" :
						   "");
	if (!strcmp(common->output, DEFAULT_OUTPUT))
		return error_set(error, -EINVAL,
				 "--continuous writes into a folder; name it with --output");
	if (values->rotate_ns && values->rotate_ns < ROTATE_MIN_NS)
		return error_set(error, -EINVAL,
				 "--rotate is shorter than 5s, which a file takes to begin; "
				 "give more, such as 10min");
	return 0;
}

static int check(struct common_options *common, struct error *error)
{
	struct record_values *values = (struct record_values *)common;

	if (check_continuous(values, error))
		return error->code;
	if (common_options_check_processes(common, 0, error))
		return error->code;
	if (common->quiet && values->live)
		return error_set(error, -EINVAL, "--quiet and --live exclude each other");
	if (!values->period_ns)
		values->period_ns =
			values->is_continuous ? PERIOD_CONTINUOUS_NS : PERIOD_DEFAULT_NS;
	if (values->period_ns < PERIOD_MIN_NS || values->period_ns > PERIOD_MAX_NS)
		return error_set(error, -EINVAL, "--period is not from 50us to 1s");
	return 0;
}

static void record_continuously(struct record_values *values, const struct record_options *options,
				const struct driver_options *driver, struct driver_result *result,
				struct error *error)
{
	const struct continuous_options continuous = {
		.folder = values->common.output,
		.rotate_ns = values->rotate_ns ? values->rotate_ns : ROTATE_DEFAULT_NS,
		.keep_bytes = values->keep_bytes ? values->keep_bytes : KEEP_DEFAULT_BYTES,
	};

	continuous_run(&continuous, options, driver, result, error);
	values->common.quiet = true; /* no summary: there is not one profile */
}

/* The same recording on all hosts. */
static int begin_hosts(const struct record_values *values, struct record_hosts *hosts,
		       struct error *error)
{
	AUTO(text) char *period = text_format("%lluns", (unsigned long long)values->period_ns);
	const char *words[] = {"record", "--quiet",      "--period",
			       period,   "--call-graph", chains[values->chain],
			       "--",     NULL,           NULL,
			       NULL};

	if (values->classes) {
		words[6] = "--class";
		words[7] = values->classes;
		words[8] = "--";
	}
	return record_hosts_begin(hosts, &values->common, words, error);
}

static void record_here(struct record_values *values, const struct record_options *options,
			const struct driver_options *driver, struct driver_result *result,
			struct error *error)
{
	AUTO(record_hosts) struct record_hosts hosts = {0};
	struct error other = {0};

	if (begin_hosts(values, &hosts, error)) {
		result->end = DRIVER_WRONG_USAGE;
		return;
	}
	const struct driver_options together = record_hosts_driver(&hosts, driver);
	record_run(options, &together, result, error);
	if (record_hosts_end(&hosts, values->common.output, &other) &&
	    result->end == DRIVER_ANSWERED) {
		result->end = DRIVER_FAILED;
		*error = other;
	}
}

static void record(struct common_options *common, const struct driver_options *driver,
		   struct driver_result *result, struct error *error)
{
	struct record_values *values = (struct record_values *)common;
	struct live_line *live = driver->context;
	struct record_options options = {
		.period_ns = values->period_ns,
		.chain = (enum record_chain)values->chain,
		.class_rules = values->classes,
		.live_seconds = values->live ? LIVE_SECONDS : 0,
		.context = live,
		.notify = show_status,
		.refresh = refresh,
	};

	live->is_renewed = live->is_renewed && !values->live;
	if (machine_may_pause(NULL, common->force, error))
		return;
	if (values->is_continuous)
		record_continuously(values, &options, driver, result, error);
	else
		record_here(values, &options, driver, result, error);
}

static bool summarize(FILE *out, const struct common_options *common,
		      const struct recording *recording)
{
	(void)common;
	if (out)
		print_samples(recording, SUMMARY_ROWS);
	return true;
}

int command_record(int argc, char **argv)
{
	static const struct recording_command command = {
		.page = &record_page,
		.kind = RUN_SAMPLES,
		.no_answer = "no samples: the program ended too soon, or did nothing; record "
			     "longer, or with a shorter --period",
		.check = check,
		.record = record,
		.summarize = summarize,
	};
	AUTO(record_values) struct record_values values = {0};

	return recording_command_run(&command, &values.common, argc, argv);
}
