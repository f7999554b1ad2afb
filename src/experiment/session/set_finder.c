/* SPDX-License-Identifier: BSD-2-Clause */
/* set_finder - candidates of the search for sets, its turns, and what becomes of what it finds. */
#include "experiment/session/state.h"
#include "experiment/session/waiting.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hash_map.h"
#include "driver/interruption.h"
#include "experiment/progress/progress_visits.h"
#include "profile/window_values.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define AFTER_NS 8000000000ull /* from the program's start: the usual places are known */
#define LEFT_LEAST_SECONDS 4.0
#define LOOK_NS 500000000ull  /* for the functions of lines; those with the most time come first */
#define PAIRS_LEAST 10        /* of controls that follow each other, ... */
#define EXCESS_LARGE 0.2      /* ... so that windows are known by which this is found, ... */
#define LIKELIHOOD 6.0        /* ... as a logarithm, ... */
#define SPLITS_USUAL 2        /* ... after so many splits */
#define WINDOWS_LEAST 14      /* that fit into the search's part of the time that is left */
#define ROLES_MOST (1u << 16) /* threads and places; programs start threads without end */
#define RIVAL_MOST 0.1        /* single places first, while one may gain so much, ... */
#define RIVAL_UNTIL_NS 12000000000ull /* ... up to then */
#define LOOKING_PART 4  /* of the time so far, one part is for looking for an excess, ... */
#define LEAD_PART 2     /* ... and more, once one is likely */
#define TURN_MEASURES 3 /* between two blocks */
#define WINDOWS_MOST 4  /* for one that counts */
#define FAILED_MOST 20  /* measurements in turn without enough visits */
#define SEARCHES_MOST 2 /* after a set was found: is there another one? */
#define CANDIDATES_MOST 40
#define SHARE_LEAST 0.01 /* of the sampled time in scope, of a candidate */
#define OTHERS_LEAST 0.1 /* of the time, of all threads but the busiest: else code adds up */
#define VISITS_LEAST 5
#define SEARCHED_NAME "the set that is looked at"

/* A function, or a place without one. */
struct candidate {
	uint32_t location;
	double ns;
};

struct candidates {
	struct candidate *items;
	size_t count, capacity;
};

/* ---- candidates ---- */

/* The function of a line; SYMBOLS_NONE: there is none, or several have its name. */
static uint32_t function_of(struct session *session, uint32_t location)
{
	const struct symbols_location *place = symbols_location(session->symbols, location);
	struct error ignored;
	uint32_t found;

	if (place->kind == TARGET_FUNCTION)
		return location;
	if (place->kind != TARGET_LINE || !place->function)
		return SYMBOLS_NONE;
	return symbols_find(session->symbols, place->function, &found, &ignored) ? SYMBOLS_NONE :
										   found;
}

static int by_time(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	return a->ns < b->ns ? 1 : a->ns > b->ns ? -1 : 0;
}

static void add_time(struct candidates *candidates, uint32_t location, double ns)
{
	for (size_t i = 0; i < candidates->count; i++)
		if (candidates->items[i].location == location) {
			candidates->items[i].ns += ns;
			return;
		}
	*array_add(candidates) = (struct candidate){.location = location, .ns = ns};
}

/*
 * The functions of places. A look reads debug information, no window runs meanwhile, and a program
 * may have run a place in thousands of threads.
 */
static struct hash_map functions_of(struct session *session)
{
	const struct thread_roles *by_line = &session->set_finder.roles;
	uint64_t end_ns = clock_now_ns() + LOOK_NS;
	struct hash_map functions = {0};
	struct candidates places = {0};

	for (size_t i = 0; i < by_line->count; i++)
		add_time(&places, by_line->items[i].place, by_line->items[i].ns);
	if (places.count)
		qsort(places.items, places.count, sizeof(*places.items), by_time);
	for (size_t i = 0; i < places.count && clock_now_ns() < end_ns; i++) {
		uint32_t function = function_of(session, places.items[i].location);
		if (function != SYMBOLS_NONE)
			hash_map_set(&functions, places.items[i].location, 0, function);
	}
	array_free(&places);
	return functions;
}

/* Times by thread and line become times by thread and candidate. */
static struct thread_roles roles_of_functions(struct session *session,
					      struct candidates *candidates)
{
	const struct thread_roles *by_line = &session->set_finder.roles;
	struct hash_map functions = functions_of(session);
	struct thread_roles roles = {0};

