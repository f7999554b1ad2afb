/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * windows - what the program counted of points and pairs in one window.
 *
 * The program can write anything into its page, so only differences count, and sums wrap.
 */
#include "collect/runtime/engine.h"

#include <string.h>

void runtime_sum_pairs(const struct collector *collector, uint64_t sums[WIRE_PAIRS_MOST],
		       uint64_t *weight_ns)
{
	memset(sums, 0, WIRE_PAIRS_MOST * sizeof(*sums));
	*weight_ns = 0;
	for (unsigned i = 0; i < RUNTIME_STRIPES; i++) {
		const struct runtime_counters *stripe = &runtime_of(collector)->page->counters[i];
		*weight_ns += (uint64_t)stripe->pair_weight_ns;
		for (int pair = 0; pair < WIRE_PAIRS_MOST; pair++)
			sums[pair] += (uint64_t)stripe->pair_ns[pair];
	}
}

/* Copies the edge while it is not written; false if it is not of this window. */
static bool read_edge(const struct runtime_edge *edge, uint64_t window, struct runtime_edge *copy)
{
	for (int i = 0; i < 100; i++) {
		uint64_t sequence = __atomic_load_n(&edge->sequence, __ATOMIC_ACQUIRE);
		*copy = *edge;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(sequence & 1) &&
		    __atomic_load_n(&edge->sequence, __ATOMIC_RELAXED) == sequence)
			return copy->window == window;
	}
	return false; /* its process was killed while it wrote */
}

/* From the first edge of all processes to the last edge of all processes. */
struct collector_visits runtime_window_visits(const struct collector *collector, unsigned index)
{
	const struct runtime_engine *runtime = runtime_of(collector);
	struct runtime_edge first = {0}, last = {0}, edge;
	bool is_found = false;

	if (index >= WIRE_POINTS_MOST)
		return (struct collector_visits){0};
	for (unsigned i = 0; i < runtime_processes_used(runtime); i++) {
		const struct runtime_process *process = &runtime->page->processes[i];
		if (!process->pid || !read_edge(&process->edges[index], collector->windows, &edge))
			continue;
		if (!is_found || edge.first_ns < first.first_ns)
			first = edge;
		if (!is_found || edge.last_ns > last.last_ns)
			last = edge;
		is_found = true;
	}
	if (!is_found || last.last_total <= first.first_total || last.last_ns <= first.first_ns ||
	    last.last_delay_ns < first.first_delay_ns)
		return (struct collector_visits){0};
	return (struct collector_visits){
		.visits = last.last_total - first.first_total,
		.duration_ns = last.last_ns - first.first_ns,
		.delay_ns = last.last_delay_ns - first.first_delay_ns,
	};
}
