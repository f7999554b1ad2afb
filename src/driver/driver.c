/* SPDX-License-Identifier: BSD-2-Clause */
/* driver - calls a verb's steps, and does between them what is the same for all verbs. */
#include "driver/driver.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "driver/interruption.h"
#include "driver/machine_name.h"
#include "driver/program_end.h"
#include "driver/source_commit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>

#define WRITE_EVERY_NS 1000000000ull
#define NOTIFY_EVERY_NS 500000000ull
#define WAIT_POLL_MS 100
#define SELECT_EVERY_NS 500000000ull
#define SELECTION_ROUNDS 3

void driver_prepare_signals(void)
{
	program_remember_signals();
}

static int step(driver_step *function, struct driver *driver, struct error *error)
{
	return function ? function(driver, error) : 0;
}

bool driver_time_is_up(const struct driver *driver)
{
	return driver->deadline_ns && clock_now_ns() >= driver->deadline_ns;
}

void driver_message(const struct driver *driver, const char *sentence)
{
	driver->options->message(driver->options->context, sentence);
}

double driver_elapsed_seconds(const struct driver *driver, uint64_t now_ns)
{
	return (double)(now_ns - driver->started_ns) / 1e9;
}

double driver_left_seconds(const struct driver *driver, uint64_t now_ns)
{
	return driver->deadline_ns ? ((double)driver->deadline_ns - (double)now_ns) / 1e9 : -1;
}

/* ---- start ---- */

static int not_started(struct driver *driver, int code)
{
	driver->result->end = DRIVER_NOT_STARTED;
	driver->result->exit_code = program_exec_status(code);
	return code;
}

static int start_program(struct driver *driver, struct error *error)
{
	const struct driver_verb *verb = driver->verb;
	const struct driver_options *options = driver->options;
	char *const *arguments = options->executed ? options->executed : options->arguments;
	AUTO(environment) struct environment environment = {0};

	if (verb->environment)
		verb->environment(driver, &environment);
	int code = program_prepare(&driver->program, arguments, environment_entries(&environment),
				   error);
	code = code ? code : step(verb->add_program, driver, error);
	if (!code && options->await_start)
		code = options->await_start(options->start_context, error);
	code = code ? code : step(verb->start, driver, error);
	if (code)
		return code;
	interruption_catch();
	code = program_start(&driver->program, arguments[0], error);
	return code ? not_started(driver, code) : 0;
}

/* ---- processes that run already ---- */

/* Calls add_running for those that are new. */
static int add_found(struct driver *driver, const struct process_selection *selection,
		     struct process_list *found, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < found->count && !code; i++) {
		struct error refused = {0};
		pid_t pid = found->items[i];
		if (process_list_has(&driver->running, pid))
			continue;
		code = driver->verb->add_running(driver, pid, &refused);
		if (code && process_selection_has_pid(selection, pid))
			error_set(error, code, "%s", refused.text);
		else
			code = 0;
	}
	return code;
}

static int add_running(struct driver *driver, const struct process_selection *selection,
		       bool *has_grown, struct error *error)
{
	struct process_list found = {0};
	int code = process_selection_find(selection, true, &found, error);

	code = code ? code : add_found(driver, selection, &found, error);
	*has_grown = false;
	for (size_t i = 0; i < found.count; i++)
		if (!process_list_has(&driver->running, found.items[i]))
			*has_grown = true;
	process_list_release(&driver->running);
	driver->running = found;
	driver->selected_ns = clock_now_ns();
	return code;
}

/* A process may fork before it is followed: its child is found in the next round. */
static int add_selected(struct driver *driver, struct error *error)
{
	const struct process_selection *selection = &driver->options->selection;
	bool has_grown = driver->verb->add_running;
	int code = 0;

	for (int round = 0; round < SELECTION_ROUNDS && has_grown && !code; round++)
		code = add_running(driver, selection, &has_grown, error);
	if (!code && driver->verb->add_running && selection->name_count &&
	    !selection->is_system_wide && !driver->running.count)
		return error_set(error, -ESRCH,
				 "no process with such a name runs; \"ps -e -o comm=\" lists "
				 "the names");
	return code;
}

static void refresh_selected(struct driver *driver)
{
	struct process_selection later = process_selection_later(&driver->options->selection);
	bool has_grown;

	if (driver->options->arguments || !driver->verb->add_running ||
	    !process_selection_is_open(&driver->options->selection) ||
	    clock_now_ns() - driver->selected_ns < SELECT_EVERY_NS)
		return;
	add_running(driver, &later, &has_grown, NULL);
}

static int attach(struct driver *driver, struct error *error)
{
	int code = step(driver->verb->attach, driver, error);

	code = code ? code : add_selected(driver, error);
	if (code) {
		driver->result->end = DRIVER_WRONG_USAGE;
		return code;
	}
	driver->program.started_ns = clock_now_ns();
	code = step(driver->verb->start, driver, error);
	if (!code)
		interruption_catch();
	return code;
}

