/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nesting - follows the caller with most time outwards, to the nearest one that was tried.
 *
 * A target with several callers stands inside the main one, if that accounts for half of its time.
 */
#include "analyze/causal/nesting.h"

#include "base/hash_map.h"
#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define DEPTH_MOST 40  /* chains may go in circles */
#define MAIN_LEAST 0.5 /* of the time in calls of it */
#define JUMP_LEAST 0.9 /* the same, by calls of one function of its library */

struct nest {
	struct causal_target *target; /* NULL: without samples in this recording */
	double main_ns, all_ns;
	uint32_t main_outer;
	double jump_ns; /* entered by calls of this function, which jumps to it */
	const char *jump;
};

struct nests {
	ARRAY(struct nest) items;
	struct hash_map by_id; /* (target id, 0) -> index */
};

static uint32_t nest_of(struct nests *nests, int64_t id)
{
	uint32_t known = hash_map_get(&nests->by_id, (uint64_t)id, 0);

	if (known != HASH_MAP_NONE)
		return known;
	known = (uint32_t)nests->items.count;
	*array_add(&nests->items) = (struct nest){.main_outer = HASH_MAP_NONE};
	hash_map_set(&nests->by_id, (uint64_t)id, 0, known);
	return known;
}

/* Code of a script may have such a target, too. */
static bool is_call_of_library(const struct recording_target *target)
{
	return target->kind == TARGET_FUNCTION &&
	       !text_equals(target->object, RECORDING_PYTHON_OBJECT);
}

/* Of several runs, the one in which most time was handed on decides. */
static void add_edge(struct nests *nests, const struct recording_call_edge *edge)
{
	uint32_t outer = nest_of(nests, edge->outer_id);
	struct nest *inner = &nests->items.items[nest_of(nests, edge->inner_id)];
	const struct causal_target *caller = nests->items.items[outer].target;

	if (caller && is_call_of_library(caller->target)) {
		bool is_more = (double)edge->sampled_ns > inner->jump_ns;
		inner->jump = is_more ? caller->target->function : inner->jump;
		inner->jump_ns = fmax(inner->jump_ns, (double)edge->sampled_ns);
		return;
	}
	inner->all_ns += (double)edge->sampled_ns;
	if ((double)edge->sampled_ns <= inner->main_ns)
		return;
	inner->main_ns = (double)edge->sampled_ns;
	inner->main_outer = outer;
}

/* The nearest one outwards that is asked for; NULL: none. */
static const struct causal_target *outer_of(const struct nests *nests, uint32_t at,
					    bool (*is_asked)(const struct causal_target *target))
{
	uint32_t first = at;

	for (int depth = 0; depth < DEPTH_MOST; depth++) {
		const struct nest *nest = &nests->items.items[at];
		if (nest->main_outer == HASH_MAP_NONE || nest->main_outer == first ||
		    nest->main_ns < MAIN_LEAST * nest->all_ns)
			return NULL;
		at = nest->main_outer;
		const struct causal_target *target = nests->items.items[at].target;
		if (target && is_asked(target))
			return target;
	}
	return NULL;
}

static bool was_tried(const struct causal_target *target)
{
	return target->count > 0;
}

/* "sort+0x5a20" is a place, no name. */
static bool has_name(const struct causal_target *target)
{
	return target->target->function && !strstr(target->target->function, "+0x");
}

/* A function that runs in no chain of calls, as a member of a set: the same with what it calls. */
static const struct causal_target *with_calls(const struct causal *causal,
					      const struct causal_target *target)
{
	for (size_t i = 0; i < causal->count && target->target->kind == TARGET_FUNCTION; i++) {
		const struct causal_target *other = &causal->targets[i];
		if (other->target->kind == TARGET_INCLUSIVE && was_tried(other) &&
		    text_equals(other->target->function, target->target->name) &&
		    text_equals(other->target->object, target->target->object))
			return other;
	}
	return NULL;
}

/* In recursion two targets can stand inside each other; the larger share is the outer one. */
static void break_circles(struct causal *causal)
{
	for (size_t i = 0; i < causal->count; i++) {
		struct causal_target *target = &causal->targets[i];
		const struct causal_target *at = target->outer;
		for (int depth = 0; at && at != target && depth < DEPTH_MOST; depth++)
			at = at->outer;
		if (at)
			target->outer = NULL;
	}
}

/* Of code without a name: the function that has one. */
static void find_name(const struct nests *nests, uint32_t at, struct causal_target *target)
{
	const struct nest *nest = &nests->items.items[at];
	const struct causal_target *named = has_name(target) ? NULL : outer_of(nests, at, has_name);

	target->named_outer = named ? named->target->function : NULL;
	if (has_name(target) || !nest->jump || nest->jump_ns < JUMP_LEAST * nest->all_ns)
		return;
	target->named_outer = nest->jump;
	target->is_all_of_named = true;
}

void nesting_find(const struct recording *recording, struct causal *causal)
{
	struct nests nests = {0};

	for (size_t i = 0; i < causal->count; i++) {
		uint32_t nest = nest_of(&nests, causal->targets[i].target->id);
		nests.items.items[nest].target = &causal->targets[i];
	}
	for (size_t i = 0; i < recording->call_edges.count; i++)
		add_edge(&nests, &recording->call_edges.items[i]);
	for (size_t i = 0; i < causal->count; i++) {
		struct causal_target *target = &causal->targets[i];
		uint32_t nest = nest_of(&nests, target->target->id);
		target->outer = outer_of(&nests, nest, was_tried);
		target->outer = target->outer ? target->outer : with_calls(causal, target);
		find_name(&nests, nest, target);
	}
	break_circles(causal);
	array_free(&nests.items);
	hash_map_clear(&nests.by_id);
}
