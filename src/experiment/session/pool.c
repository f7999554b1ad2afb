/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pool - targets of all kinds at once have one budget.
 *
 * A target that is not active for 1 % of the time cannot gain a point, and is not tried. Neither is
 * what starts a thread, nor processes that are nearly all of it. A function that spends nearly all
 * of its time in one that it calls, or in one system call, is left to that one; a function around
 * nearly the whole program, one of the other processes, or an interpreter's around functions of a
 * script, is hardly tried. Code without a name hides neither: what it calls counts as called by the
 * function around it. Functions around each other share their blocks.
 * The search goes from outside to inside: what is inside a target that cannot gain is hardly tried,
 * nor are lines of a function whose gain is not sure, nor a line that is nearly all of a function.
 * Each block makes the next one of its target less likely (block_budget.h). While the gain of a
 * target is not sure, those that can gain only less than it may are hardly tried: many answers that
 * are all unsure tell nothing. Waits for locks, which no code is, and sleeps, as those of a
 * runtime's own threads, have few blocks. Any other keeps a chance; --verbose prints that of each
 * block.
 */
#include "experiment/session/pool.h"

#include "base/clock.h"
#include "base/memory.h"
#include "experiment/block_budget.h"
#include "experiment/target/entry.h"
#include "symbolize/python.h"

#include <math.h>
#include <string.h>

#define TIME_LEAST 0.01    /* active for this part of the time, or never tried */
#define WRAPPER_LEAST 0.95 /* of a function's time, in one that it calls */
#define ALL_LEAST 0.9      /* of the sampled time: a function that is around the whole program */
#define PROCESS_ALL_LEAST 0.97 /* the same of processes of one name */
#define WHOLE_LEAST 0.98       /* a function of the program that tells no more than the program */
#define SPLIT_LEAST 0.5    /* of its time in functions that it calls: these are told apart first */
#define AROUND_ALL 0.05    /* factor of such a function's value */
#define TOLD_LEAST 0.7     /* of the time of code without a name, in a function with one */
#define ERROR_AIM 0.03     /* of a slope: blocks beyond become rarer */
#define HOPELESS_MOST 0.02 /* upper bound of a slope */
#define INSIDE_HOPELESS 0.05 /* factors of a target's value */
#define INSIDE_UNTRIED 0.3
#define LINE_OF_UNSURE 0.3
#define TOLD_BY_NAME 0.2
#define TOLD_BY_FUNCTION 0.2 /* of a line that is nearly all of a function that can be tried */
#define TRIED_FLOOR 0.02
#define RIVAL_UNSURE 0.3 /* of what can gain less than a target whose gain is not sure */
#define RIVAL_LEAST 0.5  /* of the most that one such target may gain, */
#define RIVAL_BLOCKS 0.5 /* whose blocks count so much */
#define LOCK_WAITS 0.3
#define SLEEPS 0.2
#define BLOCKS_LEAST 0.5 /* of a place: it has been tried */
#define DEPTH_MOST 40
#define DEPTH_NAMELESS 8    /* of code without names in each other */
#define DEPTH_SCRIPT 16     /* of functions of an interpreter between two of a script */
#define NAMELESS_LEAST 0.05 /* of a function's time: less is not looked into */
#define ERRORS 2
#define SURE_ERROR 0.25 /* of a gain, or ERROR_AIM: it is sure */

static const struct sampled_location *sampled(const struct session *session, uint32_t location)
{
	static const struct sampled_location none;
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);

	return location < count ? &locations[location] : &none;
}

static enum target_kind kind_of(const struct session *session, uint32_t location)
{
	return symbols_location(session->symbols, location)->kind;
}

/* Functions are in the pool with what they call; without symbols a place is a block of bytes. */
static bool is_kind_of_pool(const struct session *session, uint32_t location)
{
	const struct symbols_location *shown = symbols_location(session->symbols, location);

	switch (shown->kind) {
	case TARGET_LINE:
	case TARGET_INCLUSIVE:
	case TARGET_SYSTEM_CALL:
	case TARGET_CLASS:
	case TARGET_PROCESS:
		return true;
	default:
		return false;
	}
}

