/* SPDX-License-Identifier: BSD-2-Clause */
/* record - a recorder whose samples are classified, added up and written each second. */
#include "record/record.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/bpf/overhead.h"
#include "record/cpu_budget.h"
#include "record/live_window.h"
#include "record/record_session.h"
#include "record/sample_aggregator.h"
#include "record/wait_classifier.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/parser/start.h"

#include <malloc.h>
#include <pthread.h>

#define POLL_MS 50
#define POLL_SLOW_MS 250 /* with a period of at least SLOW_PERIOD_NS, for a lower cost */
#define SLOW_PERIOD_NS 10000000
#define REFRESH_EVERY_NS 2000000000ull
#define SPARING_EVERY_NS 10000000000ull /* then it is known better which new code goes on to run */
/* No program has this period: samples in step with it would all see the same part of it. */
#define PERIOD_FACTOR 0.997

struct record {
	struct driver driver;
	const struct record_options *options;
	struct record_session session;
	struct wait_classifier *classifier;
	struct resources *resources;
	struct kallsyms *kernel;
	struct error no_kernel_names; /* code 0: they are there */
	struct sample_aggregator *aggregator;
	struct live_window *window; /* NULL: no live view */
	uint64_t period_ns, refreshed_ns, written_ns;
};

static struct record *record_of(struct driver *driver)
{
	return (struct record *)driver;
}

/* ---- setting up ---- */

static void *read_kernel_names(void *context)
{
	struct record *record = context;

	kallsyms_read("/proc/kallsyms", &record->kernel, &record->no_kernel_names);
	return NULL;
}

/* Reads the kernel's names (25 ms) beside the kernel's check of the BPF programs (50 ms). */
static int open_recorder(struct record *record, const struct recorder_options *options,
			 struct error *error)
{
	pthread_t reader;
	bool is_beside = !pthread_create(&reader, NULL, read_kernel_names, record);
	int code = record_session_open(&record->session, options, error);

	if (is_beside)
		pthread_join(reader, NULL);
	else
		read_kernel_names(record);
	return code;
}

static void on_sample(void *context, const struct record_sample *sample)
{
	struct record *record = context;

	/* Modules and BPF programs may have been loaded since the last sample. */
	for (uint32_t i = 0; i < sample->kernel_count && i < RECORD_KERNEL_FRAMES_MOST; i++)
		kallsyms_refresh(record->kernel, sample->kernel[i]);
	sample_aggregator_add(record->aggregator, sample);
	if (record->window)
		live_window_add(record->window, sample);
}

static int check(struct driver *driver, struct error *error)
{
	struct record *record = record_of(driver);

	return wait_classifier_new(record->options->class_rules, &record->classifier, error);
}

static int open_session(struct driver *driver, struct error *error)
{
	static const enum record_unwinding unwinding[] = {
		[RECORD_CHAIN_DWARF] = RECORD_UNWIND_TABLES,
		[RECORD_CHAIN_FP] = RECORD_UNWIND_POINTERS,
		[RECORD_CHAIN_NONE] = RECORD_UNWIND_NONE,
	};
	struct record *record = record_of(driver);
	struct record_session *session = &record->session;
	struct recorder_options recorder = {
		.period_ns = record->period_ns,
		.unwinding = unwinding[record->options->chain],
		.is_system_wide = driver->options->selection.is_system_wide,
		.verbose = driver->options->verbose,
	};

	record_session_configure(session, "*", TARGET_LINE);
	if (driver->program_path)
		record_session_add_program(session, driver->program_path);
	session->context = record;
	session->sample = on_sample;
	int code = open_recorder(record, &recorder, error);
	if (code)
		return code;
	driver->descriptor = recorder_descriptor(session->recorder);
	record->resources = resources_new(session->symbols, session->mapped_files);
	record->aggregator =
		sample_aggregator_new(session->symbols, session->mapped_files, record->classifier,
				      record->resources, record->kernel, record->period_ns);
	if (record->options->live_seconds > 0)
		record->window = live_window_new(record->options->live_seconds);
	return 0;
}

static void describe(struct driver *driver)
{
	struct record *record = record_of(driver);
	bool is_kernel = !recorder_limits(record->session.recorder);

	driver->run.engine = is_kernel ? (char *)"kernel" : (char *)"perf events";
	driver->run.period_ns = record->period_ns;
}

static int add_program(struct driver *driver, struct error *error)
{
	return record_session_add_process(&record_of(driver)->session, driver->program.pid, error);
}

