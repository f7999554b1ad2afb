/* SPDX-License-Identifier: BSD-2-Clause */
/* trace - a tracer and an annotation reader, whose rings are drained into a trace writer. */
#include "trace/trace.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "collect/bpf/overhead.h"
#include "collect/trace/attachment.h"
#include "driver/live_processes.h"
#include "trace/trace_writer.h"
#include "trace/usdt_probes.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#define POLL_MS 10
#define ANNOTATION_BYTES 16

struct trace {
	struct driver driver;
	const struct trace_options *options;
	struct tracer *tracer;     /* NULL: no scheduler's log */
	struct error no_scheduler; /* why there is none */
	struct annotation_reader *annotations;
	struct attachment *attachment; /* NULL: to no running process */
	struct trace_writer *writer;
	struct binaries binaries; /* of the program, as far as known before it runs */
	struct usdt_probes *probes;
	struct live_processes processes;
	struct overhead overhead; /* of lever itself, without a tracer */
	struct tracer_handler on_log;
	struct annotation_handler on_marks;
};

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

static struct trace *trace_of(struct driver *driver)
{
	return (struct trace *)driver;
}

/* ---- events ---- */

static void on_task(void *context, const struct scheduler_task_event *event)
{
	struct trace *trace = context;

	trace_writer_on_task(trace->writer, event);
	if (event->kind == SCHEDULER_EVENT_FORK && event->tid == event->tgid)
		live_processes_add(&trace->processes, (pid_t)event->tgid);
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

static void on_message(void *context, const struct scheduler_message_event *event)
{
	trace_writer_on_message(((struct trace *)context)->writer, event);
}

static void on_marks(void *context, const struct annotation_batch *batch)
{
	trace_writer_on_marks(((struct trace *)context)->writer, batch);
}

/* ---- setting up ---- */

static int check(struct driver *driver, struct error *error)
{
	struct trace *trace = trace_of(driver);
	int code = 0;

	trace->probes = usdt_probes_new();
	for (size_t i = 0; i < trace->options->probe_count && !code; i++)
		code = usdt_probes_add(trace->probes, trace->options->probes[i], error);
	return code;
}

/* The binaries that --usdt and --trace-marker search. */
static void find_binaries(struct trace *trace, const char *executable)
{
	const struct process_selection *selection = &trace->driver.options->selection;
	struct process_list running = {0};

	if (executable)
		binaries_add_program(&trace->binaries, executable);
	else if (!selection->is_system_wide)
		process_selection_find(selection, true, &running, NULL);
	for (size_t i = 0; i < running.count; i++)
		binaries_add_process(&trace->binaries, running.items[i]);
	process_list_release(&running);
}

static bool wants_texts(const struct trace *trace)
{
	switch (trace->options->texts) {
	case TRACE_TEXTS_AUTO:
		return binaries_contain(&trace->binaries, "trace_marker") ||
		       (trace->driver.options->arguments &&
			binaries_script_contains(trace->driver.options->arguments, "trace_marker"));
	case TRACE_TEXTS_ON:
		return true;
	case TRACE_TEXTS_OFF:
		break;
	}
	return false;
}

static int open_tracer(struct trace *trace, struct error *error)
{
	const struct trace_options *options = trace->options;
	const struct driver_options *common = trace->driver.options;
	struct tracer_options tracer = {
		.is_system_wide = common->selection.is_system_wide,
		.wants_interrupts = options->wants_interrupts,
		.wants_texts = wants_texts(trace),
		.wants_messages = options->wants_messages,
		.verbose = common->verbose,
	};
	if (options->scheduler == TRACE_SCHEDULER_OFF)
		return 0;
	int code = tracer_open(&tracer, &trace->tracer, &trace->no_scheduler);
	if (!code)
		return usdt_probes_attach(trace->probes, &trace->binaries, trace->tracer, error);
	if (options->scheduler == TRACE_SCHEDULER_ON || !common->arguments ||
	    options->probe_count || options->texts == TRACE_TEXTS_ON) {
		*error = trace->no_scheduler;
		return code;
	}
	AUTO(text)
	char *sentence = text_format("no log of the scheduler, annotations only: %s",
				     trace->no_scheduler.text);
	driver_message(&trace->driver, sentence);
	return 0;
}

static int open_all(struct driver *driver, struct error *error)
{
	struct trace *trace = trace_of(driver);
	const struct trace_options *options = trace->options;
	int code = annotation_reader_open(options->ring_bytes / ANNOTATION_BYTES,
					  options->flight_seconds > 0, &trace->annotations, error);

	find_binaries(trace, driver->program_path);
	return code ? code : open_tracer(trace, error);
}

static void describe(struct driver *driver)
{
	driver->run.engine = trace_of(driver)->tracer ? (char *)"kernel" : (char *)"annotations";
}

static int begin(struct driver *driver, struct error *error)
{
	struct trace *trace = trace_of(driver);

	(void)error;
	trace->writer = trace_writer_new(driver->profile, driver->run.id,
					 (uint64_t)(trace->options->flight_seconds * 1e9),
					 trace->annotations);
	trace->on_log = (struct tracer_handler){.context = trace,
						.scheduler = on_scheduler,
						.task = on_task,
						.interrupt = on_interrupt,
						.text = on_text,
						.probe = on_probe,
						.message = on_message};
	trace->on_marks = (struct annotation_handler){.context = trace, .batch = on_marks};
	return 0;
}

/* ---- starting ---- */

static void set_environment(struct driver *driver, struct environment *environment)
{
	struct trace *trace = trace_of(driver);

	environment_add(environment, "LEVER_LISTEN=2");
	environment_add(environment, annotation_reader_environment(trace->annotations));
	environment_add_default(environment, "NVTX_INJECTION64_PATH", trace->options->nvtx_library);
	environment_add_default(environment, "OMP_TOOL_LIBRARIES", trace->options->ompt_library);
}

static int add_program(struct driver *driver, struct error *error)
{
	struct trace *trace = trace_of(driver);

	(void)error;
	live_processes_add(&trace->processes, driver->program.pid);
	if (trace->tracer)
		tracer_add_process(trace->tracer, driver->program.pid);
	return 0;
}

static void attach(struct trace *trace, pid_t pid)
{
	static const char *const reasons[] = {
		[ATTACHMENT_BUSY] = "another lever trace records them",
		[ATTACHMENT_FULL] = "too many processes are traced already; trace fewer",
		[ATTACHMENT_CONFLICT] = "its names contradict those of another process; trace it "
					"alone",
	};

	if (!trace->attachment)
		trace->attachment = attachment_new(trace->annotations);
	const char *reason = reasons[attachment_add(trace->attachment, pid)];
	if (!reason)
		return;
	AUTO(text)
	char *sentence =
		text_format("annotations of process %d are left out: %s", (int)pid, reason);
	driver_message(&trace->driver, sentence);
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

static int add_running(struct driver *driver, pid_t pid, struct error *error)
{
	struct trace *trace = trace_of(driver);
	AUTO(text) char *path = text_format("/proc/%d/task", (int)pid);
	AUTO(folder) DIR *folder = opendir(path);

	if (!folder)
		return error_set(error, -ESRCH, "there is no process %d; \"ps -e\" lists them",
				 (int)pid);
	live_processes_add(&trace->processes, pid);
	attach(trace, pid);
	tracer_add_process(trace->tracer, pid);
	for (struct dirent *entry; (entry = readdir(folder));)
		if (entry->d_name[0] != '.')
			trace_writer_name_task(trace->writer, (unsigned)pid,
					       (unsigned)strtoul(entry->d_name, NULL, 10));
	return 0;
}

static int attach_system(struct driver *driver, struct error *error)
{
	struct trace *trace = trace_of(driver);

	(void)error;
	if (driver->options->selection.is_system_wide)
		attach_all(trace);
	return 0;
}

static int start(struct driver *driver, struct error *error)
{
	struct trace *trace = trace_of(driver);

	(void)error;
	if (trace->tracer)
		tracer_start(trace->tracer);
	else
		overhead_start(&trace->overhead, NULL);
	return 0;
}

/* ---- recording ---- */

static bool any_alive(struct driver *driver)
{
	return live_processes_any(&trace_of(driver)->processes);
}

static void list_processes(struct driver *driver, struct process_list *list)
{
	live_processes_list(&trace_of(driver)->processes, list);
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

static void notify(struct driver *driver, uint64_t now_ns)
{
	struct trace *trace = trace_of(driver);
	struct tracer_counters log;
	struct annotation_reader_counters marks;
	struct trace_status status = {
		.elapsed_seconds = driver_elapsed_seconds(driver, now_ns),
		.left_seconds = driver_left_seconds(driver, now_ns),
		.marks = trace_writer_totals(trace->writer)->marks,
		.switches = trace_writer_totals(trace->writer)->switches,
		.lost = lost_of(trace, &log, &marks),
	};

	trace->options->notify(trace->options->context, &status);
}

static void drain(struct trace *trace, bool is_last)
{
	annotation_reader_drain(trace->annotations, is_last, &trace->on_marks);
	if (!trace->tracer)
		return;
	tracer_drain(trace->tracer, &trace->on_log);
	for (unsigned cpu = 0; cpu < SCHEDULER_RINGS_MOST; cpu++)
		trace_writer_set_lost(trace->writer, cpu, tracer_lost_on(trace->tracer, cpu));
}

static int poll_rings(struct driver *driver, struct error *error)
{
	struct trace *trace = trace_of(driver);

	drain(trace, false);
	return trace_writer_write(trace->writer, false, error);
}

static int write_tracks(struct driver *driver, struct error *error)
{
	return trace_writer_write(trace_of(driver)->writer, true, error);
}

/* ---- the end ---- */

static int stop(struct driver *driver, struct error *error)
{
	struct trace *trace = trace_of(driver);

	(void)error;
	if (trace->tracer) {
		tracer_stop(trace->tracer);
		tracer_overhead(trace->tracer, &driver->overhead);
	} else {
		overhead_end(&trace->overhead, &driver->overhead);
	}
	attachment_free(take(&trace->attachment));
	drain(trace, true);
	return 0;
}

static void add_counted(char **warnings, uint64_t count, const char *sentence)
{
	if (count)
		text_add_line(warnings,
			      text_format("%llu %s", (unsigned long long)count, sentence));
}

static void add_lost_marks(char **warnings, const struct annotation_reader_counters *marks)
{
	const struct {
		uint64_t count;
		const char *sentence;
	} losses[] = {
		{marks->dropped - marks->overwritten,
		 "annotations were dropped because their thread's buffer was full: times of spans "
		 "near there may be wrong; a larger --buffer holds more"},
		{marks->overwritten,
		 "annotations were overwritten by newer ones before they were read; a larger "
		 "--buffer holds more"},
		{marks->without_ring,
		 "annotations are lost: more threads at a time than there are buffers; record "
		 "fewer processes"},
		{marks->without_name,
		 "annotations are lost: more names than there is room for; put what varies into "
		 "values"},
		{marks->unfinished, "annotations were not finished when their thread was killed"},
		{marks->malformed, "annotations are damaged: the program wrote into their memory"},
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(*losses); i++)
		add_counted(warnings, losses[i].count, losses[i].sentence);
}

/* Warnings for the reader of the report; NULL if there are none. To be freed. */
static char *warnings_of(const struct trace *trace, const struct tracer_counters *log,
			 const struct annotation_reader_counters *marks)
{
	char *warnings = NULL;

	if (trace->no_scheduler.code)
		text_add_line(&warnings, text_format("there is no log of the scheduler: %s",
						     trace->no_scheduler.text));
	if (trace->options->wants_messages && trace->tracer && !tracer_has_messages(trace->tracer))
		text_add_line(&warnings,
			      text_copy("there are no messages between hosts: this kernel does not "
					"tell them; Linux 6.3 and later do"));
	add_lost_marks(&warnings, marks);
	add_counted(&warnings, trace_writer_totals(trace->writer)->other_names,
		    "annotations are called \"(other names)\": more names than there is room for; "
		    "put what varies into values");
	add_counted(&warnings, log->lost,
		    "switches and wake-ups were lost: the scheduler's log was full; record fewer "
		    "processes");
	add_counted(&warnings, log->lost_events,
		    "events of threads or interrupts were lost; record fewer processes");
	return warnings;
}

static int finish(struct driver *driver, struct error *error)
{
	struct trace *trace = trace_of(driver);
	const struct trace_writer_totals *totals = trace_writer_totals(trace->writer);
	struct tracer_counters log;
	struct annotation_reader_counters marks;
	int code = trace_writer_finish(trace->writer, error);

	driver->run.lost = lost_of(trace, &log, &marks);
	driver->run.samples = totals->marks + totals->switches + totals->wakes +
			      totals->interrupts + totals->tasks - totals->discarded;
	driver->run.note = warnings_of(trace, &log, &marks);
	return code;
}

static void release(struct driver *driver)
{
	struct trace *trace = trace_of(driver);

	tracer_close(trace->tracer);
	trace_writer_free(trace->writer);
	attachment_free(trace->attachment);
	annotation_reader_close(trace->annotations);
	binaries_release(&trace->binaries);
	usdt_probes_free(trace->probes);
	live_processes_release(&trace->processes);
}

static const struct driver_verb trace_verb = {
	.kind = RUN_TIMELINE,
	.over_message = "recording is over; the program runs on (Ctrl-C to end it)",
	.check = check,
	.open = open_all,
	.describe = describe,
	.begin = begin,
	.environment = set_environment,
	.add_program = add_program,
	.attach = attach_system,
	.add_running = add_running,
	.start = start,
	.any_alive = any_alive,
	.list_processes = list_processes,
	.poll = poll_rings,
	.write = write_tracks,
	.notify = notify,
	.stop = stop,
	.finish = finish,
	.close = release,
};

void trace_run(const struct trace_options *options, const struct driver_options *driver,
	       struct driver_result *result, struct error *error)
{
	struct trace trace = {.driver.poll_ms = POLL_MS, .options = options};

	driver_run(&trace.driver, &trace_verb, driver, result, error);
}
