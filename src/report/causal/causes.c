/* SPDX-License-Identifier: BSD-2-Clause */
/* causes - takes the best sure gains, and sorts each below the nearest one around it. */
#include "report/causal/causes.h"

#include "base/memory.h"
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 3
#define OWN_LEAST 0.5        /* of a place's time, in its own code: its parts do not tell it */
#define TOLD_LEAST 0.5       /* of the gain of code without a name, by a part with one */
#define OUTERMOST_LEAST 0.95 /* of the time in code: a place around the whole program */
#define PACE_LEAST 0.9     /* of the program's pace, which idle threads' time does not make less */
#define PARTS_LEAST 0.75   /* of the gain of a library's function, by parts that tell it */
#define LINE_LEAST 0.9     /* of a function's time: it is nearly all of it */
#define WRAPPED_LEAST 0.85 /* of a function's gain, by one that it calls: it only calls that */

struct candidate {
	const struct target_verdict *verdict;
	const struct candidate *outer; /* NULL: a root */
	bool is_left_out;
	bool is_own_work; /* and not that of what it calls */
};

struct candidates {
	struct candidate *items;
	size_t count;
};

static int by_low(const void *one, const void *other)
{
	const struct candidate *a = one, *b = other;

	return a->verdict->at.low < b->verdict->at.low ? 1 :
	       a->verdict->at.low > b->verdict->at.low ? -1 :
							 0;
}

static const struct candidate *find(const struct candidates *candidates,
				    const struct causal_target *target)
{
	for (size_t i = 0; i < candidates->count; i++)
		if (candidates->items[i].verdict->target == target)
			return &candidates->items[i];
	return NULL;
}

/*
 * Is most of its time spent in its own code? What it calls is subtracted, some of it twice. The
 * share of a function alone does not tell: it has the time in libraries that it calls.
 */
static bool is_own_work(const struct causal *causal, const struct causal_target *target)
{
	double own = target->share;

	if (target->target->kind != TARGET_INCLUSIVE || !causal)
		return false;
	for (size_t i = 0; i < causal->count; i++) {
		enum target_kind kind = causal->targets[i].target->kind;
		if (causal->targets[i].outer == target &&
		    (kind == TARGET_INCLUSIVE || kind == TARGET_SYSTEM_CALL))
			own -= causal->targets[i].share;
	}
	return own > OWN_LEAST * target->share;
}

static struct candidates candidates_of(const struct advice *advice)
{
	struct candidates result = {.items = memory_new(advice->all_gains_count + 1,
							sizeof(*result.items)),
				    .count = advice->all_gains_count};

	for (unsigned i = 0; i < advice->all_gains_count; i++)
		result.items[i].verdict = advice->all_gains[i];
	qsort(result.items, result.count, sizeof(*result.items), by_low);
	for (size_t i = 0; i < result.count; i++) {
		const struct causal_target *at = result.items[i].verdict->target->outer;
		for (; at && !result.items[i].outer; at = at->outer)
			result.items[i].outer = find(&result, at);
		result.items[i].is_own_work =
			is_own_work(advice->causal, result.items[i].verdict->target);
	}
	return result;
}

/* "libz+0x5d80" tells its reader less than the function that it is in. */
static bool has_name(const struct candidate *candidate)
{
	const struct recording_target *target = candidate->verdict->target->target;
	bool is_code = target->kind == TARGET_LINE || target->kind == TARGET_FUNCTION ||
		       target->kind == TARGET_INCLUSIVE;

	return !is_code || candidate->verdict->target->is_all_of_named ||
	       (target->function && !strstr(target->function, "+0x"));
}

static double slope_of(const struct candidate *candidate)
{
	return candidate->verdict->effect->slope.slope;
}

/* A function's own lines tell no more than its name does. */
static bool is_called(const struct candidate *candidate)
{
	return candidate->verdict->target->target->kind == TARGET_INCLUSIVE;
}

static bool is_of_library(const struct candidate *candidate)
{
	const char *object = candidate->verdict->target->target->object;
	const char *end = object ? strstr(path_base(object), ".so") : NULL;

	return end && (!end[3] || end[3] == '.');
}

static bool is_of_script(const struct candidate *candidate)
{
	const char *object = candidate->verdict->target->target->object;

	return object && !strcmp(object, RECORDING_PYTHON_OBJECT);
}

