/* SPDX-License-Identifier: BSD-2-Clause */
/* content_match - pairs of equal lines, as sampled time by pairs of functions. */
#include "analyze/diff/content_match.h"

#include "analyze/diff/function_match.h"
#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

#define SHARE_LEAST 0.5

/* A line that no other function of its side says; of several in one function, their sum. */
struct single {
	const char *content;
	size_t function;
	double sampled_ns;
};

struct side {
	ARRAY(struct single) singles; /* by content */
	double *all_ns;               /* by function, of known lines */
	size_t count;
	bool *is_matched;
};

static int by_content(const void *left, const void *right)
{
	const struct single *a = left, *b = right;
	return strcmp(a->content, b->content);
}

/* Sorted lines; keeps one of each content, and none that two functions have. */
static void keep_singles(struct side *side)
{
	struct single *items = side->singles.items;
	size_t kept = 0;

	for (size_t i = 0, end; i < side->singles.count; i = end) {
		bool is_single = true;
		struct single sum = items[i];
		for (end = i + 1; end < side->singles.count && !by_content(&items[i], &items[end]);
		     end++) {
			is_single = is_single && items[end].function == sum.function;
			sum.sampled_ns += items[end].sampled_ns;
		}
		if (is_single)
			items[kept++] = sum;
	}
	side->singles.count = kept;
}

static struct side side_of(const struct content_side *given)
{
	struct side side = {.count = given->function_count};

	side.all_ns = memory_new(side.count + 1, sizeof(double));
	side.is_matched = memory_new(side.count + 1, sizeof(bool));
	for (size_t i = 0; i < given->line_count; i++) {
		const struct content_line *line = &given->lines[i];
		side.all_ns[line->function] += line->sampled_ns;
		if (line->content)
			*array_add(&side.singles) =
				(struct single){line->content, line->function, line->sampled_ns};
	}
	if (side.singles.count)
		qsort(side.singles.items, side.singles.count, sizeof(struct single), by_content);
	keep_singles(&side);
	return side;
}

static void side_free(struct side *side)
{
	array_free(&side->singles);
	free(side->all_ns);
	free(side->is_matched);
}

/* Lines that both sides have. */
struct common {
	size_t before, after; /* functions */
	double share[2];      /* of the sampled time of each */
};

struct common_list {
	struct common *items;
	size_t count, capacity;
};

static int by_functions(const void *left, const void *right)
{
	const struct common *a = left, *b = right;

	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;
	return a->after < b->after ? -1 : a->after > b->after;
}

/* By what both have in common; the most first. */
static int by_share(const void *left, const void *right)
{
	const struct common *a = left, *b = right;
	double one = a->share[0] + a->share[1], other = b->share[0] + b->share[1];

	return one != other ? (one > other ? -1 : 1) : by_functions(left, right);
}

static double share_of(const struct side *side, const struct single *single)
{
	double all_ns = side->all_ns[single->function];
	return all_ns > 0 ? single->sampled_ns / all_ns : 0;
}

static struct common_list find_common(const struct side *left, const struct side *right)
{
	struct common_list list = {0};
	size_t kept = 0;

	for (size_t i = 0, j = 0; i < left->singles.count && j < right->singles.count;) {
		const struct single *a = &left->singles.items[i], *b = &right->singles.items[j];
		int order = by_content(a, b);
		if (!order)
			*array_add(&list) =
				(struct common){a->function,
						b->function,
						{share_of(left, a), share_of(right, b)}};
		i += order <= 0;
		j += order >= 0;
	}
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), by_functions);
	for (size_t i = 0; i < list.count; i++) {
		struct common *last = kept ? &list.items[kept - 1] : NULL;
		if (last && !by_functions(last, &list.items[i])) {
			last->share[0] += list.items[i].share[0];
			last->share[1] += list.items[i].share[1];
		} else {
			list.items[kept++] = list.items[i];
		}
	}
	list.count = kept;
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), by_share);
	return list;
}

static void match_renamed(const struct common_list *list, struct side *left, struct side *right,
			  size_t *matches)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct common *common = &list->items[i];
		if (left->is_matched[common->before] || right->is_matched[common->after] ||
		    common->share[0] < SHARE_LEAST || common->share[1] < SHARE_LEAST)
			continue;
		matches[common->before] = common->after;
		left->is_matched[common->before] = right->is_matched[common->after] = true;
	}
}

static void find_joined(const struct common_list *list, const struct side *left,
			const struct side *right, size_t *into, size_t *from)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct common *common = &list->items[i];
		if (!left->is_matched[common->before] && right->is_matched[common->after] &&
		    common->share[0] >= SHARE_LEAST)
			into[common->before] = common->after;
		if (left->is_matched[common->before] && !right->is_matched[common->after] &&
		    common->share[1] >= SHARE_LEAST)
			from[common->after] = common->before;
	}
}

static void mark_matched(struct side *left, struct side *right, const size_t *matches)
{
	for (size_t i = 0; i < left->count; i++)
		if (matches[i] != FUNCTION_MATCH_NONE)
			left->is_matched[i] = right->is_matched[matches[i]] = true;
}

void content_match(const struct content_sides *sides, size_t *matches)
{
	struct side left = side_of(&sides->before), right = side_of(&sides->after);
	struct common_list list = find_common(&left, &right);

	mark_matched(&left, &right, matches);
	match_renamed(&list, &left, &right, matches);
	array_free(&list);
	side_free(&left);
	side_free(&right);
}

void content_match_joined(const struct content_sides *sides, const size_t *matches, size_t *into,
			  size_t *from)
{
	struct side left = side_of(&sides->before), right = side_of(&sides->after);
	struct common_list list = find_common(&left, &right);

	for (size_t i = 0; i < left.count; i++)
		into[i] = FUNCTION_MATCH_NONE;
	for (size_t i = 0; i < right.count; i++)
		from[i] = FUNCTION_MATCH_NONE;
	mark_matched(&left, &right, matches);
	find_joined(&list, &left, &right, into, from);
	array_free(&list);
	side_free(&left);
	side_free(&right);
}