double pool_active_share(const struct session *session, uint32_t location)
{
	double elapsed_ns = (double)(clock_now_ns() - session->driver.started_ns -
				     session->found_points.disturbed_ns);

	return elapsed_ns > 0 ?
		       fmin(1, (double)sampled(session, location)->sampled_ns / elapsed_ns) :
		       0;
}

static const struct session_target *target_at(const struct session *session, uint32_t location)
{
	for (size_t i = 0; i < session->targets.count; i++)
		if (!session->targets.items[i].is_external &&
		    session->targets.items[i].spec.location == location)
			return &session->targets.items[i];
	return NULL;
}

/* What starts a thread's or a parallel region's code: all of it is inside, so it tells nothing. */
static bool is_entry(const struct session *session, uint32_t location)
{
	const struct symbols_location *shown = symbols_location(session->symbols, location);

	return entry_is(shown) || (shown->kind == TARGET_INCLUSIVE && shown->function &&
				   !strcmp(shown->function, "main") &&
				   symbols_object(session->symbols, shown->object)->has_lines);
}

/* "libz+0x5d80" is a place that tells its reader nothing. */
static bool has_name(const struct session *session, uint32_t location)
{
	const struct symbols_location *shown = symbols_location(session->symbols, location);

	return shown->kind != TARGET_INCLUSIVE ||
	       (shown->function && !strstr(shown->function, "+0x"));
}

/* Threads that wait for a lock or a core are in no code. */
static double time_in_code_ns(const struct session *session)
{
	static const enum sample_class outside[] = {CLASS_LOCK, CLASS_RUNNABLE};
	double time_ns = (double)sampled_code_time_ns(session->code);

	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++) {
		uint32_t class = symbols_wait_class(session->symbols, outside[i], SYMBOLS_NONE);
		time_ns -= (double)sampled(session, class)->sampled_ns;
	}
	return time_ns;
}

/* That of a thread that spins, as those of OpenMP do, is the time of no process. */
static double time_in_processes_ns(const struct session *session)
{
	size_t count;
	const struct sampled_location *locations = sampled_code_locations(session->code, &count);
	double time_ns = 0;

	for (size_t i = 0; i < count; i++)
		if (locations[i].sampled_ns && kind_of(session, (uint32_t)i) == TARGET_PROCESS)
			time_ns += (double)locations[i].sampled_ns;
	return time_ns;
}

static bool is_inside(const struct session *session, uint32_t location, uint32_t outer)
{
	const struct call_edges *edges = sampled_code_edges(session->code);

	for (int depth = 0; depth < DEPTH_MOST && location != outer; depth++) {
		const struct call_edge *edge = call_edges_main_outer(edges, location);
		if (!edge)
			return false;
		location = edge->outer;
	}
	return location == outer;
}

static bool is_sleep(const struct session *session, uint32_t location)
{
	return target_is_sleep(kind_of(session, location),
			       symbols_location(session->symbols, location)->name);
}

/* A thread that sleeps beside a function makes that no smaller part of the program. */
static bool is_nearly_all(const struct session *session, uint32_t location)
{
	if (kind_of(session, location) == TARGET_PROCESS)
		return (double)sampled(session, location)->sampled_ns >=
		       PROCESS_ALL_LEAST * time_in_processes_ns(session);
	double own_ns = (double)sampled(session, location)->sampled_ns;
	double awake_ns = time_in_code_ns(session);
	if (own_ns < ALL_LEAST * (1 - session->pool_asleep) * awake_ns)
		return false;
	for (size_t i = 0; i < session->targets.count; i++) {
		uint32_t other = session->targets.items[i].spec.location;
		if (!session->targets.items[i].is_external && is_sleep(session, other) &&
		    !is_inside(session, other, location))
			awake_ns -= (double)sampled(session, other)->sampled_ns;
	}
	return own_ns >= ALL_LEAST * awake_ns;
}

/* The processes of one name are nearly the whole program, or more than the function of --focus. */
static bool is_too_wide_process(const struct session *session, uint32_t location)
{
	return kind_of(session, location) == TARGET_PROCESS &&
	       (session->options->focus || is_nearly_all(session, location));
}

static bool tells(const struct session *session, uint32_t location)
{
	return has_name(session, location) && !is_entry(session, location) &&
	       !is_too_wide_process(session, location);
}

