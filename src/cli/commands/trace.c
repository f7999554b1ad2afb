/* SPDX-License-Identifier: BSD-2-Clause */
/* trace - `lever trace`: records a program's annotations and scheduling. */
#include "trace/trace.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/record_hosts.h"
#include "cli/commands/recording_command.h"
#include "cli/installed_library.h"
#include "cli/output/live_line.h"
#include "cli/output/summary.h"
#include "report/display.h"
#include "report/formats.h"

#include <errno.h>
#include <string.h>

#define BUFFER_DEFAULT (2u << 20)
#define BUFFER_MIN (16u << 10)
#define BUFFER_MAX (256u << 20)
#define SUMMARY_ROWS 10

struct trace_values {
	struct common_options common; /* first */
	int scheduler;                /* enum trace_scheduler */
	bool interrupts;
	bool messages;
	int texts; /* enum trace_texts */
	struct value_texts probes;
	size_t buffer_bytes;
	double flight_seconds;
};

CLEANUP_DEFINE(timeline, struct timeline *, timeline_free, NULL)

static void trace_values_auto_release(struct trace_values *values)
{
	common_options_release(&values->common);
	array_free(&values->probes);
}

/* "512K" or "4M"; made a power of two. */
static int set_size(const struct option *option, void *field, const char *text, struct error *error)
{
	size_t length = strlen(text), *bytes = field;
	char unit = length ? text[length - 1] : 0;
	AUTO(text) char *digits = text_format("%.*s", (int)(length ? length - 1 : 0), text);
	uint64_t number, size = BUFFER_MIN;

	(void)option;
	if ((unit != 'K' && unit != 'M') || !text_to_unsigned(digits, &number) || !number ||
	    number > BUFFER_MAX >> 10)
		return error_set(error, -EINVAL, "'%s' is not a size like 512K or 4M", text);
	number <<= unit == 'K' ? 10 : 20;
	if (number < BUFFER_MIN || number > BUFFER_MAX)
		return error_set(error, -EINVAL, "'%s' is not from 16K to 256M", text);
	while (size < number)
		size *= 2;
	*bytes = size;
	return 0;
}

static const char *const texts[] = {"auto", "on", "off", NULL};      /* as enum trace_texts */
static const char *const schedulers[] = {"auto", "on", "off", NULL}; /* as enum trace_scheduler */

#define FIELD(member) offsetof(struct trace_values, member)
static const struct option trace_table[] = {
	{"scheduler", 0, "WHEN",
	 "log which thread runs where and which wakes which: on, off, or auto, if permitted (auto)",
	 value_set_choice, FIELD(scheduler), schedulers},
	{"interrupts", 0, NULL, "log hard and soft interrupts", value_set_flag, FIELD(interrupts),
	 NULL},
	{"messages", 0, NULL, "log messages over TCP between hosts (with --hosts)", value_set_flag,
	 FIELD(messages), NULL},
	{"usdt", 0, "PROBE",
	 "record the static probe PROVIDER:NAME, or the span between two, BEGIN,END; may be "
	 "repeated",
	 value_add_text, FIELD(probes), NULL},
	{"trace-marker", 0, "WHEN",
	 "record what the program writes to trace_marker: on, off, or auto, if it mentions it "
	 "(auto)",
	 value_set_choice, FIELD(texts), texts},
	{"buffer", 0, "SIZE", "each thread's annotation buffer, like 512K or 4M (2M)", set_size,
	 FIELD(buffer_bytes), NULL},
	{"flight", 0, "SECONDS", "keep only so many seconds before the end", value_set_seconds,
	 FIELD(flight_seconds), NULL},
	{"system", 'a', NULL,
	 "log all processes; record annotations of PROGRAM or, without it, of all", value_set_flag,
	 FIELD(common.is_system_wide), NULL},
};

static const struct option *const trace_shared[] = {
	&option_output,    &option_fresh, &option_pid,     &option_no_children,
	&option_port,      &option_comm,  &option_cgroup,  &option_seconds,
	&option_then_stop, &option_quiet, &option_verbose, &option_hosts,
	&option_launch,    NULL,
};

const struct command_page trace_page = {
	.name = "trace",
	.summary = "record a timeline: annotations, and the scheduler's log",
	.operands = "[--] [PROGRAM [ARGUMENT...]]",
	.manual = "lever-trace",
	.purpose =
		"Runs PROGRAM and records its annotations (lever.h, NVTX, OpenMP, trace_marker, "
		"static probes) and, with root, or CAP_BPF and CAP_PERFMON (see lever check), the "
		"scheduler: which thread ran on which core, why it waited, and which thread woke "
		"it. lever report prints tables and exports to Perfetto.",
	.options = trace_table,
	.option_count = sizeof(trace_table) / sizeof(trace_table[0]),
	.shared = trace_shared,
	.runs_program = true,
};