	for (size_t i = 0; i < by_line->count; i++) {
		uint32_t function = hash_map_get(&functions, by_line->items[i].place, 0);
		if (function == HASH_MAP_NONE)
			continue;
		thread_roles_add(&roles, by_line->items[i].thread, function, by_line->items[i].ns);
		add_time(candidates, function, by_line->items[i].ns);
	}
	hash_map_clear(&functions);
	return roles;
}

/* The functions with the most time, and the roles of threads that run them. */
static void find_candidates(struct session *session, unsigned *numbers)
{
	struct session_set_finder *finder = &session->set_finder;
	struct candidates candidates = {0};
	struct thread_roles roles = roles_of_functions(session, &candidates);
	double sum = 0;

	if (candidates.count)
		qsort(candidates.items, candidates.count, sizeof(*candidates.items), by_time);
	for (size_t i = 0; i < candidates.count; i++)
		sum += candidates.items[i].ns;
	finder->count = 0;
	for (size_t i = 0; i < candidates.count && finder->count < CANDIDATES_MOST; i++)
		if (candidates.items[i].ns >= SHARE_LEAST * sum &&
		    !session_is_in_found_set(session, candidates.items[i].location))
			finder->locations[finder->count++] = candidates.items[i].location;
	thread_roles_of(&roles, finder->locations, finder->count, numbers);
	thread_roles_release(&roles);
	array_free(&candidates);
}

static bool is_wanted(const struct session *session)
{
	const struct session_options *options = session->options;

	return !options->without_set_search && !session->set_finder.is_over &&
	       !options->target_count && !options->assumed_count && !options->classes &&
	       !options->end_to_end && schedule_has_speedups(session->schedule);
}

/*
 * Windows in which a search likely finds a large excess: a log likelihood of 6 in three sets at
 * two splits, at an excess x and a scatter s of n measurements of each of n x^2 / (6 s^2).
 */
static double windows_needed(const struct session *session)
{
	const struct session_set_finder *finder = &session->set_finder;

	if (!progress_points_requests(session->points) || finder->controls.pairs < PAIRS_LEAST)
		return WINDOWS_LEAST;
	double variance = 1.5 * control_scatter_variance(&finder->controls); /* a gain's is more */
	double measures = fmax(2, LIKELIHOOD * 6 * variance / (EXCESS_LARGE * EXCESS_LARGE));
	return fmax(WINDOWS_LEAST, 2 * 3 * SPLITS_USUAL * measures);
}

/* Slow units make long windows, and a search of a few windows finds nothing. */
static bool has_time(const struct session *session, double left_s, uint64_t measured_ns)
{
	size_t windows = session->experiments + session->controls + session->discarded;
	double window_s = 1e-9 * (double)measured_ns / (double)(windows ? windows : 1);

	return left_s < 0 || (left_s > LEFT_LEAST_SECONDS &&
			      left_s / LOOKING_PART > windows_needed(session) * window_s);
}

static bool goes_on(const struct session *session)
{
	return !interruption_any() && !driver_time_is_up(&session->driver);
}

static bool may_begin(struct session *session, uint64_t now)
{
	double left = driver_left_seconds(&session->driver, now);
	uint64_t measured_ns = session_measured_ns(session, now);

	return measured_ns > AFTER_NS && session->experiments &&
	       (session->pool_rival < RIVAL_MOST || measured_ns > RIVAL_UNTIL_NS) &&
	       has_time(session, left, measured_ns) &&
	       thread_roles_share_of_others(&session->set_finder.roles) >= OTHERS_LEAST;
}

static void begin(struct session *session)
{
	struct session_set_finder *finder = &session->set_finder;
	unsigned numbers[SET_SEARCH_CANDIDATES_MOST];

	find_candidates(session, numbers);
	if (finder->count < 2) {
		finder->is_over = finder->searches > 0;
		return;
	}
	finder->search = set_search_new(numbers, finder->count);
	finder->searches++;
	finder->failed = 0;
	finder->point_id = 0;
	finder->spent_ns = 0;
}

/* ---- measuring ---- */

