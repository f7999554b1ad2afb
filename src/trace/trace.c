/* SPDX-License-Identifier: BSD-2-Clause */
/* trace - starts the program or finds the processes, and drains the rings until it is time to stop. */
#include "trace/trace.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/bpf/overhead.h"
#include "collect/process/program.h"
#include "collect/trace/attachment.h"
#include "experiment/interruption.h"
#include "profile/profile.h"
#include "trace/trace_writer.h"
#include "trace/usdt_probes.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define DRAIN_EVERY_MS 10
#define WRITE_EVERY_NS 1000000000ull
#define NOTIFY_EVERY_NS 500000000ull

struct trace {
	const struct trace_options *options;
	struct trace_result *result;
	struct tracer *tracer; /* NULL: no scheduler's log */
	struct annotation_reader *annotations;
	struct attachment *attachment; /* NULL: no process that runs already */
	struct trace_writer *writer;
	struct binaries binaries; /* of the program, as far as known before it runs */
	struct usdt_probes *probes;
	struct profile *profile;
	struct program program;
	ARRAY(pid_t) processes; /* that may still live */
	struct recording_run run;
	struct recording_overhead cost;
	struct overhead engine; /* where there is no tracer to ask */
	uint64_t started_ns, deadline_ns, written_ns, notified_ns;
	struct error no_scheduler; /* why there is no log */
	struct tracer_handler on_log;
	struct annotation_handler on_marks;
};

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

void trace_prepare_signals(void)
{
	program_remember_signals();
}

/* ---- setting up ---- */

static void on_task(void *context, const struct scheduler_task_event *event)
{
	struct trace *trace = context;

	trace_writer_on_task(trace->writer, event);
	if (event->kind == SCHEDULER_EVENT_FORK && event->tid == event->tgid)
		*array_add(&trace->processes) = (pid_t)event->tgid;
}

static void on_scheduler(void *context, unsigned cpu, const struct scheduler_event *events,
			 size_t count)
{
	trace_writer_on_scheduler(((struct trace *)context)->writer, cpu, events, count);
}

static void on_interrupt(void *context, const struct scheduler_interrupt_event *event)
{
	trace_writer_on_interrupt(((struct trace *)context)->writer, event);
}

static void on_text(void *context, const struct scheduler_text_event *event)
{
	trace_writer_on_text(((struct trace *)context)->writer, event);
}

static void on_probe(void *context, const struct scheduler_probe_event *event)
{
	struct trace *trace = context;

	if (event->probe < usdt_probes_count(trace->probes))
		trace_writer_on_probe(trace->writer, event,
				      usdt_probes_kind(trace->probes, event->probe),
				      usdt_probes_name(trace->probes, event->probe));
}

static void on_marks(void *context, const struct annotation_batch *batch)
{
	trace_writer_on_marks(((struct trace *)context)->writer, batch);
}

/* Binaries are looked into only for those who ask. */
static void find_binaries(struct trace *trace, const char *executable)
{
	const struct trace_options *options = trace->options;

	if (executable)
		binaries_add_program(&trace->binaries, executable);
	for (size_t i = 0; i < options->process_count; i++)
		binaries_add_process(&trace->binaries, options->processes[i]);
}

static bool wants_texts(const struct trace *trace)
{
	switch (trace->options->texts) {
	case TRACE_TEXTS_AUTO:
		return binaries_contain(&trace->binaries, "trace_marker") ||
		       (trace->options->arguments &&
			binaries_script_contains(trace->options->arguments, "trace_marker"));
	case TRACE_TEXTS_ON:
		return true;
	case TRACE_TEXTS_OFF:
		break;
	}
	return false;
}

static int read_probes(struct trace *trace, struct error *error)
{
	int code = 0;

	trace->probes = usdt_probes_new();
	for (size_t i = 0; i < trace->options->probe_count && !code; i++)
		code = usdt_probes_add(trace->probes, trace->options->probes[i], error);
	if (code)
		trace->result->end = TRACE_WRONG_USAGE;
	return code;
}

