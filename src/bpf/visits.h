/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * visits - counts visits to progress points, in total and by process, and moves the edges of a
 * window.
 */
#pragma once

#include "bpf/state.h"
#include "bpf/waiters.h"
#include "wire/points.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KERNEL_VISIT_KEYS_MOST);
	__type(key, struct kernel_visit_key);
	__type(value, struct kernel_visits);
} visits_by_process SEC(".maps");

static __always_inline bool process_visits_raise(const struct kernel_visit_key *visitor, u64 visits)
{
	struct kernel_visits *known = bpf_map_lookup_elem(&visits_by_process, visitor);

	if (known)
		__sync_fetch_and_add(&known->count, visits);
	return known;
}

/* By process. Without room in the map, visits are in the total only. */
static __always_inline void process_visits_add(u32 index, u64 visits)
{
	struct task_struct *process = bpf_get_current_task_btf()->group_leader;
	struct kernel_visit_key visitor = {.tgid = tgid_of(process), .point = index};

	if (process_visits_raise(&visitor, visits))
		return;
	struct kernel_visits first = {.count = visits};
	bpf_probe_read_kernel_str(first.command, sizeof(first.command), process->comm);
	if (bpf_map_update_elem(&visits_by_process, &visitor, &first, BPF_NOEXIST))
		process_visits_raise(&visitor,
				     visits); /* another thread of the process was first */
}

/*
 * Adds to the total, and moves the edges of the open window. A function of its own, so that the
 * verifier checks it once.
 */
__noinline int progress_add(u64 index, u64 visits, u64 now)
{
	if (index >= WIRE_POINTS_MOST)
		return 0;
	u64 total = __sync_fetch_and_add(&points[index].total, visits) + visits;
	process_visits_add(index, visits);
	u64 window = settings.window;
	if (!window)
		return 0;
	struct kernel_edge *edge =
		&edges[bpf_get_smp_processor_id() & (KERNEL_CPUS_MOST - 1)][index];
	waiters_advance(now);
	u64 global = global_delay();
	if (edge->window != window) {
		edge->first_ns = now;
		edge->first_delay_ns = global;
		edge->first_total = total;
		edge->window = window;
	}
	edge->last_ns = now;
	edge->last_delay_ns = global;
	edge->last_total = total;
	return 0;
}

struct name_search {
	u64 hash;
	u32 kind;
	u32 index; /* WIRE_POINTS_MOST until found */
	u32 is_new;
	u32 pad;
};

static long name_step(u32 index, void *context)
{
	struct name_search *search = context;
	if (index >= WIRE_POINTS_MOST)
		return 1;
	u64 old = __sync_val_compare_and_swap(&points[index].hash, 0, search->hash);
	if (old && old != search->hash)
		return 0;
	search->index = index;
	search->is_new = !old;
	return 1;
}

/* Finds or creates the point; WIRE_POINTS_MOST: there is no room. */
static __always_inline u32 point_index_of(const struct points_entry *entry)
{
	struct name_search search = {.hash = entry->hash, .index = WIRE_POINTS_MOST};
	bpf_loop(WIRE_POINTS_MOST, name_step, &search, 0);
	if (search.index >= WIRE_POINTS_MOST)
		totals.dropped_points++;
	else if (search.is_new) {
		points[search.index].kind = entry->kind;
		__builtin_memcpy(points[search.index].name, entry->name, sizeof(entry->name));
	}
	return search.index;
}