/* The point that was visited most; CPU time only where there is no other. */
static int64_t choose_point(struct session *session, const struct recording_experiment *window)
{
	int64_t chosen = 0;
	double most = 0;

	for (int sampled = 0; sampled < 2 && !chosen; sampled++)
		for (size_t i = 0; i < window->visits.count; i++) {
			const struct recording_visit *visit = &window->visits.items[i];
			enum point_kind kind =
				progress_visits_kind(session->points, visit->point_id);
			if (kind != (sampled ? POINT_SAMPLED : POINT_THROUGHPUT) ||
			    visit->visits < VISITS_LEAST || visit->visits <= most)
				continue;
			chosen = visit->point_id;
			most = visit->visits;
		}
	return chosen;
}

/* The time of a visit in a window; NAN if it does not count, or has too few visits. */
static int measure_window(struct session *session, const struct target_spec *spec,
			  double *period_ns, struct error *error)
{
	struct session_set_finder *finder = &session->set_finder;
	struct recording_experiment window = {.speedup = spec ? SET_SEARCH_SPEEDUP : 0};
	int code = session_measure_once(session, spec, &window, error);

	if (!finder->point_id)
		finder->point_id = choose_point(session, &window);
	*period_ns = NAN;
	for (size_t i = 0; i < window.visits.count && !code; i++) {
		const struct recording_visit *visit = &window.visits.items[i];
		if (visit->point_id == finder->point_id && visit->visits >= VISITS_LEAST)
			*period_ns =
				window_visit_period(visit, progress_visits_kind(session->points,
										visit->point_id));
	}
	array_free(&window.visits);
	array_free(&window.lengths);
	array_free(&window.marks);
	return code == -EAGAIN ? 0 : code;
}

/* The same while these candidates are sped up, by the first window that counts. */
static int measure(struct session *session, uint64_t set, double *period_ns, struct error *error)
{
	struct session_set_finder *finder = &session->set_finder;
	struct target_spec spec = {.location = symbols_set(session->symbols, SEARCHED_NAME),
				   .set = &finder->members};
	int code = 0;

	finder->members.members.count = 0;
	for (size_t i = 0; i < finder->count; i++)
		if (set >> i & 1)
			*array_add(&finder->members.members) =
				target_spec_of_code(finder->locations[i]).own;
	*period_ns = NAN;
	for (int i = 0; i < WINDOWS_MOST && !isfinite(*period_ns) && !code && goes_on(session); i++)
		code = measure_window(session, set ? &spec : NULL, period_ns, error);
	return code;
}

/* Some measurements, each between two without a speedup. */
static int take_turn(struct session *session, struct error *error)
{
	struct session_set_finder *finder = &session->set_finder;
	double before, during, after;
	int code = measure(session, 0, &before, error);

	for (int i = 0; i < TURN_MEASURES && !code && goes_on(session); i++) {
		uint64_t set = set_search_next(finder->search);
		if (!set)
			break;
		code = measure(session, set, &during, error);
		code = code ? code : measure(session, 0, &after, error);
		double gain = 1 - 2 * during / (before + after);
		finder->failed = isfinite(gain) ? 0 : finder->failed + 1;
		if (isfinite(gain))
			set_search_add(finder->search, gain);
		before = after;
	}
	return code;
}

/* ---- what was found ---- */

static char *names_of(const struct session *session, uint64_t set)
{
	const struct session_set_finder *finder = &session->set_finder;
	char *names = NULL;

	for (size_t i = 0; i < finder->count; i++) {
		AUTO(text) char *before = names;
		if (!(set >> i & 1)) {
			names = take(&before);
			continue;
		}
		names = text_format("%s%s%s", before ? before : "", before ? " + " : "",
				    symbols_location(session->symbols, finder->locations[i])->name);
	}
	return names ? names : text_copy("");
}

static int write_measures(struct session *session, struct error *error)
{
	struct session_set_finder *finder = &session->set_finder;
	int code = 0;

	for (size_t i = 0; i < set_search_measures(finder->search) && !code; i++) {
		struct set_search_measure measure = set_search_measure(finder->search, i);
		AUTO(text) char *names = names_of(session, measure.members);
		struct recording_set_measure row = {.run_id = session->driver.run.id,
						    .search = finder->searches,
						    .members = names,
						    .speedup = SET_SEARCH_SPEEDUP,
						    .measurements = measure.count,
						    .ratio = fmax(0, 1 - measure.gain),
						    .error = measure.error};
		if (measure.count)
			code = profile_set_set_measure(session->profile, &row, error);
	}
	return code;
}

