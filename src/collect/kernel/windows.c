/* SPDX-License-Identifier: BSD-2-Clause */
/* windows - what the cores counted of points, pairs and spans in one window. */
#include "collect/kernel/engine.h"

#include <string.h>

void kernel_sum_pairs(const struct collector *collector, uint64_t sums[WIRE_PAIRS_MOST],
		      uint64_t *weight_ns)
{
	memset(sums, 0, WIRE_PAIRS_MOST * sizeof(*sums));
	*weight_ns = 0;
	for (unsigned cpu = 0; cpu < collector->facts.cpus; cpu++) {
		const struct kernel_cpu *core = &kernel_of(collector)->bpf->bss->cpus[cpu];
		*weight_ns += (uint64_t)core->pair_weight_ns;
		for (int pair = 0; pair < WIRE_PAIRS_MOST; pair++)
			sums[pair] += (uint64_t)core->pair_ns[pair];
	}
}

static uint64_t ended_of(const struct collector *collector, unsigned pair)
{
	unsigned end = collector->settings->pairs[pair].end % WIRE_POINTS_MOST;
	return __atomic_load_n(&collector->points[end].total, __ATOMIC_RELAXED);
}

/*
 * Between windows only a core that has just seen one open still adds: those few spans count.
 */
void kernel_lengths_begin(struct collector *collector)
{
	struct kernel_engine *kernel = kernel_of(collector);

	memset(kernel->bpf->bss->lengths, 0, sizeof(kernel->bpf->bss->lengths));
	for (unsigned pair = 0; pair < WIRE_PAIRS_MOST; pair++)
		kernel->pair_ended[pair] = ended_of(collector, pair);
}

void kernel_lengths_end(struct collector *collector)
{
	struct kernel_engine *kernel = kernel_of(collector);

	memcpy(kernel->lengths, kernel->bpf->bss->lengths, sizeof(kernel->lengths));
	for (unsigned pair = 0; pair < WIRE_PAIRS_MOST; pair++)
		kernel->pair_ended[pair] = ended_of(collector, pair) - kernel->pair_ended[pair];
}

struct collector_lengths kernel_pair_lengths(const struct collector *collector, unsigned pair)
{
	if (pair >= WIRE_PAIRS_MOST)
		return (struct collector_lengths){0};
	return (struct collector_lengths){
		.measured = &kernel_of(collector)->lengths[pair],
		.ended = kernel_of(collector)->pair_ended[pair],
		.settled_ns =
			collector->window_opened_ns - collector->settings->delay.generation_ns,
		.window_ns = collector->window_lasted_ns,
	};
}

/*
 * From the first edge of all cores to the last edge of all cores. Two visits of different cores
 * within 1 us may have read G in the other order: they tell nothing.
 */
struct collector_visits kernel_window_visits(const struct collector *collector, unsigned point)
{
	struct collector_visits visits = {0};
	const struct kernel_edge *first = NULL, *last = NULL;

	if (point >= WIRE_POINTS_MOST)
		return visits;
	for (unsigned cpu = 0; cpu < collector->facts.cpus; cpu++) {
		const struct kernel_edge *edge = &kernel_of(collector)->bpf->bss->edges[cpu][point];
		if (edge->window != collector->windows)
			continue;
		if (!first || edge->first_ns < first->first_ns)
			first = edge;
		if (!last || edge->last_ns > last->last_ns)
			last = edge;
	}
	if (!first || last->last_total <= first->first_total || last->last_ns <= first->first_ns ||
	    last->last_delay_ns < first->first_delay_ns)
		return visits;
	visits.visits = last->last_total - first->first_total;
	visits.duration_ns = last->last_ns - first->first_ns;
	visits.delay_ns = last->last_delay_ns - first->first_delay_ns;
	return visits;
}
