/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * open_spans - the innermost open span of a thread, read from the memory of lever.h
 * (wire/points.h).
 */
#pragma once

#include "bpf/progress.h"

struct span_search {
	u64 threads; /* address of the array in struct points_opens */
	u32 tid;
	u32 entry; /* POINTS_MOST until found */
	u64 slot;  /* address of the thread's entry, 0 until found */
};

static long span_step(u32 probe, void *context)
{
	struct span_search *search = context;
	u64 address =
		search->threads + (search->tid + probe) % POINTS_OPENS * sizeof(struct points_open);
	struct {
		u32 tid, depth;
	} open;
	u8 entry;

	if (bpf_probe_read_user(&open, sizeof(open), (void *)address) || !open.tid)
		return 1;
	if (open.tid != search->tid)
		return 0;
	search->slot = address;
	if (open.depth > POINTS_OPEN_DEPTH)
		open.depth = POINTS_OPEN_DEPTH;
	address += __builtin_offsetof(struct points_open, spans) + open.depth - 1;
	if (open.depth && !bpf_probe_read_user(&entry, sizeof(entry), (void *)address))
		search->entry = entry;
	return 1;
}

/* Index of the point that began the current task's innermost open span; WIRE_SPAN_NONE. */
__noinline u32 open_span_of_current(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct address_space *space = address_space_of(task);
	struct span_search search = {.entry = POINTS_MOST};

	if (!settings.enable_spans || !space || !space->points_page)
		return WIRE_SPAN_NONE;
	u64 opens = 0;
	u64 address = space->points_page + __builtin_offsetof(struct points_names, opens);
	if (bpf_probe_read_user(&opens, sizeof(opens), (void *)address) || !opens)
		return WIRE_SPAN_NONE;
	search.threads = opens + __builtin_offsetof(struct points_opens, threads);
	search.tid = thread_id_of(task);
	bpf_loop(POINTS_OPEN_PROBES, span_step, &search, 0);
	if (search.entry >= POINTS_MOST || search.entry >= space->points_known)
		return WIRE_SPAN_NONE;
	return space->point_index[search.entry];
}
