/* SPDX-License-Identifier: BSD-2-Clause */
/* session - runs series of windows until it is time to stop. */
#include "experiment/session/session.h"
#include "experiment/session/drain.h"

#include "base/clock.h"
#include "driver/interruption.h"
#include "experiment/session/state.h"
#include "experiment/session/waiting.h"

#include <errno.h>

#define SAMPLE_FOR_NS 50000000ull           /* while there is no target yet */
#define OVER_MESSAGE_AFTER_NS 1000000000ull /* most programs end by themselves before */

/* Time without a window: samples come in, from which targets are drawn. */
static int sample_only(struct session *session, struct error *error)
{
	session_wait(session, SAMPLE_FOR_NS);
	return session_update(session, error);
}

static int run_windows(struct session *session, struct error *error)
{
	struct schedule_plan plan;
	int code = 0;

	while (!code && session_program_runs(session) && !interruption_any() &&
	       !driver_time_is_up(&session->driver) && !session_is_precise_enough(session)) {
		if (!session_may_pause(session)) {
			code = sample_only(session, error);
			continue;
		}
		session_find_points(session);
		code = session_find_sets(session, error);
		if (code)
			break;
		bool has_plan =
			progress_points_visited(session->points) && session_plan(session, &plan);
		if (has_plan) {
			session_begin_sets(session);
			code = session_run_series(session, &plan, error);
		} else {
			code = sample_only(session, error);
			code = code ? code : session_check_names(session, false, error);
		}
		if (code == -EAGAIN)
			code = 0;
	}
	return code;
}

static int record(struct driver *driver, struct error *error)
{
	struct session *session = session_of(driver);

	if (session->options->end_to_end)
		return session_end_to_end(session, error);
	int code = driver_start(driver, error);
	code = code ? code : session_warm_up(session, error);
	return code ? code : run_windows(session, error);
}

static int stop(struct driver *driver, struct error *error)
{
	struct session *session = session_of(driver);

	(void)error;
	session->over_ns = clock_now_ns();
	collector_disarm(session->collector);
	return 0;
}

static bool program_runs(struct driver *driver)
{
	return session_program_runs(session_of(driver));
}

static void list_processes(struct driver *driver, struct process_list *list)
{
	session_processes_list(session_of(driver), list);
}

static void idle(struct driver *driver)
{
	struct session *session = session_of(driver);

	session_drain(session);
}

static int verify(struct driver *driver, struct error *error)
{
	struct session *session = session_of(driver);

	int code = session->experiments || interruption_any() ?
			   0 :
			   session_check_names(session, true, error);

	return code ? code : session_check_sets(session, error);
}

static bool has_answer(const struct driver *driver)
{
	return ((const struct session *)driver)->experiments;
}

static const struct driver_verb session_verb = {
	.kind = RUN_CAUSAL,
	.over_message = "measuring is over; the program runs on without pauses (Ctrl-C to end it)",
	.over_message_after_ns = OVER_MESSAGE_AFTER_NS,
	.open = session_open,
	.describe = session_describe,
	.begin = session_begin,
	.record = record,
	.environment = session_environment,
	.add_program = session_add_program,
	.start = session_start,
	.stop = stop,
	.program_runs = program_runs,
	.list_processes = list_processes,
	.idle = idle,
	.verify = verify,
	.finish = session_finish,
	.has_answer = has_answer,
	.close = session_close,
};

void session_run(const struct session_options *options, const struct driver_options *driver,
		 struct driver_result *result, struct error *error)
{
	struct session session = {.options = options,
				  .slowdown_limit.most = options->slowdown_most};

	driver_run(&session.driver, &session_verb, driver, result, error);
}
