/* SPDX-License-Identifier: BSD-2-Clause */
/* setup - opens everything that a session needs, and starts the program or joins processes. */
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "experiment/interruption.h"
#include "experiment/session/processes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define WINDOW_FIRST_NS 82000000ull
#define ENVIRONMENT_MOST 4 /* entries that an engine may want */

static void on_sample(void *context, const struct wire_sample *sample)
{
	sampled_code_on_sample(((struct session *)context)->code, sample);
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	sampled_code_on_object(((struct session *)context)->code, event);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	session_processes_on_process(context, event);
}

static void on_name(void *context, const struct kernel_name_event *event)
{
	session_processes_on_name(context, event);
}

static int open_symbols(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	uint32_t object;
	int code = 0;

	session->symbols = symbols_new(options->granularity, options->scope);
	if (!options->arguments)
		return 0;
	session->program_path = program_find(options->arguments[0], &code, error);
	if (!session->program_path) {
		session->result->end = SESSION_NOT_STARTED;
		session->result->exit_code = program_exec_status(code);
		return code;
	}
	AUTO(text) char *real = realpath(session->program_path, NULL);
	/* A script is no object: what it runs is announced later. */
	symbols_add_object(session->symbols, real ? real : session->program_path, NULL, true,
			   &object, NULL);
	return 0;
}

static int begin_run(struct session *session, struct error *error)
{
	static struct utsname host; /* borrowed by the run until its end */
	const struct collector_facts *facts = collector_facts(session->collector);
	struct recording_run *run = &session->run;

	uname(&host);
	run->command = session->options->arguments ?
			       recording_command(session->options->arguments) :
			       session_processes_command(session);
	run->engine = (char *)(uintptr_t)collector_engine(session->collector);
	run->host = host.nodename;
	run->kernel = host.release;
	run->version = (char *)(uintptr_t)session->options->version;
	run->granularity = (char *)(uintptr_t)target_kind_name(session->options->granularity);
	run->started_s = time(NULL);
	run->seed = session->options->seed;
	run->period_ns = facts->period_ns;
	run->interrupt_share = facts->interrupt_share;
	run->exit_status = -1;
	int code = profile_add_run(session->profile, run, error);
	return code ? code : profile_commit(session->profile, error);
}

static void report_calibration(const struct session *session)
{
	const struct session_observer *observer = session->options->observer;
	const struct collector_facts *facts = collector_facts(session->collector);
	struct session_calibration calibration = {
		.engine = collector_engine(session->collector),
		.period_ns = facts->period_ns,
		.shortest_period_ns = facts->shortest_period_ns,
		.tick_ns = facts->tick_ns,
		.window_ns = session->window_ns,
		.cpus = facts->cpus,
		.seed = session->options->seed,
	};

	if (observer)
		observer->calibrated(observer->context, &calibration);
}

int session_set_up(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	struct collector_options collector = {.engine = options->engine,
					      .runtime_library = options->runtime_library,
					      .period_ns = options->period_ns,
					      .counts_waits = options->off_cpu,
					      .verbose = options->verbose};
	int code = open_symbols(session, error);

	code = code ? code : collector_open(&collector, &session->collector, error);
	if (!code && session->program_path)
		code = collector_check_program(session->collector, session->program_path, error);
	if (code)
		return code;
	session->code = sampled_code_new(session->symbols, session->collector);
	session->points = progress_points_new(session->collector, session->code, session->symbols);
	code = session_processes_open(session, error);
	code = code ? code : session_enable_target_kinds(session, error);
	if (!options->arguments)
		code = code ? code : session_processes_follow(session, error);
	code = code ? code : session_resolve_names(session, error);
	code = code ? code :
		      profile_create(options->output, options->fresh, &session->profile, error);
	code = code ? code : begin_run(session, error);
	code = code ? code : sampled_code_update_scope(session->code, error);
	session->schedule = schedule_new(options->seed, options->speedups, options->speedup_count);
	collector_charge_ticks(session->collector, schedule_has_speedups(session->schedule));
	session->live_estimate = live_estimate_new();
	session->window_ns = options->window_ns ? options->window_ns : WINDOW_FIRST_NS;
	session->handler = (struct collector_handler){.context = session,
						      .sample = on_sample,
						      .object = on_object,
						      .process = on_process,
						      .name = on_name};
	if (!code)
		report_calibration(session);
	return code;
}

static bool wants_points_library(struct session *session)
{
	/* The runtime engine's library serves coz.h, too. */
	if (!session->options->points_library ||
	    strcmp(collector_engine(session->collector), "kernel"))
		return false;
	for (uint32_t i = 0; i < symbols_object_count(session->symbols); i++)
		if (symbols_references(session->symbols, i, "_coz_get_counter"))
			return true;
	return false;
}

static void begin_time(struct session *session)
{
	if (session->started_ns)
		return; /* not the first run */
	session->started_ns = clock_now_ns();
	overhead_start(&session->overhead, NULL);
	if (session->options->seconds > 0)
		session->deadline_ns =
			session->started_ns + (uint64_t)(session->options->seconds * 1e9);
}

int session_start_program(struct session *session, struct error *error)
{
	const struct session_options *options = session->options;
	const char *environment[ENVIRONMENT_MOST + 3] = {
		session->listens_to_spans ? "LEVER_LISTEN=5" : "LEVER_LISTEN=1"};
	const char *const *of_engine = collector_environment(session->collector);
	AUTO(text) char *preload = NULL;

	if (wants_points_library(session)) {
		const char *old = getenv("LD_PRELOAD");
		preload = text_format("LD_PRELOAD=%s%s%s", options->points_library,
				      old && *old ? ":" : "", old ? old : "");
		environment[1] = preload;
	}
	for (size_t i = 0; of_engine[i] && i < ENVIRONMENT_MOST; i++)
		environment[(preload ? 2 : 1) + i] = of_engine[i];
	int code = program_prepare(&session->program, options->arguments, environment, error);
	code = code ? code : collector_add_task(session->collector, session->program.pidfd, error);
	code = code ? code : collector_start(session->collector, error);
	if (code)
		return code;
	interruption_catch();
	code = program_start(&session->program, options->arguments[0], error);
	if (code) {
		session->result->end = SESSION_NOT_STARTED;
		session->result->exit_code = program_exec_status(code);
		return code;
	}
	begin_time(session);
	return 0;
}

/* Processes that run already. */
int session_start_beside(struct session *session, struct error *error)
{
	int code = collector_start(session->collector, error);

	if (code)
		return code;
	interruption_catch();
	session->program.started_ns = clock_now_ns();
	begin_time(session);
	return 0;
}
