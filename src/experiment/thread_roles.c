/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_roles - compares threads by the directions of their times over places. */
#include "experiment/thread_roles.h"

#include <math.h>
#include <string.h>

#define THREADS_MOST 256 /* that are compared; the role of the others is unknown */
#define SAME_LEAST 0.7   /* cosine between threads of one role */

/* A thread, and its times by place. */
struct row {
	uint32_t thread;
	double *times; /* of roles: sums */
};

struct rows {
	struct row *items;
	size_t count, capacity;
};

void thread_roles_add(struct thread_roles *roles, uint32_t thread, uint32_t place, double ns)
{
	uint32_t index = hash_map_get(&roles->indices, thread, place);

	if (index == HASH_MAP_NONE) {
		index = (uint32_t)roles->count;
		hash_map_set(&roles->indices, thread, place, index);
		(void)array_add(roles);
		roles->items[index].thread = thread;
		roles->items[index].place = place;
		roles->items[index].ns = 0;
	}
	roles->items[index].ns += ns;
}

static struct row *row_of(struct rows *rows, uint32_t thread, size_t places)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].thread == thread)
			return &rows->items[i];
	if (rows->count == THREADS_MOST)
		return NULL;
	struct row *added = array_add(rows);
	added->thread = thread;
	added->times = memory_new(places, sizeof(*added->times));
	return added;
}

static struct rows rows_of(const struct thread_roles *roles, const uint32_t *places, size_t count)
{
	struct rows rows = {0};

	for (size_t i = 0; i < roles->count; i++)
		for (size_t j = 0; j < count; j++) {
			struct row *row = places[j] == roles->items[i].place ?
						  row_of(&rows, roles->items[i].thread, count) :
						  NULL;
			if (row)
				row->times[j] += roles->items[i].ns;
		}
	return rows;
}

static void rows_release(struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->items[i].times);
	array_free(rows);
}

static double product(const double *left, const double *right, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += left[i] * right[i];
	return sum;
}

static double cosine(const struct row *left, const struct row *right, size_t count)
{
	double squares = product(left->times, left->times, count) *
			 product(right->times, right->times, count);

	return squares > 0 ? product(left->times, right->times, count) / sqrt(squares) : 0;
}

void thread_roles_of(const struct thread_roles *roles, const uint32_t *places, size_t count,
		     unsigned *numbers)
{
	struct rows threads = rows_of(roles, places, count), found = {0};

	for (size_t i = 0; i < threads.count; i++) {
		size_t role = 0;
		while (role < found.count &&
		       cosine(&found.items[role], &threads.items[i], count) < SAME_LEAST)
			role++;
		struct row *row = role < found.count ? &found.items[role] :
						       row_of(&found, (uint32_t)role, count);
		for (size_t j = 0; row && j < count; j++)
			row->times[j] += threads.items[i].times[j];
	}
	for (size_t j = 0; j < count; j++) {
		numbers[j] = 0;
		for (size_t role = 1; role < found.count; role++)
			if (found.items[role].times[j] > found.items[numbers[j]].times[j])
				numbers[j] = (unsigned)role;
	}
	rows_release(&threads);
	rows_release(&found);
}

double thread_roles_share_of_others(const struct thread_roles *roles)
{
	struct rows threads = {0};
	double most = 0, sum = 0;

	for (size_t i = 0; i < roles->count; i++) {
		struct row *row = row_of(&threads, roles->items[i].thread, 1);
		sum += roles->items[i].ns;
		if (row)
			row->times[0] += roles->items[i].ns;
	}
	for (size_t i = 0; i < threads.count; i++)
		most = fmax(most, threads.items[i].times[0]);
	rows_release(&threads);
	return sum > 0 ? 1 - most / sum : 0;
}

void thread_roles_release(struct thread_roles *roles)
{
	hash_map_clear(&roles->indices);
	array_free(roles);
}
