/* SPDX-License-Identifier: BSD-2-Clause */
/* waiting - waits while the engine goes on, and finds out whether to rest or to end. */
#include "experiment/session/waiting.h"

#include "base/clock.h"
#include "driver/interruption.h"
#include "experiment/session/drain.h"
#include "experiment/session/state.h"

#include <errno.h>
#include <poll.h>

#define SLICE_NS 100000000ull    /* heartbeats are at least this often */
#define JIT_SLICE_NS 20000000ull /* code that is compiled during a window is charged from then on */
#define WARM_UP_SLICE_NS 20000000ull
#define CHECK_EVERY_NS 500000000ull /* an estimate takes time that the program could have */
#define EXPERIMENTS_LEAST 8
#define SERIES_LONGEST 1.3 /* windows: one with its lead-in, at the longest draw */
#define FIRST_PLACES 3     /* what the report says first */

bool session_wait(struct session *session, uint64_t duration_ns)
{
	uint64_t end = clock_now_ns() + duration_ns;

	for (;;) {
		uint64_t now = clock_now_ns();
		collector_heartbeat(session->collector);
		session_stops_look(session, now);
		if (interruption_any() || !session_program_runs(session))
			return false;
		if (now >= end)
			return true;
		uint64_t longest = sampled_code_follow_jit(session->code) ? JIT_SLICE_NS : SLICE_NS;
		uint64_t slice = end - now < longest ? end - now : longest;
		struct timespec timeout = {.tv_nsec = (long)slice};
		struct pollfd wake[2] = {
			{.fd = collector_descriptor(session->collector), .events = POLLIN},
			{.fd = session->driver.program.has_ended ? -1 :
								   session->driver.program.pidfd,
			 .events = POLLIN},
		};
		if (ppoll(wake, 2, &timeout, NULL) > 0 && wake[0].revents)
			session_drain(session);
	}
}

void session_leave_out(struct session *session, bool is_left_out)
{
	struct session_found_points *points = &session->found_points;
	struct collector_counters counters;

	session_drain(session);
	sampled_code_set_disturbed(session->code, is_left_out);
	collector_counters(session->collector, &counters);
	/* Modulo 2^64: what stood at the beginning is taken away first. */
	points->disturbed_ns += is_left_out ? -counters.time_ns : counters.time_ns;
	points->disturbed_sampled_ns += is_left_out ? -counters.sampled_ns : counters.sampled_ns;
}

static int refuse_unvisited(struct session *session, struct error *error)
{
	const char *missing = progress_points_await_missing(session->points);

	error_set(error, -ENODATA,
		  "--after %s: it was not visited before the program ended, so no experiment was "
		  "made%s%s",
		  session->options->after_point->text, missing ? "; " : "", missing ? missing : "");
	session->driver.result->end = DRIVER_NO_ANSWER;
	driver_message(&session->driver, error->text);
	return error->code;
}

static bool has_warmed_up(const struct session *session, uint64_t begin_ns)
{
	return clock_now_ns() >= begin_ns + session->options->after_ns &&
	       progress_points_await_is_over(session->points);
}

int session_warm_up(struct session *session, struct error *error)
{
	struct driver *driver = &session->driver;
	uint64_t begin = driver->started_ns;
	bool goes_on = true;
	int code = 0;

	if (!session->options->after_ns && !session->options->after_point)
		return 0;
	session_leave_out(session, true);
	while (!code && goes_on && !has_warmed_up(session, begin)) {
		goes_on = session_wait(session, WARM_UP_SLICE_NS);
		code = session_update(session, error);
	}
	session_leave_out(session, false);
	session->warmed_up_ns = clock_now_ns();
	if (driver->deadline_ns)
		driver->deadline_ns += session->warmed_up_ns - begin;
	if (!code && !interruption_any() && !progress_points_await_is_over(session->points))
		code = refuse_unvisited(session, error);
	return code;
}

uint64_t session_measured_ns(const struct session *session, uint64_t now)
{
	return now - (session->warmed_up_ns ? session->warmed_up_ns : session->driver.started_ns);
}

bool session_is_precise_enough(struct session *session)
{
	struct live_estimate_best best[FIRST_PLACES];
	uint64_t now = clock_now_ns();
	size_t steps = 0;

	if (session->options->until <= 0 || session->experiments < EXPERIMENTS_LEAST ||
	    now - session->checked_ns < CHECK_EVERY_NS)
		return false;
	session->checked_ns = now;
	for (size_t i = 0; i < session->options->speedup_count; i++)
		steps += session->options->speedups[i] > 0;
	size_t count = live_estimate_best(session->live_estimate, best, FIRST_PLACES);
	for (size_t i = 0; i < count; i++)
		if (best[i].points <= steps || best[i].widest > session->options->until)
			return false;
	return count;
}

bool session_may_pause(struct session *session)
{
	const struct collector_facts *facts = collector_facts(session->collector);
	const struct session_options *options = session->options;
	struct collector_counters now;
	double highest = 0;

	if (options->slowdown_most <= 0)
		return true;
	for (size_t i = 0; i < options->speedup_count; i++)
		highest = options->speedups[i] > highest ? options->speedups[i] : highest;
	double next_ns = SERIES_LONGEST * highest * (double)session->window_ns;
	collector_counters(session->collector, &now);
	if (slowdown_limit_allows(&session->slowdown_limit, now.time_ns, now.delay_ns,
				  (uint64_t)next_ns))
		return true;
	collector_set_period(session->collector,
			     slowdown_limit_period_ns(&session->slowdown_limit, facts->period_ns,
						      facts->tick_ns));
	return false;
}