static bool is_of_script(const struct session *session, uint32_t location)
{
	return symbols_is_python(session->symbols,
				 symbols_location(session->symbols, location)->object);
}

/*
 * A function's own code: a line; without lines the function itself, which is in the pool only with
 * what it calls.
 */
static bool is_own_code(const struct session *session, const struct call_edge *edge)
{
	enum target_kind kind = kind_of(session, edge->inner);
	return kind == TARGET_LINE || kind == TARGET_FUNCTION;
}

/* What holds most of its time; of a function without lines, among what it calls. */
static const struct call_edge *main_part(const struct session *session, uint32_t location)
{
	const struct call_edges *edges = sampled_code_edges(session->code);
	const struct call_edge *main = call_edges_main_inner(edges, location);

	if (!main || kind_of(session, main->inner) != TARGET_FUNCTION)
		return main;
	main = NULL;
	for (const struct call_edge *edge = call_edges_first_inner(edges, location); edge;
	     edge = call_edges_next_inner(edges, edge))
		if (!is_own_code(session, edge) && (!main || edge->time_ns > main->time_ns))
			main = edge;
	return main;
}

/* A function that tells nothing, so that what it calls stands directly in the one around it. */
static bool is_passed(const struct session *session, uint32_t location)
{
	return kind_of(session, location) == TARGET_INCLUSIVE && !tells(session, location);
}

static bool passes(const struct session *session, uint32_t location)
{
	return kind_of(session, location) == TARGET_INCLUSIVE && tells(session, location);
}

/* The innermost code without a name that is all of a function with one. */
static uint32_t inside_nameless(const struct session *session, uint32_t location)
{
	double own_ns = (double)sampled(session, location)->sampled_ns;
	uint32_t inner = location;

	for (int depth = 0; depth < DEPTH_MOST && passes(session, location); depth++) {
		const struct call_edge *main = main_part(session, inner);
		if (!main || !is_passed(session, main->inner) ||
		    main->time_ns < WRAPPER_LEAST * own_ns)
			break;
		inner = main->inner;
	}
	return inner;
}

/*
 * Left to a function that it calls, or to the system call that it makes; but never to what says
 * less: code without a name, what implements a line of a script, a function of a process.
 */
static bool is_wrapper(const struct session *session, uint32_t location)
{
	const struct call_edge *edge = main_part(session, inside_nameless(session, location));
	double own_ns = (double)sampled(session, location)->sampled_ns;

	if (!edge || is_own_code(session, edge) || edge->time_ns < WRAPPER_LEAST * own_ns ||
	    kind_of(session, location) == TARGET_PROCESS ||
	    (tells(session, location) && !tells(session, edge->inner)) ||
	    (is_of_script(session, location) && !is_of_script(session, edge->inner)))
		return false;
	const struct call_edge *back = main_part(session, inside_nameless(session, edge->inner));
	bool is_circle = back && back->inner == location;
	return !is_circle || edge->inner < location;
}

/*
 * The part of its time in what it calls, or in lines of a script. Code without a name does not tell
 * what a function with one does: what it calls counts in its place.
 */
static double part_inside(const struct session *session, uint32_t location, double part, int depth)
{
	const struct call_edges *edges = sampled_code_edges(session->code);
	bool is_script = is_of_script(session, location);
	double own_ns = (double)sampled(session, location)->sampled_ns, inside = 0;

	for (const struct call_edge *edge = call_edges_first_inner(edges, location);
	     edge && own_ns > 0; edge = call_edges_next_inner(edges, edge)) {
		double inner = part * edge->time_ns / own_ns;
		if (!is_script && is_own_code(session, edge))
			continue;
		if (depth >= 0 && is_passed(session, edge->inner))
			inside += depth && inner >= NAMELESS_LEAST ?
					  part_inside(session, edge->inner, inner, depth - 1) :
					  0;
		else
			inside += inner;
	}
	return inside;
}

