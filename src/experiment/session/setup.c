/* SPDX-License-Identifier: BSD-2-Clause */
/* setup - the driver's steps until the program runs. */
#include "experiment/session/state.h"

#include "base/cleanup.h"
#include "collect/bpf/overhead.h"
#include "experiment/session/processes.h"
#include "experiment/target/process_names.h"
#include "symbolize/parser/start.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_FIRST_NS 82000000ull

static void on_sample(void *context, const struct wire_sample *sample)
{
	sampled_code_on_sample(((struct session *)context)->code, sample);
	session_set_finder_on_sample(context, sample);
	session_cycle_on_sample(context, sample);
}

static void on_callers(void *context, const struct kernel_callers *callers)
{
	sampled_code_on_callers(((struct session *)context)->code, callers);
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	sampled_code_on_object(((struct session *)context)->code, event);
}

static void on_far_file(void *context, const struct collector_far_file *file)
{
	sampled_code_on_far_file(((struct session *)context)->code, file);
}

static void on_python_code(void *context, const struct wire_python_code *event, size_t bytes)
{
	sampled_code_on_python_code(((struct session *)context)->code, event, bytes);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	struct session *session = context;
	struct process_names *names = sampled_code_lookup(session->code)->process_names;

	if (names)
		process_names_on_process(names, event);
	session_processes_on_process(session, event);
}

static void on_name(void *context, const struct kernel_name_event *event)
{
	session_processes_on_name(context, event);
}

static void open_symbols(struct session *session)
{
	const char *program = session->driver.program_path;
	uint32_t object;

	session->symbols = symbols_start(session->options->granularity, session->options->scope);
	overhead_count_process(symbols_process(session->symbols));
	if (!program)
		return;
	AUTO(text) char *real = *program == '/' ? NULL : realpath(program, NULL);
	/* A script is no object: what it runs is announced later. */
	symbols_add_object(session->symbols, real ? real : program, NULL, true, &object, NULL);
}

int session_open(struct driver *driver, struct error *error)
{
	struct session *session = session_of(driver);
	const struct session_options *options = session->options;
	struct collector_options collector = {.engine = options->engine,
					      .runtime_library = options->runtime_library,
					      .period_ns = options->period_ns,
					      .counts_waits = options->off_cpu,
					      .group = options->group,
					      .verbose = driver->options->verbose};

	open_symbols(session);
	int code = collector_open(&collector, &session->collector, error);
	if (!code && driver->program_path)
		code = collector_check_program(session->collector, driver->program_path, error);
	if (code)
		return code;
	session->is_pool = options->pool == SESSION_POOL ||
			   (options->pool == SESSION_POOL_IF_POSSIBLE &&
			    !strcmp(collector_engine(session->collector), "kernel"));
	session->code = sampled_code_new(session->symbols, session->collector);
	if (!options->group)
		sampled_code_lookup(session->code)->process_names =
			process_names_new(session->symbols);
	session->points = progress_points_new(session->collector, session->code, session->symbols);
	session->handler = (struct collector_handler){.context = session,
						      .sample = on_sample,
						      .callers = on_callers,
						      .object = on_object,
						      .far_file = on_far_file,
						      .process = on_process,
						      .python_code = on_python_code,
						      .name = on_name};
	code = session_processes_open(session, error);
	code = code ? code : session_enable_target_kinds(session, error);
	if (!driver->options->arguments)
		code = code ? code : session_processes_follow(session, error);
	return code ? code : session_resolve_names(session, error);
}

void session_describe(struct driver *driver)
{
	struct session *session = session_of(driver);
	const struct collector_facts *facts = collector_facts(session->collector);
	struct recording_run *run = &driver->run;

	if (!driver->options->arguments)
		run->command = session_processes_command(session);
	run->engine = (char *)(uintptr_t)collector_engine(session->collector);
	const char *kinds = session->is_pool ? RECORDING_GRANULARITY_ALL :
					       target_kind_name(session->options->granularity);
	run->granularity = (char *)(uintptr_t)kinds;
	run->seed = session->options->seed;
	run->period_ns = facts->period_ns;
	run->interrupt_share = facts->interrupt_share;
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

int session_begin(struct driver *driver, struct error *error)
{
	struct session *session = session_of(driver);
	const struct session_options *options = session->options;

	session->profile = driver->profile;
	session->schedule = schedule_new(options->seed, options->speedups, options->speedup_count);
	collector_charge_ticks(session->collector, schedule_has_speedups(session->schedule));
	session->live_estimate = live_estimate_new();
	session->window_ns = options->window_ns ? options->window_ns : WINDOW_FIRST_NS;
	int code = sampled_code_update_scope(session->code, error);
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

void session_environment(struct driver *driver, struct environment *environment)
{
	struct session *session = session_of(driver);
	const char *const *entries = collector_environment(session->collector);

	environment_add(environment,
			session->listens_to_spans ? "LEVER_LISTEN=5" : "LEVER_LISTEN=1");
	if (wants_points_library(session))
		environment_preload(environment, session->options->points_library);
	for (; *entries; entries++)
		environment_add(environment, *entries);
}

int session_add_program(struct driver *driver, struct error *error)
{
	return collector_add_task(session_of(driver)->collector, driver->program.pidfd, error);
}

int session_start(struct driver *driver, struct error *error)
{
	struct session *session = session_of(driver);

	(void)error;
	if (!driver->started_ns) /* not again with --end-to-end */
		overhead_start(&session->overhead, NULL);
	collector_start(session->collector);
	return 0;
}