static int open_tracer(struct trace *trace, struct error *error)
{
	const struct trace_options *options = trace->options;
	struct tracer_options tracer = {
		.is_system_wide = options->is_system_wide,
		.wants_interrupts = options->wants_interrupts,
		.wants_texts = wants_texts(trace),
		.verbose = options->verbose,
	};
	if (options->scheduler == TRACE_SCHEDULER_OFF)
		return 0;
	int code = tracer_open(&tracer, &trace->tracer, &trace->no_scheduler);
	if (!code)
		return usdt_probes_attach(trace->probes, &trace->binaries, trace->tracer, error);
	if (options->scheduler == TRACE_SCHEDULER_ON || !options->arguments ||
	    options->probe_count || options->texts == TRACE_TEXTS_ON) {
		*error = trace->no_scheduler;
		return code;
	}
	AUTO(text)
	char *sentence = text_format("no log of the scheduler, annotations only: %s",
				     trace->no_scheduler.text);
	options->say(options->context, sentence);
	return 0;
}

static int begin_run(struct trace *trace, struct error *error)
{
	static struct utsname host; /* borrowed by the run until its end */
	struct recording_run *run = &trace->run;

	uname(&host);
	run->kind = RUN_TIMELINE;
	if (trace->options->arguments)
		run->command = recording_command(trace->options->arguments);
	run->engine = (char *)(uintptr_t)(trace->tracer ? "kernel" : "annotations");
	run->host = host.nodename;
	run->kernel = host.release;
	run->version = (char *)(uintptr_t)trace->options->version;
	run->started_s = time(NULL);
	run->exit_status = -1;
	int code = profile_add_run(trace->profile, run, error);
	return code ? code : profile_commit(trace->profile, error);
}

static int set_up(struct trace *trace, struct error *error)
{
	const struct trace_options *options = trace->options;
	int code = read_probes(trace, error);

	if (code)
		return code;
	if (options->arguments) {
		AUTO(text) char *path = program_find(options->arguments[0], &code, error);
		if (!path) {
			trace->result->end = TRACE_NOT_STARTED;
			trace->result->exit_code = program_exec_status(code);
			return code;
		}
		code = annotation_reader_open(options->ring_bytes / 16, options->flight_seconds > 0,
					      &trace->annotations, error);
		find_binaries(trace, path);
	} else {
		code = annotation_reader_open(options->ring_bytes / 16, options->flight_seconds > 0,
					      &trace->annotations, error);
		find_binaries(trace, NULL);
	}
	code = code ? code : open_tracer(trace, error);
	code = code ? code :
		      profile_create(options->output, options->fresh, &trace->profile, error);
	code = code ? code : begin_run(trace, error);
	if (code)
		return code;
	trace->writer =
		trace_writer_new(trace->profile, trace->run.id,
				 (uint64_t)(options->flight_seconds * 1e9), trace->annotations);
	trace->on_log = (struct tracer_handler){.context = trace,
						.scheduler = on_scheduler,
						.task = on_task,
						.interrupt = on_interrupt,
						.text = on_text,
						.probe = on_probe};
	trace->on_marks = (struct annotation_handler){.context = trace, .batch = on_marks};
	return 0;
}

/* ---- running ---- */

/* NAME=LIBRARY, so that the program loads it, unless the user has said something else. To be freed. */
static char *library_entry(const char *name, const char *library)
{
	return library && !getenv(name) ? text_format("%s=%s", name, library) : NULL;
}

