/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * found_points - progress points for a program that has none, and whose user named none.
 *
 * The best candidates are counted in the same run, and the analysis goes by those that agree. A
 * program that leaves the phase in which its units of work were found is searched again.
 */
#include "experiment/session/state.h"
#include "experiment/session/waiting.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <string.h>

#define FIRST_AFTER_NS 400000000ull
#define REQUESTS_WITHIN_NS 5000000000ull
#define AGAIN_AFTER_NS 1000000000ull /* doubled by each search */
/* Times what the search before took, of an active program; if it found nothing, or something. */
#define SEARCH_PAUSE 5
#define FOUND_PAUSE 1
#define ACTIVE_PART 10
#define UNVISITED_NS 2000000000ull
#define SEARCHES_MOST 6
#define FRUITLESS_MOST 3
#define SHOWN_MOST 70 /* characters of a name */

static bool is_wanted(const struct session *session, uint64_t now)
{
	const struct session_options *options = session->options;
	/* A port may serve what has nothing to do with the work. */
	bool may_have_requests =
		session->requests.are_counted &&
		(session->requests.seen || session_measured_ns(session, now) < REQUESTS_WITHIN_NS);

	return !options->point_count && !options->pair_count && !options->end_to_end &&
	       !may_have_requests;
}

static bool has_own_points(const struct session *session)
{
	AUTO(text) char *appeared = progress_points_appeared(session->points);
	return appeared;
}

/* Points that were found are visited still. */
static bool are_visited(struct session_found_points *found, uint64_t visits, uint64_t now)
{
	if (visits != found->visits)
		found->visited_ns = now;
	found->visits = visits;
	return found->units && now - found->visited_ns < UNVISITED_NS;
}

/* Names of C++ may be longer than a screen is wide. */
static char *shown(const char *name)
{
	return strlen(name) > SHOWN_MOST ? text_format("%.*s...", SHOWN_MOST - 3, name) :
					   text_copy(name);
}

static char *why_cpu_time(const struct session_unit *costly)
{
	if (!costly->text)
		return text_copy("CPU time, since no function or system call has a steady rate");
	AUTO(text) char *name = shown(costly->text);
	return text_format("CPU time, since %s (%.0f a second) would cost too much to count", name,
			   costly->rate);
}

static void tell(struct session *session, const struct session_unit *units, size_t count)
{
	AUTO(text) char *cpu_time = why_cpu_time(&session->found_points.costly);
	AUTO(text) char *names = text_copy("");

	for (size_t i = 0; i < count; i++) {
		AUTO(text) char *before = names;
		AUTO(text) char *name = shown(units[i].text);
		names = text_format("%s%s%s (%.0f a second)", before, i ? ", " : "", name,
				    units[i].rate);
	}
	AUTO(text)
	char *sentence =
		text_format("no %s; progress is measured by %s%s; choose another with --progress",
			    session->requests.are_default ? "request has come" :
							    "progress point was given",
			    count ? names : cpu_time, count ? ", and compared with CPU time" : "");
	driver_message(&session->driver, sentence);
}

static int add(struct session *session, const struct session_unit *unit, struct error *error)
{
	struct session_found_points *found = &session->found_points;
	struct point_spec *spec = &found->specs[found->count];
	char *text = text_copy(unit->text); /* the point borrows it */
	int code = point_spec_parse(text, spec, error);

	code = code ? code : progress_points_add_found(session->points, spec, error);
	if (!code) {
		found->texts[found->count++] = text;
		return 0;
	}
	point_spec_release(spec);
	free(text);
	return code;
}

/* What is true of the units should be true of the CPU time, and there is always some. */
static void add_cpu_time(struct session *session)
{
	const struct session_unit cpu_time = {.text = (char *)(uintptr_t) "sampled:*"};
	struct error error = {0};

	add(session, &cpu_time, &error);
}

/* Whether it found a unit. */
static bool search(struct session *session)
{
	struct session_found_points *found = &session->found_points;
	struct session_unit units[UNITS_MOST];
	struct error error = {0};
	size_t count = session_candidates(session, units), added = 0;
	bool is_first = !found->searches++;

	for (size_t i = 0; i < count; i++) {
		if (found->count < FOUND_POINTS_MOST - 1 && !add(session, &units[i], &error))
			units[added++] = units[i];
		else
			free(units[i].text);
	}
	if (is_first)
		add_cpu_time(session);
	found->units += (unsigned)added;
	if (is_first || added)
		tell(session, units, added);
	for (size_t i = 0; i < added; i++)
		free(units[i].text);
	return added;
}

/* What another search finds would be measured for too short a time. */
static bool is_too_late(const struct session *session, uint64_t now)
{
	double left_seconds = driver_left_seconds(&session->driver, now);

	return left_seconds >= 0 && left_seconds * 1e9 < (double)session->found_points.pause_ns;
}

/* A search takes time from experiments, unless the program does nothing yet. */
static void search_and_pause(struct session *session)
{
	struct session_found_points *found = &session->found_points;
	uint64_t began_ns = clock_now_ns(), sampled_ns = found->disturbed_sampled_ns;

	bool has_found = search(session);
	found->visited_ns = clock_now_ns();
	uint64_t spent_ns = found->visited_ns - began_ns;
	bool is_active = found->disturbed_sampled_ns - sampled_ns > spent_ns / ACTIVE_PART;
	uint64_t least_ns = AGAIN_AFTER_NS << found->searches;
	found->pause_ns = is_active ? (has_found ? FOUND_PAUSE : SEARCH_PAUSE) * spent_ns : 0;
	found->next_ns =
		found->visited_ns + (found->pause_ns > least_ns ? found->pause_ns : least_ns);
}

void session_find_points(struct session *session)
{
	struct session_found_points *found = &session->found_points;
	uint64_t now = clock_now_ns();

	if (!is_wanted(session, now) || session_measured_ns(session, now) < FIRST_AFTER_NS ||
	    now < found->next_ns ||
	    found->searches >= (found->units ? SEARCHES_MOST : FRUITLESS_MOST) ||
	    is_too_late(session, now) ||
	    are_visited(found, progress_points_visits(session->points), now) ||
	    has_own_points(session))
		return;
	search_and_pause(session);
}

void session_found_points_release(struct session_found_points *found)
{
	for (size_t i = 0; i < found->count; i++) {
		point_spec_release(&found->specs[i]);
		free(found->texts[i]);
	}
	for (size_t i = 0; i < found->too_frequent.count; i++)
		free(found->too_frequent.items[i]);
	array_free(&found->too_frequent);
	free(found->costly.text);
}