static int add_running(struct driver *driver, pid_t pid, struct error *error)
{
	return record_session_add_process(&record_of(driver)->session, pid, error);
}

static int start(struct driver *driver, struct error *error)
{
	struct record *record = record_of(driver);

	(void)error;
	recorder_start(record->session.recorder);
	record->refreshed_ns = clock_now_ns();
	return 0;
}

/* ---- recording ---- */

static bool any_alive(struct driver *driver)
{
	return live_processes_any(&record_of(driver)->session.processes);
}

static void list_processes(struct driver *driver, struct process_list *list)
{
	live_processes_list(&record_of(driver)->session.processes, list);
}

static void notify(struct driver *driver, uint64_t now_ns)
{
	struct record *record = record_of(driver);
	const struct sample_aggregator_totals *totals =
		sample_aggregator_totals(record->aggregator);
	struct record_status status = {
		.elapsed_seconds = driver_elapsed_seconds(driver, now_ns),
		.left_seconds = driver_left_seconds(driver, now_ns),
		.samples = totals->samples,
	};

	for (int i = 0; i < SAMPLE_CLASSES && totals->weight_ns; i++)
		status.shares[i] = (double)totals->by_class_ns[i] / (double)totals->weight_ns;
	record->options->notify(record->options->context, &status);
}

static int sample_blocked(struct record *record, struct error *error)
{
	return recorder_sample_blocked(record->session.recorder, &record->session.handler, error);
}

static int refresh(struct record *record, struct error *error)
{
	struct live_window_symbols symbols = {record->session.symbols, record->session.mapped_files,
					      record->classifier, record->resources,
					      record->kernel};
	struct recording_run run = record->driver.run;
	struct recording *recording = NULL;
	uint64_t length = (uint64_t)(record->options->live_seconds * 1e9);
	int code = sample_blocked(record, error);

	if (code)
		return code;
	uint64_t now = clock_now_ns(), elapsed = now - record->driver.started_ns;
	run.wall_ns = elapsed < length ? elapsed : length;
	code = live_window_read(record->window, &symbols, &run, now, &recording, error);
	if (code)
		return code;
	record->options->refresh(record->options->context, recording);
	recording_free(recording);
	return 0;
}

static int poll_session(struct driver *driver, struct error *error)
{
	struct record *record = record_of(driver);
	uint64_t now = clock_now_ns();

	record_session_drain(&record->session);
	if (!record->window || now - record->refreshed_ns <= REFRESH_EVERY_NS)
		return 0;
	record->refreshed_ns = now;
	return refresh(record, error);
}

/* What a recording of any length needs is bounded: what is written may be forgotten. */
static void tidy(struct record *record)
{
	bool is_large = sample_aggregator_is_large(record->aggregator);

	bool is_renewed = record_session_tidy(&record->session);
	if (is_renewed)
		sample_aggregator_forget_names(record->aggregator);
	if (is_large) {
		sample_aggregator_forget(record->aggregator);
		resources_forget(record->resources);
	}
	if (is_large || is_renewed)
		malloc_trim(0); /* else it would stay resident for ever */
}

/* Whether CPU time is short; then names are put off, and those of short-lived code are spared. */
static bool is_short_of_time(struct record *record, uint64_t now_ns)
{
	struct cpu_budget *budget = record->options->budget;
	bool is_short = budget && !cpu_budget_has_rest(budget, now_ns, overhead_engine_cpu_ns());

	sample_aggregator_spare_names(record->aggregator, is_short);
	mapped_files_spare(record->session.mapped_files, is_short, now_ns);
	return is_short;
}

static int write_samples(struct driver *driver, struct error *error)
{
	struct record *record = record_of(driver);
	uint64_t now = clock_now_ns();

	if (is_short_of_time(record, now) && now - record->written_ns < SPARING_EVERY_NS &&
	    !sample_aggregator_is_large(record->aggregator))
		return 0;
	int code =
		sample_aggregator_write(record->aggregator, driver->profile, driver->run.id, error);

	record->written_ns = now;
	if (!code)
		tidy(record);
	return code;
}

/* ---- the end ---- */

/* False: all processes have ended, so that nobody waits. */
static bool may_anyone_wait(struct record *record)
{
	struct recorder_counters counters;

	record_session_drain(&record->session);
	recorder_counters(record->session.recorder, &counters);
	return record->driver.options->selection.is_system_wide || counters.lost_events ||
	       recorder_limits(record->session.recorder) ||
	       live_processes_any(&record->session.processes);
}