int session_write_set_search(struct session *session, struct error *error)
{
	static const enum set_search_end ends[] = {[SET_SEARCH_FOUND] = SET_SEARCH_END_FOUND,
						   [SET_SEARCH_NOTHING] = SET_SEARCH_END_NOTHING,
						   [SET_SEARCH_SPREAD] = SET_SEARCH_END_SPREAD,
						   [SET_SEARCH_LOOKING] = SET_SEARCH_END_UNFINISHED,
						   [SET_SEARCH_REDUCING] =
							   SET_SEARCH_END_UNFINISHED};
	struct session_set_finder *finder = &session->set_finder;

	if (!finder->search)
		return 0;
	enum set_search_state state = set_search_state(finder->search);
	bool has_set = state == SET_SEARCH_FOUND || state == SET_SEARCH_SPREAD;
	AUTO(text)
	char *names = has_set ? names_of(session, set_search_found(finder->search)) : NULL;
	struct recording_set_search row = {.run_id = session->driver.run.id,
					   .search = finder->searches,
					   .end = ends[state],
					   .candidates = (unsigned)finder->count,
					   .duration_ns = finder->spent_ns,
					   .excess = fmax(0, set_search_excess(finder->search)),
					   .members = names};
	int code = profile_set_set_search(session->profile, &row, error);
	return code ? code : write_measures(session, error);
}

/* The set becomes a target, and later experiments judge it. */
static void give(struct session *session)
{
	struct session_set_finder *finder = &session->set_finder;
	uint32_t locations[SET_SEARCH_MEMBERS_MOST];
	uint64_t set = set_search_found(finder->search);
	size_t count = 0;

	for (size_t i = 0; i < finder->count && count < SET_SEARCH_MEMBERS_MOST; i++)
		if (set >> i & 1)
			locations[count++] = finder->locations[i];
	const char *name = session_give_found_set(session, locations, count);
	AUTO(text)
	char *sentence =
		text_format("%s may gain only together; they are measured as one target", name);
	driver_message(&session->driver, sentence);
	finder->sets++;
}

static int end(struct session *session, struct error *error)
{
	struct session_set_finder *finder = &session->set_finder;
	bool is_found = set_search_state(finder->search) == SET_SEARCH_FOUND;
	int code = session_write_set_search(session, error);

	if (is_found)
		give(session);
	finder->is_over = !is_found || finder->searches == SEARCHES_MOST;
	set_search_free(finder->search);
	finder->search = NULL;
	return code;
}

/* Other experiments get their part of the time, too. */
static bool is_turn(const struct session_set_finder *finder, uint64_t elapsed_ns)
{
	unsigned part = set_search_has_lead(finder->search) ? LEAD_PART : LOOKING_PART;

	return finder->spent_ns < elapsed_ns / part;
}

int session_find_sets(struct session *session, struct error *error)
{
	struct session_set_finder *finder = &session->set_finder;
	uint64_t now = clock_now_ns();

	if (!is_wanted(session) || schedule_is_in_block(session->schedule))
		return 0;
	if (!finder->search && may_begin(session, now) && now >= finder->next_ns) {
		begin(session);
		finder->next_ns = now + AFTER_NS;
	}
	if (!finder->search || !is_turn(finder, session_measured_ns(session, now)))
		return 0;
	int code = take_turn(session, error);
	finder->spent_ns += clock_now_ns() - now;
	if (code == -E2BIG || finder->failed >= FAILED_MOST) {
		finder->is_over = true;
		return session_write_set_search(session, error);
	}
	if (!code && !set_search_next(finder->search))
		code = end(session, error);
	return code ? code : session_update(session, error);
}

void session_set_finder_on_sample(struct session *session, const struct wire_sample *sample)
{
	struct session_set_finder *finder = &session->set_finder;
	uint32_t location = sampled_code_last(session->code);

	if (location != SYMBOLS_NONE && !finder->is_over && !finder->search &&
	    finder->roles.count < ROLES_MOST)
		thread_roles_add(&finder->roles, sample->tid, location, (double)sample->weight_ns);
}

void session_set_finder_release(struct session_set_finder *finder)
{
	thread_roles_release(&finder->roles);
	set_search_free(finder->search);
	array_free(&finder->members.members);
}
