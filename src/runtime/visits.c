/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * visits - counts visits to progress points: their totals in the shared page, and the edges of the
 * open window.
 *
 * One thread of the process moves edges at a time. A thread that finds another one at it adds to
 * the total only; the next visit or sample moves the edge.
 */
#include "runtime/visits.h"

#include "runtime/pause.h"

static uint32_t is_busy;

bool visits_begin(void)
{
	return !__atomic_exchange_n(&is_busy, 1, __ATOMIC_ACQUIRE);
}

void visits_end(void)
{
	__atomic_store_n(&is_busy, 0, __ATOMIC_RELEASE);
}

void visits_fork(void)
{
	is_busy = 0;
}

/* Moves the edges of the open window, between visits_begin and visits_end. */
static void move_edges(uint32_t index, uint64_t total, uint64_t now)
{
	uint64_t window = __atomic_load_n(&runtime_page->settings.window, __ATOMIC_ACQUIRE);
	struct runtime_edge *edge = &runtime_process->edges[index];

	if (!window)
		return;
	uint64_t global = global_delay(now);
	__atomic_store_n(&edge->sequence, edge->sequence | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	if (edge->window != window) {
		edge->first_ns = now;
		edge->first_delay_ns = global;
		edge->first_total = total;
		edge->window = window;
	}
	edge->last_ns = now;
	edge->last_delay_ns = global;
	edge->last_total = total;
	__atomic_store_n(&edge->sequence, edge->sequence + 1, __ATOMIC_RELEASE);
}

static uint64_t raise_total(uint32_t index, uint64_t visits)
{
	return __atomic_add_fetch(&runtime_page->points[index].total, visits, __ATOMIC_ACQ_REL);
}

void visits_count(uint32_t index, uint64_t visits, uint64_t now)
{
	move_edges(index, raise_total(index, visits), now);
}

void visits_add(uint32_t index, uint64_t visits, uint64_t now)
{
	if (index >= WIRE_POINTS_MOST)
		return;
	uint64_t total = raise_total(index, visits);
	if (!visits_begin())
		return;
	move_edges(index, total, now);
	visits_end();
}
