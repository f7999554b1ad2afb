/* SPDX-License-Identifier: BSD-2-Clause */
/* record - starts the program or finds the processes, and drains samples until it is time to stop. */
#include "record/record.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/process/program.h"
#include "experiment/interruption.h"
#include "profile/profile.h"
#include "record/live_window.h"
#include "record/record_session.h"
#include "record/sample_aggregator.h"
#include "record/wait_classifier.h"
#include "symbolize/kernel/kallsyms.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define DRAIN_EVERY_MS 50
#define WRITE_EVERY_NS 1000000000ull
#define NOTIFY_EVERY_NS 500000000ull
#define REFRESH_EVERY_NS 2000000000ull
/* A period that no program keeps: one in step with it would see the same point of it each time. */
#define PERIOD_FACTOR 0.997

struct record {
	const struct record_options *options;
	struct record_result *result;
	struct record_session session;
	struct wait_classifier *classifier;
	struct kallsyms *kernel;
	struct sample_aggregator *aggregator;
	struct live_window *window; /* NULL: no live view */
	struct profile *profile;
	struct program program;
	struct recording_run run;
	struct recording_overhead cost;
	uint64_t started_ns, deadline_ns, written_ns, notified_ns, refreshed_ns;
	char *program_path;
	struct error kernel_names; /* why there are none */
};

void record_prepare_signals(void)
{
	program_remember_signals();
}

/* ---- what the kernel side sends ---- */

static void on_sample(void *context, const struct record_sample *sample)
{
	struct record *record = context;

	/* Of modules and BPF programs that have been loaded since. */
	for (uint32_t i = 0; i < sample->kernel_count && i < RECORD_KERNEL_FRAMES_MOST; i++)
		kallsyms_refresh(record->kernel, sample->kernel[i]);
	sample_aggregator_add(record->aggregator, sample);
	if (record->window)
		live_window_add(record->window, sample);
}

/* ---- setting up ---- */

static int open_symbols(struct record *record, struct error *error)
{
	const struct record_options *options = record->options;
	int code = 0;

	record_session_configure(&record->session, "*", TARGET_LINE);
	if (!options->arguments)
		return 0;
	record->program_path = program_find(options->arguments[0], &code, error);
	if (!record->program_path) {
		record->result->end = RECORD_NOT_STARTED;
		record->result->exit_code = program_exec_status(code);
		return code;
	}
	record_session_add_program(&record->session, record->program_path);
	return 0;
}

static int open_recorder(struct record *record, struct error *error)
{
	const struct record_options *options = record->options;
	static const enum record_unwinding unwinding[] = {
		[RECORD_CHAIN_DWARF] = RECORD_UNWIND_TABLES,
		[RECORD_CHAIN_FP] = RECORD_UNWIND_POINTERS,
		[RECORD_CHAIN_NONE] = RECORD_UNWIND_NONE,
	};
	struct recorder_options recorder = {
		.period_ns = (uint64_t)((double)options->period_ns * PERIOD_FACTOR),
		.unwinding = unwinding[options->chain],
		.is_system_wide = options->is_system_wide,
		.verbose = options->verbose,
	};
	record->run.period_ns = recorder.period_ns;
	record->session.context = record;
	record->session.sample = on_sample;
	return record_session_open(&record->session, &recorder, error);
}

static int begin_run(struct record *record, struct error *error)
{
	static struct utsname host; /* borrowed by the run until its end */
	struct recording_run *run = &record->run;

	uname(&host);
	run->kind = RUN_SAMPLES;
	if (record->options->arguments)
		run->command = recording_command(record->options->arguments);
	run->engine = recorder_limits(record->session.recorder) ? (char *)"perf events" :
								  (char *)"kernel";
	run->host = host.nodename;
	run->kernel = host.release;
	run->version = (char *)(uintptr_t)record->options->version;
	run->started_s = time(NULL);
	run->exit_status = -1;
	int code = profile_add_run(record->profile, run, error);
	return code ? code : profile_commit(record->profile, error);
}

static int set_up(struct record *record, struct error *error)
{
	const struct record_options *options = record->options;
	int code = wait_classifier_new(options->class_rules, &record->classifier, error);

	if (code) {
		record->result->end = RECORD_WRONG_USAGE;
		return code;
	}
	code = open_symbols(record, error);
	code = code ? code : open_recorder(record, error);
	if (code)
		return code;
	kallsyms_read("/proc/kallsyms", &record->kernel, &record->kernel_names);
	record->aggregator =
		sample_aggregator_new(record->session.symbols, record->session.mapped_files,
				      record->classifier, record->kernel, record->run.period_ns);
	if (options->live_seconds > 0)
		record->window = live_window_new(options->live_seconds);
	code = profile_create(options->output, options->fresh, &record->profile, error);
	return code ? code : begin_run(record, error);
}

