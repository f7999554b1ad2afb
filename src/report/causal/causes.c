/* SPDX-License-Identifier: BSD-2-Clause */
/* causes - takes the best sure gains, and sorts each below the nearest one around it. */
#include "report/causal/causes.h"

#include "base/memory.h"

#include <stdlib.h>

#define DEPTH_MOST 3

struct candidate {
	const struct target_verdict *verdict;
	const struct candidate *outer; /* NULL: a root */
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
	}
	return result;
}

/* Adds what stands directly in `outer`, each followed by its own parts. */
static void add_inside(struct causes *causes, const struct candidates *candidates,
		       const struct candidate *outer, unsigned depth, unsigned *left)
{
	for (size_t i = 0; i < candidates->count && depth <= DEPTH_MOST; i++) {
		const struct candidate *one = &candidates->items[i];
		if (one->outer != outer || !*left)
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

	for (size_t i = 0; i < candidates.count && roots < CAUSES_ROOTS_MOST; i++) {
		const struct candidate *root = &candidates.items[i];
		unsigned left = CAUSES_INSIDE_MOST;
		if (root->outer)
			continue;
		roots++;
		causes.items[causes.count++] = (struct cause){root->verdict, 0};
		add_inside(&causes, &candidates, root, 1, &left);
	}
	free(candidates.items);
	return causes;
}