/* The part of its time in code of a script that it calls, directly or not. */
static double part_of_script(const struct session *session, uint32_t location, double part,
			     int depth)
{
	const struct call_edges *edges = sampled_code_edges(session->code);
	double own_ns = (double)sampled(session, location)->sampled_ns, inside = 0;

	for (const struct call_edge *edge = call_edges_first_inner(edges, location);
	     edge && own_ns > 0; edge = call_edges_next_inner(edges, edge)) {
		double inner = part * edge->time_ns / own_ns;
		if (is_of_script(session, edge->inner))
			inside += inner;
		else if (depth && inner >= NAMELESS_LEAST)
			inside += part_of_script(session, edge->inner, inner, depth - 1);
	}
	return inside;
}

/* A function of an interpreter that calls a script's: these tell what it is about. */
static bool is_around_script(const struct session *session, uint32_t location)
{
	return kind_of(session, location) == TARGET_INCLUSIVE && !is_of_script(session, location) &&
	       part_of_script(session, location, 1, DEPTH_SCRIPT) >= SPLIT_LEAST;
}

/*
 * Most of its time is in what it calls, or in its lines in a script: these are told apart. Of a
 * line of a script: in what it calls of that.
 */
static bool is_split(const struct session *session, uint32_t location)
{
	const struct call_edge *main = main_part(session, location);

	if (passes(session, location))
		return part_inside(session, location, 1, DEPTH_NAMELESS) >= SPLIT_LEAST;
	if (is_of_script(session, location) && kind_of(session, location) == TARGET_LINE)
		return part_of_script(session, location, 1, DEPTH_SCRIPT) >= SPLIT_LEAST;
	if (main && tells(session, location) && !tells(session, main->inner))
		return false;
	return part_inside(session, location, 1, -1) >= SPLIT_LEAST;
}

/* The process that is around it, by the edges with most of the time. */
static uint32_t process_around(const struct session *session, uint32_t location)
{
	const struct call_edges *edges = sampled_code_edges(session->code);

	for (int depth = 0; depth < DEPTH_MOST; depth++) {
		const struct call_edge *edge = call_edges_main_outer(edges, location);
		if (!edge)
			break;
		location = edge->outer;
		if (kind_of(session, location) == TARGET_PROCESS)
			return location;
	}
	return SYMBOLS_NONE;
}

/*
 * A function of the program itself with all of its time is the program, even if its parts have no
 * names; one of a library tells which library it is. The same in a process that can be tried.
 */
static bool is_whole(const struct session *session, uint32_t location)
{
	const struct symbols_location *shown = symbols_location(session->symbols, location);
	const struct call_edge *main = main_part(session, location);
	double own_ns = (double)sampled(session, location)->sampled_ns;

	if (shown->kind != TARGET_INCLUSIVE || !main || is_own_code(session, main) ||
	    !symbols_object(session->symbols, shown->object)->in_scope)
		return false;
	if (own_ns >= WHOLE_LEAST * time_in_code_ns(session))
		return true;
	uint32_t process = process_around(session, location);
	return process != SYMBOLS_NONE && !is_too_wide_process(session, process) &&
	       own_ns >= WRAPPER_LEAST * (double)sampled(session, process)->sampled_ns;
}

/* Nearly the whole program is inside of it, and parts of that can be tried. */
static bool is_around_all(const struct session *session, uint32_t location)
{
	return is_whole(session, location) ||
	       (is_nearly_all(session, location) && is_split(session, location));
}

/* Waits for I/O that nearly all are in one system call are left to that call. */
static bool is_one_call(const struct session *session, uint32_t location)
{
	double own_ns = (double)sampled(session, location)->sampled_ns;

	for (size_t i = 0; i < session->targets.count; i++) {
		uint32_t other = session->targets.items[i].spec.location;
		if (!session->targets.items[i].is_external &&
		    kind_of(session, other) == TARGET_SYSTEM_CALL &&
		    (double)sampled(session, other)->sampled_ns >= WRAPPER_LEAST * own_ns)
			return true;
	}
	return false;
}

/* Most of the time of this code is in one function with a name. */
static bool is_told_by_callee(const struct session *session, uint32_t location)
{
	const struct call_edges *edges = sampled_code_edges(session->code);
	double own_ns = (double)sampled(session, location)->sampled_ns;
	uint32_t inner = location;

	for (int depth = 0; depth < DEPTH_MOST && !has_name(session, inner); depth++) {
		const struct call_edge *edge = call_edges_main_inner(edges, inner);
		if (!edge || edge->time_ns < TOLD_LEAST * own_ns)
			return false;
		inner = edge->inner;
	}
	return kind_of(session, inner) == TARGET_INCLUSIVE && has_name(session, inner);
}