/* ---- running ---- */

static int start_program(struct record *record, struct error *error)
{
	static const char *const no_environment[] = {NULL};
	const struct record_options *options = record->options;
	int code = program_prepare(&record->program, options->arguments, no_environment, error);

	if (code)
		return code;
	code = recorded_processes_add(record->session.processes, record->program.pid, error);
	if (code)
		return code;
	recorder_start(record->session.recorder);
	interruption_catch();
	code = program_start(&record->program, options->arguments[0], error);
	if (code) {
		record->result->end = RECORD_NOT_STARTED;
		record->result->exit_code = program_exec_status(code);
	}
	return code;
}

/* Processes that run already, of a list or of a cgroup, or all. */
static int attach_running(struct record *record, struct error *error)
{
	const struct record_options *options = record->options;
	int code = 0;

	for (size_t i = 0; i < options->process_count && !code; i++)
		code = recorded_processes_add_running(record->session.processes,
						      options->processes[i], error);
	if (options->cgroup && !code)
		code = recorded_processes_add_cgroup(record->session.processes, options->cgroup,
						     error);
	if (code) {
		record->result->end = RECORD_WRONG_USAGE;
		return code;
	}
	record->program.started_ns = clock_now_ns();
	recorder_start(record->session.recorder);
	interruption_catch();
	return 0;
}

static bool should_continue(struct record *record)
{
	if (interruption_terminations() ||
	    (record->deadline_ns && clock_now_ns() >= record->deadline_ns))
		return false;
	if (!record->options->arguments)
		return !interruption_count() &&
		       (record->options->is_system_wide || record->options->cgroup ||
			recorded_processes_any_alive(record->session.processes));
	/* The first Ctrl-C is the program's, too: it may end in order. */
	if (interruption_count() > 1)
		return false;
	return !program_poll(&record->program) ||
	       (!interruption_count() && recorded_processes_any_alive(record->session.processes));
}

static void notify(struct record *record, uint64_t now)
{
	const struct sample_aggregator_totals *totals =
		sample_aggregator_totals(record->aggregator);
	struct record_status status = {
		.elapsed_seconds = (double)(now - record->started_ns) / 1e9,
		.left_seconds = record->deadline_ns ?
					((double)record->deadline_ns - (double)now) / 1e9 :
					-1,
		.samples = totals->samples,
	};
	for (int i = 0; i < SAMPLE_CLASSES && totals->weight_ns; i++)
		status.shares[i] = (double)totals->by_class_ns[i] / (double)totals->weight_ns;
	record->notified_ns = now;
	record->options->notify(record->options->context, &status);
}

static int write_now(struct record *record, struct error *error)
{
	int code =
		sample_aggregator_write(record->aggregator, record->profile, record->run.id, error);
	return code ? code : profile_commit(record->profile, error);
}

/* Hands on what the last seconds held. */
static int refresh(struct record *record, uint64_t now, struct error *error)
{
	struct live_window_symbols names = {record->session.symbols, record->session.mapped_files,
					    record->classifier, record->kernel};
	struct recording_run run = record->run;
	struct recording *recording = NULL;
	uint64_t length = (uint64_t)(record->options->live_seconds * 1e9);

	record->refreshed_ns = now;
	int code =
		recorder_sample_blocked(record->session.recorder, &record->session.handler, error);
	if (code)
		return code;
	now = clock_now_ns();
	run.wall_ns = now - record->started_ns < length ? now - record->started_ns : length;
	code = live_window_read(record->window, &names, &run, now, &recording, error);
	if (code)
		return code;
	record->options->refresh(record->options->context, recording);
	recording_free(recording);
	return write_now(record, error);
}

static int poll_once(struct record *record, struct error *error)
{
	struct pollfd wake[2] = {
		{.fd = recorder_descriptor(record->session.recorder), .events = POLLIN},
		{.fd = record->program.has_ended ? -1 : record->program.pidfd, .events = POLLIN},
	};
	poll(wake, 2, DRAIN_EVERY_MS);
	record_session_drain(&record->session);
	uint64_t now = clock_now_ns();
	if (now - record->notified_ns > NOTIFY_EVERY_NS)
		notify(record, now);
	if (record->window && now - record->refreshed_ns > REFRESH_EVERY_NS)
		return refresh(record, now, error);
	if (now - record->written_ns < WRITE_EVERY_NS)
		return 0;
	record->written_ns = now;
	if (record->options->cgroup) /* who has joined it since */
		recorded_processes_add_cgroup(record->session.processes, record->options->cgroup,
					      NULL);
	return write_now(record, error);
}