static int start_program(struct trace *trace, struct error *error)
{
	const struct trace_options *options = trace->options;
	AUTO(text) char *nvtx = library_entry("NVTX_INJECTION64_PATH", options->nvtx_library);
	AUTO(text) char *ompt = library_entry("OMP_TOOL_LIBRARIES", options->ompt_library);
	const char *environment[] = {"LEVER_LISTEN=2",
				     annotation_reader_environment(trace->annotations), NULL, NULL,
				     NULL};
	size_t count = 2;

	if (nvtx)
		environment[count++] = nvtx;
	if (ompt)
		environment[count] = ompt;
	int code = program_prepare(&trace->program, options->arguments, environment, error);

	if (code)
		return code;
	*array_add(&trace->processes) = trace->program.pid;
	if (trace->tracer) {
		tracer_add_process(trace->tracer, trace->program.pid);
		tracer_start(trace->tracer);
	}
	interruption_catch();
	code = program_start(&trace->program, options->arguments[0], error);
	if (code) {
		trace->result->end = TRACE_NOT_STARTED;
		trace->result->exit_code = program_exec_status(code);
	}
	return code;
}

static void attach(struct trace *trace, pid_t pid)
{
	if (!trace->attachment)
		trace->attachment = attachment_new(trace->annotations);
	enum attachment_result answer = attachment_add(trace->attachment, pid);
	if (answer != ATTACHMENT_BUSY && answer != ATTACHMENT_CONFLICT)
		return;
	AUTO(text)
	char *sentence =
		text_format(answer == ATTACHMENT_BUSY ?
				    "annotations of process %d are left out: another lever trace "
				    "records them" :
				    "annotations of process %d are left out: its names contradict "
				    "those of another process; trace it alone",
			    (int)pid);
	trace->options->say(trace->options->context, sentence);
}

static void attach_all(struct trace *trace)
{
	AUTO(folder) DIR *folder = opendir("/proc");

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid > 0 && pid != getpid())
			attach(trace, pid);
	}
}

static int add_running(struct trace *trace, pid_t pid, struct error *error)
{
	AUTO(text) char *path = text_format("/proc/%d/task", (int)pid);
	AUTO(folder) DIR *folder = opendir(path);

	if (!folder) {
		trace->result->end = TRACE_WRONG_USAGE;
		return error_set(error, -ESRCH, "there is no process %d", (int)pid);
	}
	*array_add(&trace->processes) = pid;
	attach(trace, pid);
	tracer_add_process(trace->tracer, pid);
	for (struct dirent *entry; (entry = readdir(folder));)
		if (entry->d_name[0] != '.')
			trace_writer_name_task(trace->writer, (unsigned)pid,
					       (unsigned)strtoul(entry->d_name, NULL, 10));
	return 0;
}

/* Processes that run already, or all. */
static int attach_running(struct trace *trace, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < trace->options->process_count && !code; i++)
		code = add_running(trace, trace->options->processes[i], error);
	if (code)
		return code;
	if (trace->options->is_system_wide)
		attach_all(trace);
	trace->program.started_ns = clock_now_ns();
	tracer_start(trace->tracer);
	interruption_catch();
	return 0;
}

static bool any_alive(struct trace *trace)
{
	for (size_t i = 0; i < trace->processes.count; i++) {
		if (!kill(trace->processes.items[i], 0) || errno == EPERM)
			return true;
		trace->processes.items[i--] = trace->processes.items[--trace->processes.count];
	}
	return false;
}

static bool should_continue(struct trace *trace)
{
	if (interruption_terminations() ||
	    (trace->deadline_ns && clock_now_ns() >= trace->deadline_ns))
		return false;
	if (!trace->options->arguments)
		return !interruption_count() &&
		       (trace->options->is_system_wide || any_alive(trace));
	/* The first Ctrl-C is the program's, too: it may end in order. */
	if (interruption_count() > 1)
		return false;
	return !program_poll(&trace->program) || (!interruption_count() && any_alive(trace));
}

