/* SPDX-License-Identifier: BSD-2-Clause */
/* missing - says what is missing when a session has nothing to measure. */
#include "experiment/session/state.h"
#include "experiment/session/waiting.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>

#define WAIT_NS 3000000000ull /* for points to appear */
#define IDLE_WAIT_NS 20000000000ull

static int refuse(struct session *session, struct error *error)
{
	session->driver.result->end = DRIVER_NO_POINTS;
	driver_message(&session->driver, error->text); /* the program may run on */
	return error->code;
}

static int refuse_missing_point(struct session *session, const char *missing, struct error *error)
{
	AUTO(text) char *appeared = progress_points_appeared(session->points);

	error_set(error, -ENOENT, "%s%s%s", missing, appeared ? "; the program's points are: " : "",
		  appeared ? appeared : "");
	return refuse(session, error);
}

/* A program that uses the CPU has progress: found_points.c. */
static int refuse_without_points(struct session *session, struct error *error)
{
	uint64_t time_ns = session_measured_ns(session, clock_now_ns());

	if (time_ns < IDLE_WAIT_NS)
		return 0;
	error_set(error, -ENOENT,
		  "no unit of work was seen in %.0f s; is there load? If there is, name a function "
		  "or line that each unit passes with --progress",
		  (double)time_ns / 1e9);
	return refuse(session, error);
}

/* A function that no file has is mistyped; another may not have run yet. */
static int check_focus(struct session *session, bool has_ended, struct error *error)
{
	const char *focus = session->options->focus;
	AUTO(text) char *name = text_format(SYMBOLS_INCLUSIVE_PREFIX "%s", focus ? focus : "");
	uint32_t location;

	if (!focus || sampled_code_focus(session->code)->has_been_inside)
		return 0;
	if (session_find_known(session, name, &location, error) == -ENXIO)
		return refuse(session, error);
	if (!has_ended)
		return 0;
	error_set(error, -ENOENT, "--focus %s: no sample was taken inside of it", focus);
	return refuse(session, error);
}

static void report_waiting(struct session *session)
{
	AUTO(text)
	char *sentence = session->requests.are_counted ?
				 session_requests_waiting(session) :
				 text_copy("waiting for the first visit of a progress point");

	if (!session->has_reported_waiting)
		driver_message(&session->driver, sentence);
	session->has_reported_waiting = true;
}

int session_check_names(struct session *session, bool has_ended, struct error *error)
{
	const struct session_options *options = session->options;

	if (!has_ended && session_measured_ns(session, clock_now_ns()) < WAIT_NS)
		return 0;
	if (session_lacks_targets(session)) {
		*error = session->missing_target;
		return refuse(session, error);
	}
	int code = check_focus(session, has_ended, error);
	if (code || progress_points_visited(session->points))
		return code;
	AUTO(text) char *missing = progress_points_missing(session->points);
	if (missing)
		return refuse_missing_point(session, missing, error);
	if (has_ended)
		return 0;
	bool attaches = !session->driver.options->arguments;
	bool is_asked = options->point_count || options->pair_count;
	if (!is_asked && !(attaches && session->requests.are_default))
		return refuse_without_points(session, error);
	report_waiting(session);
	return 0;
}

int session_check_sets(struct session *session, struct error *error)
{
	AUTO(text) char *refusal = session_sets_refusal(session);

	if (!refusal)
		return 0;
	error_set(error, -ENODATA, "%s", refusal);
	session->driver.result->end = DRIVER_NO_ANSWER;
	driver_message(&session->driver, error->text);
	return error->code;
}