static void show_status(void *context, const struct trace_status *status)
{
	struct live_line *live = context;

	if (!live->is_renewed)
		return;
	AUTO(text) char *marks = display_count(status->marks);
	AUTO(text) char *switches = display_count(status->switches);
	AUTO(text) char *lost = display_count(status->lost);
	AUTO(text) char *left = live_line_left(status->left_seconds);
	AUTO(text)
	char *line = text_format("lever: %.0f s%s, %s annotations, %s switches, %s lost",
				 status->elapsed_seconds, left, marks, switches, lost);
	live_line_show(live, line);
}

static int check(struct common_options *common, struct error *error)
{
	const struct trace_values *values = (struct trace_values *)common;
	bool is_off = values->scheduler == TRACE_SCHEDULER_OFF;

	if (common_options_check_processes(common, PROGRAM_WITH_SYSTEM, error))
		return error->code;
	if (is_off && !common->program)
		return error_set(error, -EINVAL, "--scheduler off needs a program to run");
	if (is_off && values->interrupts)
		return error_set(error, -EINVAL,
				 "--scheduler off and --interrupts exclude each other");
	if (is_off && values->messages)
		return error_set(error, -EINVAL,
				 "--scheduler off and --messages exclude each other");
	if (is_off && (values->probes.count || values->texts == TRACE_TEXTS_ON))
		return error_set(error, -EINVAL,
				 "--usdt and --trace-marker on need the scheduler's log; leave out "
				 "--scheduler off");
	if (common->hosts.count && common->is_system_wide)
		return error_set(error, -EINVAL, "--hosts and --system exclude each other");
	return 0;
}

/* The same recording on all hosts. */
static int begin_hosts(const struct trace_values *values, struct record_hosts *hosts,
		       struct error *error)
{
	AUTO(text) char *buffer = text_format("%zuK", values->buffer_bytes >> 10);
	AUTO(text) char *flight = text_format("%g", values->flight_seconds);
	const char *const first[] = {"trace",          "--quiet",
				     "--scheduler",    schedulers[values->scheduler],
				     "--trace-marker", texts[values->texts],
				     "--buffer",       buffer};
	ARRAY(const char *) words = {0};

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		*array_add(&words) = first[i];
	if (values->interrupts)
		*array_add(&words) = "--interrupts";
	if (values->scheduler != TRACE_SCHEDULER_OFF)
		*array_add(&words) = "--messages";
	for (size_t i = 0; i < values->probes.count; i++) {
		*array_add(&words) = "--usdt";
		*array_add(&words) = values->probes.items[i];
	}
	if (values->flight_seconds > 0) {
		*array_add(&words) = "--flight";
		*array_add(&words) = flight;
	}
	*array_add(&words) = "--";
	*array_add(&words) = NULL;
	int code = record_hosts_begin(hosts, &values->common, words.items, error);
	array_free(&words);
	return code;
}

static void record(struct common_options *common, const struct driver_options *driver,
		   struct driver_result *result, struct error *error)
{
	const struct trace_values *values = (struct trace_values *)common;
	AUTO(record_hosts) struct record_hosts hosts = {0};
	struct error other = {0};
	AUTO(text) char *nvtx = installed_library_find("liblever-nvtx.so");
	AUTO(text) char *ompt = installed_library_find("liblever-ompt.so");
	struct trace_options options = {
		.scheduler = (enum trace_scheduler)values->scheduler,
		.wants_interrupts = values->interrupts,
		.wants_messages = values->messages || common->hosts.count,
		.texts = (enum trace_texts)values->texts,
		.probes = values->probes.items,
		.probe_count = values->probes.count,
		.nvtx_library = nvtx,
		.ompt_library = ompt,
		.ring_bytes = values->buffer_bytes,
		.flight_seconds = values->flight_seconds,
		.context = driver->context,
		.notify = show_status,
	};

	if (begin_hosts(values, &hosts, error)) {
		result->end = DRIVER_WRONG_USAGE;
		return;
	}
	const struct driver_options together = record_hosts_driver(&hosts, driver);
	trace_run(&options, &together, result, error);
	if (record_hosts_end(&hosts, common->output, &other) && result->end == DRIVER_ANSWERED) {
		result->end = DRIVER_FAILED;
		*error = other;
	}
}

static bool summarize(FILE *out, const struct common_options *common,
		      const struct recording *recording)
{
	(void)common;
	if (!out)
		return true;
	AUTO(timeline) struct timeline *timeline = timeline_new(recording);
	const struct report report = {.recording = recording,
				      .timeline = timeline,
				      .options = summary_options(out, SUMMARY_ROWS)};
	report_timeline_text(out, &report);
	return true;
}

int command_trace(int argc, char **argv)
{
	static const struct recording_command command = {
		.page = &trace_page,
		.kind = RUN_TIMELINE,
		.no_answer = "no events: the program has no annotations (lever.h), and the "
			     "scheduler was not logged",
		.check = check,
		.record = record,
		.summarize = summarize,
	};
	AUTO(trace_values) struct trace_values values = {.buffer_bytes = BUFFER_DEFAULT};

	return recording_command_run(&command, &values.common, argc, argv);
}