/* Code without a name that one around it or inside of it has, which can be tried in its place. */
static bool is_told_by_name(const struct session *session, uint32_t location)
{
	const struct call_edges *edges = sampled_code_edges(session->code);
	uint32_t outer = location;

	if (has_name(session, location))
		return false;
	if (is_told_by_callee(session, location))
		return true;
	for (int depth = 0; depth < DEPTH_MOST && !tells(session, outer); depth++) {
		const struct call_edge *edge = call_edges_main_outer(edges, outer);
		if (!edge)
			return false;
		outer = edge->outer;
	}
	return tells(session, outer) && !is_around_all(session, outer) &&
	       !is_wrapper(session, outer);
}

/* Could be tried, if nothing around it were. */
static bool is_possible(const struct session *session, uint32_t location)
{
	return pool_active_share(session, location) >= TIME_LEAST &&
	       is_kind_of_pool(session, location) && !is_entry(session, location) &&
	       !is_too_wide_process(session, location) && !is_wrapper(session, location);
}

/*
 * Its blocks. Functions around each other that are split tell nearly the same where one is nearly
 * all of the other, so a block of one is as much of a block of the other.
 */
static double blocks_of(const struct session *session, const struct session_target *target)
{
	uint32_t location = target->spec.location;
	double own_ns = (double)sampled(session, location)->sampled_ns, blocks = target->blocks;

	if (!is_split(session, location))
		return blocks;
	for (size_t i = 0; i < session->targets.count; i++) {
		const struct session_target *other = &session->targets.items[i];
		uint32_t at = other->spec.location;
		if (!other->blocks || other == target || other->is_external ||
		    (!is_inside(session, location, at) && !is_inside(session, at, location)) ||
		    !is_split(session, at))
			continue;
		double other_ns = (double)sampled(session, at)->sampled_ns;
		blocks += other->blocks * fmin(own_ns, other_ns) / fmax(own_ns, other_ns);
	}
	return blocks;
}

/*
 * The nearest location around it that has been tried; NULL if there is none. `is_untried`: one
 * should be tried before it.
 */
static const struct session_target *tried_outer(const struct session *session, uint32_t location,
						bool *is_untried)
{
	const struct call_edges *edges = sampled_code_edges(session->code);

	*is_untried = false;
	for (int depth = 0; depth < DEPTH_MOST; depth++) {
		const struct call_edge *edge = call_edges_main_outer(edges, location);
		if (!edge)
			return NULL;
		location = edge->outer;
		const struct session_target *target = target_at(session, location);
		if (target && target->slope.windows)
			return target;
		*is_untried = *is_untried ||
			      (target && !target->is_unusable && is_possible(session, location) &&
			       !is_around_all(session, location) &&
			       !is_around_script(session, location) &&
			       blocks_of(session, target) < BLOCKS_LEAST);
	}
	return NULL;
}

/* A line that nearly all of its function is: trying both tells the same twice. */
static bool is_told_by_function(const struct session *session, uint32_t location)
{
	const struct call_edge *edge;

	if (kind_of(session, location) != TARGET_LINE || is_of_script(session, location))
		return false;
	edge = call_edges_main_outer(sampled_code_edges(session->code), location);
	return edge && passes(session, edge->outer) && is_possible(session, edge->outer) &&
	       !is_around_all(session, edge->outer) &&
	       edge->time_ns >= WRAPPER_LEAST * (double)sampled(session, edge->outer)->sampled_ns;
}

/* A line of a function that is around the whole program, and so is not tried before it. */
static bool is_of_outermost(const struct session *session, uint32_t location)
{
	const struct call_edge *edge =
		call_edges_main_outer(sampled_code_edges(session->code), location);

	return edge && is_around_all(session, edge->outer);
}

static double error_of(const struct effect_slope *slope)
{
	return (slope->high - slope->low) / 4;
}

/* The gain that its interval allows. */
static double most_of(const struct session_target *target, double active)
{
	return fmax(0, fmin(active, target->slope.slope + ERRORS * error_of(&target->slope)));
}