static int run(struct record *record, struct error *error)
{
	int code = record->options->arguments ? start_program(record, error) :
						attach_running(record, error);

	if (code)
		return code;
	record->started_ns = record->written_ns = record->refreshed_ns = clock_now_ns();
	if (record->options->seconds > 0)
		record->deadline_ns =
			record->started_ns + (uint64_t)(record->options->seconds * 1e9);
	while (!code && should_continue(record))
		code = poll_once(record, error);
	recorder_stop(record->session.recorder);
	if (!code)
		code = recorder_sample_blocked(record->session.recorder, &record->session.handler,
					       error);
	record->run.wall_ns =
		(record->program.ended_ns ? record->program.ended_ns : clock_now_ns()) -
		record->program.started_ns;
	record_session_drain(&record->session);
	recorder_overhead(record->session.recorder, &record->cost);
	return code;
}

/* After the recording the program runs on; a second Ctrl-C leaves it alone. */
static void wait_for_program(struct record *record)
{
	bool has_said = false, has_forwarded = false;

	while (record->options->arguments && !program_poll(&record->program) &&
	       interruption_count() < 2) {
		if (interruption_terminations() && !has_forwarded)
			syscall(SYS_pidfd_send_signal, record->program.pidfd, SIGTERM, NULL, 0);
		has_forwarded = interruption_terminations();
		if (!has_said && !interruption_count() && !has_forwarded)
			record->options->say(record->options->context,
					     "recording is over; the program runs on (Ctrl-C to "
					     "end it)");
		has_said = true;
		struct pollfd wake = {.fd = record->program.pidfd, .events = POLLIN};
		poll(&wake, 1, 100);
	}
}

/* ---- the end ---- */

static char *add_sentence(char *note, char *sentence)
{
	char *longer = text_format("%s%s%s", note ? note : "", note ? "\n" : "", sentence);
	free(note);
	free(sentence);
	return longer;
}

/* Warnings for the reader of the report; NULL if there are none. To be freed. */
static char *make_warnings(const struct record *record, const struct recorder_counters *counters)
{
	char *note = text_copy(mapped_files_warnings(record->session.mapped_files));

	if (recorder_limits(record->session.recorder))
		note = add_sentence(note, text_copy(recorder_limits(record->session.recorder)));
	if (record->kernel_names.code && !recorder_limits(record->session.recorder))
		note = add_sentence(note, text_copy(record->kernel_names.text));
	if (counters->overwritten)
		note = add_sentence(
			note, text_format("%llu blocks of tasks were not seen: more tasks than "
					  "%d wait at the same time",
					  (unsigned long long)counters->overwritten, RECORD_SLOTS));
	if (counters->lost_events)
		note = add_sentence(note,
				    text_format("%llu announcements of files or processes were "
						"lost, so names or processes may be missing",
						(unsigned long long)counters->lost_events));
	return note;
}

static int close_run(struct record *record, int code, struct error *error)
{
	const struct sample_aggregator_totals *totals =
		sample_aggregator_totals(record->aggregator);
	struct recording_run *row = &record->run;
	struct recorder_counters counters;
	struct error later = {0};

	recorder_counters(record->session.recorder, &counters);
	row->samples = totals->samples;
	row->sampled_ns = totals->weight_ns;
	row->lost = counters.lost;
	row->unwound_badly = counters.truncated;
	row->exit_status = record->program.has_ended ? record->program.status : -1;
	row->finished = true;
	row->note = make_warnings(record, &counters);
	record->result->status = row->exit_status;
	int failed = sample_aggregator_write(record->aggregator, record->profile, row->id, &later);
	record->cost.run_id = row->id;
	failed = failed ? failed : profile_update_run(record->profile, row, &later);
	failed = failed ? failed : profile_set_overhead(record->profile, &record->cost, &later);
	failed = failed ? failed : profile_commit(record->profile, &later);
	if (failed && !code)
		*error = later;
	return code ? code : failed;
}

static void tear_down(struct record *record)
{
	record_session_close(&record->session);
	program_release(&record->program);
	profile_close(record->profile);
	sample_aggregator_free(record->aggregator);
	live_window_free(record->window);
	wait_classifier_free(record->classifier);
	kallsyms_free(record->kernel);
	free(record->program_path);
	free(record->run.command);
	free(record->run.note);
}

void record_run(const struct record_options *options, struct record_result *result,
		struct error *error)
{
	struct record record = {.options = options, .result = result};

	record.program.go = record.program.failure = record.program.pidfd = -1;
	*result = (struct record_result){.end = RECORD_FAILED, .status = -1};
	int code = set_up(&record, error);
	if (!code)
		code = run(&record, error);
	if (record.started_ns) {
		wait_for_program(&record);
		code = close_run(&record, code, error);
		if (!code)
			result->end = record.run.samples ? RECORD_DONE : RECORD_NOTHING;
	}
	tear_down(&record);
}
