/* SPDX-License-Identifier: BSD-2-Clause */
/* visitors - adds up a point's visits by process. */
#include "analyze/visitors.h"

#include <string.h>

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void add(struct visitors *visitors, const struct recording_visitor *row)
{
	for (size_t i = 0; i < visitors->count; i++) {
		struct visitor *visitor = &visitors->items[i];
		if (visitor->pid == row->pid && is_same(visitor->command, row->command)) {
			visitor->visits += row->visits;
			return;
		}
	}
	*array_add(visitors) = (struct visitor){row->pid, row->command, row->visits};
}

static int by_visits(const void *left, const void *right)
{
	const struct visitor *a = left, *b = right;

	if (a->visits != b->visits)
		return a->visits < b->visits ? 1 : -1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* Of one run; 0 if it has none by process. */
static uint64_t known_visits(const struct recording *recording, int64_t run_id, int64_t point_id)
{
	uint64_t visits = 0;

	for (size_t i = 0; i < recording->visitors.count; i++) {
		const struct recording_visitor *row = &recording->visitors.items[i];
		if (row->run_id == run_id && row->point_id == point_id)
			visits += row->visits;
	}
	return visits;
}

struct visitors visitors_of(const struct recording *recording, int64_t point_id)
{
	struct visitors visitors = {0};

	for (size_t i = 0; i < recording->visitors.count; i++)
		if (recording->visitors.items[i].point_id == point_id)
			add(&visitors, &recording->visitors.items[i]);
	if (visitors.count)
		qsort(visitors.items, visitors.count, sizeof(*visitors.items), by_visits);
	for (size_t i = 0; i < recording->totals.count; i++) {
		const struct recording_total *total = &recording->totals.items[i];
		if (total->point_id != point_id)
			continue;
		uint64_t known = known_visits(recording, total->run_id, point_id);
		if (known && total->visits > known)
			visitors.unknown += total->visits - known;
	}
	return visitors;
}

void visitors_release(struct visitors *visitors)
{
	array_free(visitors);
}