static uint64_t lost_of(const struct trace *trace, struct tracer_counters *log,
			struct annotation_reader_counters *marks)
{
	memset(log, 0, sizeof(*log));
	memset(marks, 0, sizeof(*marks));
	if (trace->tracer)
		tracer_counters(trace->tracer, log);
	if (trace->annotations)
		annotation_reader_counters(trace->annotations, marks);
	return log->lost + log->lost_events + marks->dropped + marks->without_ring +
	       marks->without_name + marks->unfinished + marks->malformed;
}

static void notify(struct trace *trace, uint64_t now)
{
	struct tracer_counters log;
	struct annotation_reader_counters marks;
	struct trace_status status = {
		.elapsed_seconds = (double)(now - trace->started_ns) / 1e9,
		.left_seconds =
			trace->deadline_ns ? ((double)trace->deadline_ns - (double)now) / 1e9 : -1,
		.marks = trace_writer_totals(trace->writer)->marks,
		.switches = trace_writer_totals(trace->writer)->switches,
		.lost = lost_of(trace, &log, &marks),
	};
	trace->notified_ns = now;
	trace->options->notify(trace->options->context, &status);
}

static void drain(struct trace *trace, bool is_last)
{
	if (trace->annotations)
		annotation_reader_drain(trace->annotations, is_last, &trace->on_marks);
	if (!trace->tracer)
		return;
	tracer_drain(trace->tracer, &trace->on_log);
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		trace_writer_set_lost(trace->writer, cpu, tracer_lost_on(trace->tracer, cpu));
}

static int poll_once(struct trace *trace, struct error *error)
{
	struct pollfd wake = {.fd = trace->program.has_ended ? -1 : trace->program.pidfd,
			      .events = POLLIN};
	poll(&wake, 1, DRAIN_EVERY_MS);
	drain(trace, false);
	uint64_t now = clock_now_ns();
	if (now - trace->notified_ns > NOTIFY_EVERY_NS)
		notify(trace, now);
	bool is_time = now - trace->written_ns >= WRITE_EVERY_NS;
	int code = trace_writer_write(trace->writer, is_time, error);
	if (code || !is_time)
		return code;
	trace->written_ns = now;
	return profile_commit(trace->profile, error);
}

static int run(struct trace *trace, struct error *error)
{
	int code = trace->options->arguments ? start_program(trace, error) :
					       attach_running(trace, error);

	if (code)
		return code;
	trace->started_ns = trace->written_ns = clock_now_ns();
	overhead_start(&trace->engine, NULL);
	if (trace->options->seconds > 0)
		trace->deadline_ns = trace->started_ns + (uint64_t)(trace->options->seconds * 1e9);
	while (!code && should_continue(trace))
		code = poll_once(trace, error);
	if (trace->tracer)
		tracer_stop(trace->tracer);
	if (trace->tracer)
		tracer_overhead(trace->tracer, &trace->cost);
	else
		overhead_end(&trace->engine, &trace->cost);
	attachment_free(take(&trace->attachment));
	trace->run.wall_ns = (trace->program.ended_ns ? trace->program.ended_ns : clock_now_ns()) -
			     trace->program.started_ns;
	drain(trace, true);
	return code;
}

/* After the recording the program runs on; a second Ctrl-C leaves it alone. */
static void wait_for_program(struct trace *trace)
{
	bool has_said = false, has_forwarded = false;

	while (trace->options->arguments && !program_poll(&trace->program) &&
	       interruption_count() < 2) {
		if (interruption_terminations() && !has_forwarded)
			syscall(SYS_pidfd_send_signal, trace->program.pidfd, SIGTERM, NULL, 0);
		has_forwarded = interruption_terminations();
		if (!has_said && !interruption_count() && !has_forwarded)
			trace->options->say(trace->options->context,
					    "recording is over; the program runs on (Ctrl-C to "
					    "end it)");
		has_said = true;
		struct pollfd wake = {.fd = trace->program.pidfd, .events = POLLIN};
		poll(&wake, 1, 100);
	}
}

/* ---- the end ---- */