static int stop(struct driver *driver, struct error *error)
{
	struct record *record = record_of(driver);
	bool samples_blocked = !driver->code && may_anyone_wait(record);
	int code = samples_blocked ? recorder_prepare_blocked(record->session.recorder, error) : 0;

	recorder_stop(record->session.recorder);
	if (samples_blocked && !code)
		code = sample_blocked(record, error);
	record_session_drain(&record->session);
	recorder_overhead(record->session.recorder, &driver->overhead);
	return code;
}

/* Warnings for the reader of the report; NULL if there are none. To be freed. */
static char *warnings_of(const struct record *record, const struct recorder_counters *counters)
{
	const char *limits = recorder_limits(record->session.recorder);
	char *text = text_copy(mapped_files_warnings(record->session.mapped_files));
	text_add_line(&text, text_copy(symbols_warning(record->session.symbols)));

	text_add_line(&text, text_copy(limits));
	if (record->no_kernel_names.code && !limits)
		text_add_line(&text, text_copy(record->no_kernel_names.text));
	if (counters->overwritten)
		text_add_line(&text,
			      text_format("%llu waits were not recorded: more than %d tasks "
					  "waited at the same time; record fewer processes",
					  (unsigned long long)counters->overwritten, RECORD_SLOTS));
	if (counters->not_held)
		text_add_line(&text,
			      text_format("%llu waits were not recorded: this kernel has no "
					  "tracepoint sched_exit_tp, and without it %d sampled "
					  "tasks can wait at the same time; record fewer processes",
					  (unsigned long long)counters->not_held,
					  RECORD_HELD_MOST));
	uint64_t spared = sample_aggregator_totals(record->aggregator)->spared_names;
	if (spared)
		text_add_line(
			&text,
			text_format("%llu places in code that ran for a moment are told by "
				    "addresses: their names would have taken more than %.1f %% "
				    "of a core; record without --continuous to have them",
				    (unsigned long long)spared,
				    100 * record->options->budget->share));
	if (counters->lost_events)
		text_add_line(&text, text_format("%llu announcements of files or processes were "
						 "lost: names or processes may be missing; record "
						 "fewer processes",
						 (unsigned long long)counters->lost_events));
	if (counters->untracked_spaces)
		text_add_line(&text,
			      text_format("samples of %llu processes have no user code: too many "
					  "processes at once; record fewer",
					  (unsigned long long)counters->untracked_spaces));
	return text;
}

static int finish(struct driver *driver, struct error *error)
{
	struct record *record = record_of(driver);
	const struct sample_aggregator_totals *totals =
		sample_aggregator_totals(record->aggregator);
	struct recorder_counters counters;

	recorder_counters(record->session.recorder, &counters);
	driver->run.samples = totals->samples;
	driver->run.sampled_ns = totals->weight_ns;
	driver->run.lost = counters.lost;
	driver->run.unwound_badly = counters.truncated;
	driver->run.note = warnings_of(record, &counters);
	return sample_aggregator_write(record->aggregator, driver->profile, driver->run.id, error);
}

static void release(struct driver *driver)
{
	struct record *record = record_of(driver);

	record_session_close(&record->session);
	sample_aggregator_free(record->aggregator);
	live_window_free(record->window);
	resources_free(record->resources);
	wait_classifier_free(record->classifier);
	kallsyms_free(record->kernel);
}

static const struct driver_verb record_verb = {
	.kind = RUN_SAMPLES,
	.over_message = "recording is over; the program runs on (Ctrl-C to end it)",
	.check = check,
	.open = open_session,
	.describe = describe,
	.add_program = add_program,
	.add_running = add_running,
	.start = start,
	.any_alive = any_alive,
	.list_processes = list_processes,
	.poll = poll_session,
	.write = write_samples,
	.notify = notify,
	.stop = stop,
	.finish = finish,
	.close = release,
};

void record_run(const struct record_options *options, const struct driver_options *driver,
		struct driver_result *result, struct error *error)
{
	struct record record = {
		.driver.poll_ms = options->period_ns < SLOW_PERIOD_NS ? POLL_MS : POLL_SLOW_MS,
		.options = options,
		.period_ns = (uint64_t)((double)options->period_ns * PERIOD_FACTOR),
	};

	driver_run(&record.driver, &record_verb, driver, result, error);
}