int driver_start(struct driver *driver, struct error *error)
{
	bool has_program = driver->options->arguments;
	int code = has_program ? start_program(driver, error) : attach(driver, error);

	if (code || driver->started_ns)
		return code;
	driver->started_ns = driver->written_ns = clock_now_ns();
	driver->has_started = true;
	if (driver->options->seconds > 0)
		driver->deadline_ns =
			driver->started_ns + (uint64_t)(driver->options->seconds * 1e9);
	return 0;
}

/* ---- recording ---- */

static void end_program(struct driver *driver)
{
	if (!driver->program.has_ended)
		syscall(SYS_pidfd_send_signal, driver->program.pidfd, SIGTERM, NULL, 0);
}

static void pass_termination(struct driver *driver)
{
	if (!interruption_terminations() || driver->has_passed_termination)
		return;
	driver->has_passed_termination = true;
	end_program(driver);
}

static bool any_alive(struct driver *driver)
{
	return driver->verb->any_alive && driver->verb->any_alive(driver);
}

static bool should_continue(struct driver *driver)
{
	const struct driver_options *options = driver->options;

	if (driver->verb->lasts_to_program_end)
		return !program_poll(&driver->program) && interruption_count() < 2;
	if (interruption_terminations() || driver_time_is_up(driver))
		return false;
	if (!options->arguments)
		return !interruption_count() &&
		       (process_selection_is_open(&options->selection) || any_alive(driver));
	/* The first Ctrl-C goes to the program, too, which may end in its own way. */
	if (interruption_count() > 1)
		return false;
	return !program_poll(&driver->program) || (!interruption_count() && any_alive(driver));
}

static int poll_once(struct driver *driver, struct error *error)
{
	const struct driver_verb *verb = driver->verb;
	struct pollfd wake[2] = {
		{.fd = driver->descriptor, .events = POLLIN},
		{.fd = driver->program.has_ended ? -1 : driver->program.pidfd, .events = POLLIN},
	};
	poll(wake, 2, driver->poll_ms);
	if (verb->lasts_to_program_end)
		pass_termination(driver);
	int code = step(verb->poll, driver, error);
	refresh_selected(driver);
	uint64_t now = clock_now_ns();
	if (!code && verb->notify && now - driver->notified_ns > NOTIFY_EVERY_NS) {
		driver->notified_ns = now;
		verb->notify(driver, now);
	}
	if (code || !verb->write || now - driver->written_ns < WRITE_EVERY_NS)
		return code;
	driver->written_ns = now;
	code = verb->write(driver, error);
	return code ? code : profile_commit(driver->profile, error);
}

static int start_and_poll(struct driver *driver, struct error *error)
{
	int code = driver_start(driver, error);

	while (!code && should_continue(driver))
		code = poll_once(driver, error);
	return code;
}

/* ---- the end of a recording ---- */

static bool program_runs(struct driver *driver)
{
	const struct driver_verb *verb = driver->verb;

	if (verb->program_runs)
		return verb->program_runs(driver);
	return !program_poll(&driver->program) ||
	       (driver->options->then_stop && verb->any_alive && verb->any_alive(driver));
}

static void continue_to_end(struct driver *driver, struct program_end *end)
{
	struct process_list known = {0};

	if (driver->verb->list_processes)
		driver->verb->list_processes(driver, &known);
	if (program_end_continue(end, &driver->program, &known))
		driver_message(driver, "some of the program's processes run on 5 s after SIGTERM; "
				       "they are killed");
	process_list_release(&known);
}

/* The program runs on after the recording; a second Ctrl-C leaves it alone. */
static void wait_for_program(struct driver *driver)
{
	const struct driver_verb *verb = driver->verb;
	uint64_t over_ns = clock_now_ns();
	bool has_reported = driver->options->then_stop;
	struct program_end end = {0};

	while (driver->options->arguments && program_runs(driver) && interruption_count() < 2) {
		pass_termination(driver);
		if (driver->options->then_stop)
			continue_to_end(driver, &end);
		else if (driver->program.has_ended && interruption_any())
			break; /* processes that the program left behind */
		if (!has_reported && !interruption_any() &&
		    clock_now_ns() - over_ns >= verb->over_message_after_ns) {
			driver_message(driver, verb->over_message);
			has_reported = true;
		}
		struct pollfd wake = {.fd = driver->program.has_ended ? -1 : driver->program.pidfd,
				      .events = POLLIN};
		poll(&wake, 1, WAIT_POLL_MS);
		if (verb->idle)
			verb->idle(driver);
	}
	program_end_release(&end);
}