/* Of a script's code: a line that is nearly all of its function tells the same once more. */
static bool is_own_place(const struct candidate *candidate)
{
	const struct causal_target *place = candidate->verdict->target;
	const struct candidate *outer = candidate->outer;

	return is_of_script(candidate) &&
	       (place->target->kind != TARGET_LINE || !outer ||
		place->share < LINE_LEAST * outer->verdict->target->share);
}

/* To a reader of the place; what an interpreter does for its script tells less than the script. */
static bool tells(const struct candidate *part, const struct candidate *outer)
{
	return part->outer == outer && (has_name(part) || !has_name(outer)) &&
	       (is_of_script(part) || !is_own_place(outer));
}

/*
 * The parts of a place around the whole program tell more than it does, if they have names and it
 * does little itself. A function of a library tells which library it is, and so what the program
 * asks it for: it stays, unless its parts are nearly all of it.
 */
static bool is_around(const struct candidates *candidates, const struct candidate *outer)
{
	double told = 0;

	for (size_t i = 0; i < candidates->count; i++)
		if (tells(&candidates->items[i], outer))
			told += slope_of(&candidates->items[i]);
	return !outer->is_own_work &&
	       (!is_of_library(outer) || told >= PARTS_LEAST * slope_of(outer));
}

/*
 * Besides: a named part with most of the gain tells more than code without a name, and a function
 * more than one that only calls it. A line of a script stays: its reader can edit it.
 */
static bool is_told_by_parts(const struct candidates *candidates, const struct candidate *outer,
			     double code_share)
{
	bool is_outermost = outer->verdict->target->share >= OUTERMOST_LEAST * code_share;
	bool is_told = false;

	if (is_own_place(outer) && outer->verdict->target->target->kind == TARGET_LINE)
		return false;
	for (size_t i = 0; i < candidates->count; i++) {
		const struct candidate *part = &candidates->items[i];
		if (!tells(part, outer))
			continue;
		is_told |= (is_outermost || (is_called(part) && slope_of(outer) >= PACE_LEAST)) &&
			   is_around(candidates, outer);
		is_told |= is_called(part) && slope_of(part) >= WRAPPED_LEAST * slope_of(outer);
		is_told |= !has_name(outer) && has_name(part) &&
			   slope_of(part) > TOLD_LEAST * slope_of(outer);
	}
	return is_told;
}

static void leave_out_outermost(struct candidates *candidates, double code_share)
{
	for (size_t i = candidates->count; i-- > 0;) { /* from inside to outside */
		struct candidate *outer = &candidates->items[i];
		if (!is_told_by_parts(candidates, outer, code_share))
			continue;
		for (size_t j = 0; j < candidates->count; j++)
			if (candidates->items[j].outer == outer)
				candidates->items[j].outer = outer->outer;
		outer->is_left_out = true;
	}
}

/* Adds what stands directly in `outer`, each followed by its own parts. */
static void add_inside(struct causes *causes, const struct candidates *candidates,
		       const struct candidate *outer, unsigned depth, unsigned *left)
{
	for (size_t i = 0; i < candidates->count && depth <= DEPTH_MOST; i++) {
		const struct candidate *one = &candidates->items[i];
		if (one->outer != outer || one->is_left_out || !*left)
			continue;
		--*left;
		causes->items[causes->count++] = (struct cause){one->verdict, depth};
		add_inside(causes, candidates, one, depth + 1, left);
	}
}

struct causes causes_of(const struct advice *advice)
{
	struct candidates candidates = candidates_of(advice);
	struct causes causes = {0};
	unsigned roots = 0;

	leave_out_outermost(&candidates, 1 - advice->waiting_share - advice->sleep_share);
	for (size_t i = 0; i < candidates.count && roots < CAUSES_ROOTS_MOST; i++) {
		const struct candidate *root = &candidates.items[i];
		unsigned left = CAUSES_INSIDE_MOST;
		if (root->outer || root->is_left_out)
			continue;
		roots++;
		causes.items[causes.count++] = (struct cause){root->verdict, 0};
		add_inside(&causes, &candidates, root, 1, &left);
	}
	free(candidates.items);
	return causes;
}