static void add_note(char **note, const char *format, uint64_t count)
{
	if (!count)
		return;
	AUTO(text) char *before = *note;
	AUTO(text) char *sentence = text_format(format, (unsigned long long)count);
	*note = text_format("%s%s%s", before ? before : "", before ? "\n" : "", sentence);
}

#pragma GCC diagnostic push /* each format takes the one number that add_note has */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* Warnings for the reader of the report; NULL if there are none. To be freed. */
static char *make_warnings(const struct trace *trace, const struct tracer_counters *log,
			   const struct annotation_reader_counters *marks)
{
	char *note = NULL;

	if (trace->no_scheduler.code)
		note = text_format("there is no log of the scheduler: %s",
				   trace->no_scheduler.text);
	add_note(&note,
		 "%llu annotations were dropped because their thread's buffer was full: times of "
		 "spans near there may be wrong; a larger --buffer holds more",
		 marks->dropped - marks->overwritten);
	add_note(&note,
		 "%llu annotations were overwritten by newer ones before they were read; a larger "
		 "--buffer holds more",
		 marks->overwritten);
	add_note(&note, "%llu annotations are lost: more threads at a time than there are buffers",
		 marks->without_ring);
	add_note(&note, "%llu annotations are lost: more names than there is room for",
		 marks->without_name);
	add_note(&note, "%llu annotations were not finished when their thread was killed",
		 marks->unfinished);
	add_note(&note, "%llu annotations are damaged: the program wrote into their memory",
		 marks->malformed);
	add_note(&note, "%llu switches and wake-ups were lost: the scheduler's log was full",
		 log->lost);
	add_note(&note, "%llu events of threads or interrupts were lost", log->lost_events);
	return note;
}

#pragma GCC diagnostic pop

static int close_run(struct trace *trace, int code, struct error *error)
{
	const struct trace_writer_totals *totals = trace_writer_totals(trace->writer);
	struct recording_run *row = &trace->run;
	struct tracer_counters log;
	struct annotation_reader_counters marks;
	struct error later = {0};

	row->lost = lost_of(trace, &log, &marks);
	int failed = trace_writer_finish(trace->writer, &later);
	row->samples = totals->marks + totals->switches + totals->wakes + totals->interrupts +
		       totals->tasks - totals->discarded;
	row->exit_status = trace->program.has_ended ? trace->program.status : -1;
	row->finished = true;
	row->note = make_warnings(trace, &log, &marks);
	trace->result->status = row->exit_status;
	trace->cost.run_id = row->id;
	failed = failed ? failed : profile_update_run(trace->profile, row, &later);
	failed = failed ? failed : profile_set_overhead(trace->profile, &trace->cost, &later);
	failed = failed ? failed : profile_commit(trace->profile, &later);
	if (failed && !code)
		*error = later;
	return code ? code : failed;
}

static void tear_down(struct trace *trace)
{
	tracer_close(trace->tracer);
	program_release(&trace->program);
	trace_writer_free(trace->writer);
	attachment_free(trace->attachment);
	annotation_reader_close(trace->annotations);
	binaries_release(&trace->binaries);
	usdt_probes_free(trace->probes);
	profile_close(trace->profile);
	array_free(&trace->processes);
	free(trace->run.command);
	free(trace->run.note);
}

void trace_run(const struct trace_options *options, struct trace_result *result,
	       struct error *error)
{
	struct trace trace = {.options = options, .result = result};

	trace.program.go = trace.program.failure = trace.program.pidfd = -1;
	*result = (struct trace_result){.end = TRACE_FAILED, .status = -1};
	int code = set_up(&trace, error);
	if (!code)
		code = run(&trace, error);
	if (trace.started_ns) {
		wait_for_program(&trace);
		code = close_run(&trace, code, error);
		if (!code)
			result->end = trace.run.samples ? TRACE_DONE : TRACE_NOTHING;
	}
	tear_down(&trace);
}