static void stop(struct driver *driver, struct error *error)
{
	struct program *program = &driver->program;
	struct error later = {0};
	int code = step(driver->verb->stop, driver, &later);

	if (code && !driver->code) {
		*error = later;
		driver->code = code;
	}
	driver->run.wall_ns =
		(program->ended_ns ? program->ended_ns : clock_now_ns()) - program->started_ns;
}

/* A recording that has failed is written, too, as far as it came. */
static int write_end(struct driver *driver, struct error *error)
{
	struct recording_run *run = &driver->run;

	run->exit_status = driver->program.has_ended ? driver->program.status : -1;
	run->finished = true;
	driver->result->status = run->exit_status;
	driver->overhead.run_id = run->id;
	int code = step(driver->verb->finish, driver, error);
	code = code ? code : profile_update_run(driver->profile, run, error);
	code = code ? code : profile_set_overhead(driver->profile, &driver->overhead, error);
	return code ? code : profile_commit(driver->profile, error);
}

static void finish(struct driver *driver, struct error *error)
{
	struct error later = {0};

	stop(driver, error);
	if (driver->verb->over_message)
		wait_for_program(driver);
	if (!driver->code)
		driver->code = step(driver->verb->verify, driver, error);
	int code = write_end(driver, &later);
	if (!code || driver->code)
		return;
	*error = later;
	driver->code = code;
}

/* ---- a recording ---- */

static int begin_run(struct driver *driver, struct error *error)
{
	static struct utsname host; /* these are borrowed by the run until its end */
	static char *machine, *commit;
	struct recording_run *run = &driver->run;

	uname(&host);
	run->kind = driver->verb->kind;
	if (driver->options->arguments)
		run->command = recording_command(driver->options->arguments);
	if (!machine)
		machine = machine_name();
	run->host = host.nodename;
	run->machine = machine;
	run->kernel = host.release;
	if (!commit && driver->options->arguments)
		commit = source_commit(driver->options->arguments[0]);
	run->commit = commit;
	run->version = (char *)(uintptr_t)driver->options->version;
	run->options = (char *)(uintptr_t)driver->options->words;
	run->started_s = time(NULL);
	run->exit_status = -1;
	if (driver->verb->describe)
		driver->verb->describe(driver);
	int code = profile_add_run(driver->profile, run, error);
	code = code ? code : step(driver->verb->begin, driver, error);
	return code ? code : profile_commit(driver->profile, error);
}

int driver_record(struct driver *driver, struct error *error)
{
	const struct driver_verb *verb = driver->verb;

	driver->run = (struct recording_run){0};
	driver->overhead = (struct recording_overhead){0};
	driver->program = (struct program){.go = -1, .failure = -1, .pidfd = -1};
	driver->started_ns = driver->deadline_ns = driver->notified_ns = 0;
	driver->code = step(verb->prepare, driver, error);
	driver->code = driver->code ? driver->code : begin_run(driver, error);
	if (!driver->code)
		driver->code = (verb->record ? verb->record : start_and_poll)(driver, error);
	if (driver->started_ns)
		finish(driver, error);
	else if (driver->run.id)
		profile_remove_run(driver->profile, driver->run.id, NULL);
	if (verb->end)
		verb->end(driver);
	program_release(&driver->program);
	process_list_release(&driver->running);
	free(driver->run.command);
	free(driver->run.note);
	return driver->code;
}

/* ---- all of it ---- */

static int check(struct driver *driver, struct error *error)
{
	int code = step(driver->verb->check, driver, error);

	if (code)
		driver->result->end = DRIVER_WRONG_USAGE;
	return code;
}

/* Before anything is opened, so that a wrong name leaves nothing behind. */
static int find_program(struct driver *driver, struct error *error)
{
	int code = 0;

	if (!driver->options->arguments)
		return 0;
	driver->program_path = program_find(driver->options->arguments[0], &code, error);
	return driver->program_path ? 0 : not_started(driver, code);
}

void driver_run(struct driver *driver, const struct driver_verb *verb,
		const struct driver_options *options, struct driver_result *result,
		struct error *error)
{
	driver->verb = verb;
	driver->options = options;
	driver->result = result;
	driver->descriptor = -1;
	*result = (struct driver_result){.end = DRIVER_FAILED, .status = -1};
	int code = check(driver, error);
	code = code ? code : find_program(driver, error);
	code = code ? code : step(verb->open, driver, error);
	code = code ? code :
		      profile_create(options->output, options->fresh, &driver->profile, error);
	code = code ? code : (verb->sequence ? verb->sequence : driver_record)(driver, error);
	if (!code) {
		bool has_answer = verb->has_answer ? verb->has_answer(driver) : driver->run.samples;
		result->end = has_answer ? DRIVER_ANSWERED : DRIVER_NO_ANSWER;
	}
	if (verb->close)
		verb->close(driver);
	if (code && !driver->has_started)
		profile_undo(driver->profile);
	else
		profile_close(driver->profile);
	free(driver->program_path);
}