/* What trying it may still tell: the gain that is possible, less as its interval narrows. */
static double own_value(const struct session_target *target, double active)
{
	const struct effect_slope *slope = &target->slope;

	if (!slope->windows)
		return active;
	return most_of(target, active) * fmin(1, error_of(slope) / ERROR_AIM) +
	       TRIED_FLOOR * active;
}

static bool is_lock_wait(const struct session *session, uint32_t location)
{
	return location == symbols_wait_class(session->symbols, CLASS_LOCK, SYMBOLS_NONE);
}

/* A target that tells more than the program, and whose gain is not sure. */
static bool is_unsure(const struct session *session, const struct session_target *target)
{
	const struct effect_slope *slope = &target->slope;
	uint32_t location = target->spec.location;

	return !target->is_external && slope->windows && tells(session, location) &&
	       error_of(slope) > fmax(ERROR_AIM, SURE_ERROR * slope->slope) &&
	       !is_split(session, location) && !is_lock_wait(session, location) &&
	       !is_sleep(session, location);
}

/* The most that one of these may gain. */
static double find_rival(const struct session *session)
{
	double most = 0;

	for (size_t i = 0; i < session->targets.count; i++) {
		const struct session_target *target = &session->targets.items[i];
		if (is_unsure(session, target))
			most = fmax(most,
				    most_of(target,
					    pool_active_share(session, target->spec.location)));
	}
	return most;
}

/* Blocks that make the next one less likely: fewer, where the gain is one of the largest unsure. */
static double blocks_that_count(const struct session *session, const struct session_target *target,
				double active)
{
	double blocks = blocks_of(session, target);
	bool is_rival = is_unsure(session, target) &&
			most_of(target, active) >= RIVAL_LEAST * session->pool_rival;

	return is_rival ? RIVAL_BLOCKS * blocks : blocks;
}

double pool_weight(const struct session *session, const struct session_target *target)
{
	uint32_t location = target->spec.location;
	bool is_outer_untried;
	bool is_io = location == symbols_wait_class(session->symbols, CLASS_IO, SYMBOLS_NONE);

	if (!is_possible(session, location) || (is_io && is_one_call(session, location)))
		return 0;
	double active = pool_active_share(session, location);
	double value = own_value(target, active);
	const struct session_target *outer = tried_outer(session, location, &is_outer_untried);
	if (outer && outer->slope.slope + ERRORS * error_of(&outer->slope) < HOPELESS_MOST)
		value *= INSIDE_HOPELESS;
	else if (is_outer_untried)
		value *= INSIDE_UNTRIED;
	if (kind_of(session, location) == TARGET_LINE && !(outer && outer->slope.low > 0) &&
	    !is_of_outermost(session, location))
		value *= LINE_OF_UNSURE;
	if (is_told_by_name(session, location))
		value *= TOLD_BY_NAME;
	if (is_told_by_function(session, location))
		value *= TOLD_BY_FUNCTION;
	if (is_around_all(session, location) || is_around_script(session, location))
		value *= AROUND_ALL;
	if (is_lock_wait(session, location))
		value *= LOCK_WAITS;
	if (is_sleep(session, location))
		value *= SLEEPS;
	if (active < session->pool_rival)
		value *= RIVAL_UNSURE;
	return block_budget_weight(value, blocks_that_count(session, target, active),
				   is_split(session, location));
}

void pool_find_asleep(struct session *session)
{
	double asleep_ns = 0, all_ns = time_in_code_ns(session);

	for (size_t i = 0; i < session->targets.count; i++) {
		uint32_t location = session->targets.items[i].spec.location;
		if (!session->targets.items[i].is_external && is_sleep(session, location))
			asleep_ns += (double)sampled(session, location)->sampled_ns;
	}
	session->pool_asleep = all_ns > 0 ? fmin(1, asleep_ns / all_ns) : 0;
}

void pool_learn(struct session *session, size_t index)
{
	struct session_target *target = &session->targets.items[index];

	if (!target->is_external)
		target->slope = live_estimate_slope(session->live_estimate, target->id);
	pool_find_asleep(session);
	session->pool_rival = find_rival(session);
}
