/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session - runs series of windows until it is time to stop, and leaves a complete profile whatever
 * happens.
 */
#include "experiment/session/session.h"

#include "base/clock.h"
#include "experiment/interruption.h"
#include "experiment/session/state.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SAMPLE_FOR_NS 50000000ull  /* while there is no target yet */
#define SAY_AFTER_NS 1000000000ull /* a program that ends by itself needs no message */

void session_prepare_signals(void)
{
	program_remember_signals();
}

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

	while (!code && session_program_runs(session) && !session_is_interrupted() &&
	       !session_is_over_time(session) && !session_is_precise_enough(session)) {
		bool has_plan =
			progress_points_visited(session->points) && session_plan(session, &plan);
		if (has_plan) {
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

/* After the last window the program runs on at full speed; a second Ctrl-C leaves it alone. */
static void wait_for_program(struct session *session)
{
	bool has_forwarded = false, has_said = false;
	uint64_t over_ns = clock_now_ns();

	session->over_ns = over_ns;
	collector_disarm(session->collector);
	while (session->options->arguments && session_program_runs(session) &&
	       interruption_count() < 2) {
		if (interruption_terminations() && !has_forwarded && !session->program.has_ended)
			syscall(SYS_pidfd_send_signal, session->program.pidfd, SIGTERM, NULL, 0);
		has_forwarded = has_forwarded || interruption_terminations();
		if (session->program.has_ended && session_is_interrupted())
			break; /* only processes that it left behind */
		if (!has_said && !session_is_interrupted() &&
		    clock_now_ns() - over_ns > SAY_AFTER_NS) {
			session->options->say(session->options->context,
					      "measuring is over; the program runs on without "
					      "pauses (Ctrl-C to end it)");
			has_said = true;
		}
		struct pollfd wake = {.fd = session->program.has_ended ? -1 :
									 session->program.pidfd,
				      .events = POLLIN};
		poll(&wake, 1, 100);
		collector_drain(session->collector, &session->handler);
	}
}

void session_run(const struct session_options *options, struct session_result *result,
		 struct error *error)
{
	struct session session = {.options = options, .result = result};

	session.program.go = session.program.failure = session.program.pidfd = -1;
	*result = (struct session_result){.end = SESSION_FAILED, .status = -1};
	int code = session_set_up(&session, error);
	if (!code && options->end_to_end)
		code = session_end_to_end(&session, error);
	else if (!code)
		code = options->arguments ? session_start_program(&session, error) :
					    session_start_beside(&session, error);
	if (session.started_ns) {
		if (!code && !options->end_to_end)
			code = run_windows(&session, error);
		wait_for_program(&session);
		if (!code && !session.experiments && !session_is_interrupted())
			code = session_check_names(&session, true, error);
		code = session_finish(&session, code, error);
		if (!code)
			result->end = session.experiments ? SESSION_ANSWERED : SESSION_NO_ANSWER;
	}
	session_tear_down(&session);
}
