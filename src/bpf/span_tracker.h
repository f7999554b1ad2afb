/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * span_tracker - polls the open spans of each thread, to measure their lengths in effective time.
 *
 * The stack of open spans (wire/points.h) is polled at a tick in the thread and when the thread
 * leaves its core. A new span has begun since the last poll, a missing one has ended. Both are
 * noticed late by the same time on average, so the error of a length is below one period, without
 * bias. A span that begins and ends between two polls is not seen: only spans of many periods are
 * measured; shorter ones are only counted.
 *
 * The effective clock of a thread is CLOCK_MONOTONIC less its core's local delay. Local delays grow
 * by pauses and by credit (for time in the target, and for waits for it). Only credit has the
 * sampling error of ticks, so both are kept apart: see stats/tail.h.
 */
#pragma once

#include "bpf/open_spans.h"
#include "bpf/pause.h"
#include "bpf/span_lengths.h"

/* A copy of the stack in the program's memory. */
struct span_stack_copy {
	struct {
		u32 tid, depth;
		u8 spans[SPAN_TRACKER_DEPTH];
	} open;
	struct {
		u32 begun;
		u32 at[SPAN_TRACKER_DEPTH];
	} serials;
};

struct span_tracker {
	u64 slot, serials; /* addresses in the program's memory; slot 0: not found */
	u32 space;
	u32 tid;
	u32 begun, depth; /* at the last poll */
	u64 paused_ns;    /* by this thread */
	u64 spun_ns;      /* of its core, at the last poll */
	struct span_start bases[SPAN_TRACKER_DEPTH];
	struct span_stack_copy view; /* too large for the stack of `tick` on Linux 6.1 */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct span_tracker);
} span_trackers SEC(".maps");

/* Finds the thread's stack in the program's memory. */
static __always_inline bool span_tracker_find(struct span_tracker *tracker,
					      const struct address_space *space,
					      struct task_struct *task)
{
	struct span_search search = {.entry = POINTS_MOST};
	u64 opens = 0, serials = 0;
	u64 page = space->points_page;

	if (tracker->slot && tracker->space == space->id)
		return true;
	tracker->slot = 0;
	if (bpf_probe_read_user(&opens, sizeof(opens),
				(void *)(page + __builtin_offsetof(struct points_names, opens))) ||
	    bpf_probe_read_user(&serials, sizeof(serials),
				(void *)(page +
					 __builtin_offsetof(struct points_names, serials))) ||
	    !opens || !serials)
		return false;
	search.threads = opens + __builtin_offsetof(struct points_opens, threads);
	search.tid = thread_id_of(task);
	bpf_loop(POINTS_OPEN_PROBES, span_step, &search, 0);
	if (!search.slot)
		return false;
	__builtin_memset(tracker->bases, 0, sizeof(tracker->bases));
	tracker->slot = search.slot;
	tracker->serials = serials + (search.slot - search.threads) / sizeof(struct points_open) *
					     sizeof(struct points_span_serials);
	tracker->space = space->id;
	tracker->tid = search.tid;
	tracker->begun = tracker->depth = 0;
	return true;
}

static __always_inline void span_tracker_compare(struct span_tracker *tracker,
						 const struct address_space *space,
						 struct span_start *seen)
{
	const struct span_stack_copy *view = &tracker->view;

	for (u32 i = 0; i < SPAN_TRACKER_DEPTH; i++) {
		struct span_start *base = &tracker->bases[i];
		bool is_open = i < view->open.depth;
		if (base->serial && (!is_open || base->serial != view->serials.at[i])) {
			if (settings.window && base->entry < POINTS_MOST)
				span_ended(space->point_index[base->entry], base, seen);
			base->serial = 0;
		}
		if (!is_open || base->serial)
			continue;
		*base = *seen;
		base->serial = view->serials.at[i];
		base->entry = view->open.spans[i];
	}
	tracker->begun = view->serials.begun;
	tracker->depth = view->open.depth;
	/* After the loop: before it, clang makes a loop that the verifier of 6.1 refuses. */
	if (view->open.depth > SPAN_TRACKER_DEPTH)
		totals.has_deep_spans = 1;
}

/* Of the current task; before anything is paid or charged at `now`. */
__noinline int span_tracker_update(u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kernel_cpu *cpu = this_cpu();
	struct address_space *space = address_space_of(task);

	if (!space || !space->points_page)
		return 0;
	struct span_tracker *tracker =
		bpf_task_storage_get(&span_trackers, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!tracker)
		return 0;
	tracker->paused_ns += tracker->spun_ns ? cpu->delay.paused_ns - tracker->spun_ns : 0;
	tracker->spun_ns = cpu->delay.paused_ns;
	struct span_stack_copy *view = &tracker->view;
	if (!span_tracker_find(tracker, space, task) ||
	    bpf_probe_read_user(&view->open, sizeof(view->open), (void *)tracker->slot) ||
	    bpf_probe_read_user(&view->serials, sizeof(view->serials), (void *)tracker->serials))
		return 0;
	if (view->open.tid != tracker->tid) {
		tracker->slot = 0; /* another thread has it */
		return 0;
	}
	if (view->serials.begun == tracker->begun && view->open.depth == tracker->depth)
		return 0;
	u64 global = global_delay();
	struct span_start seen = {.generation = settings.delay.generation,
				  .begin_ns = now,
				  .local_ns = global - core_gap(cpu, global),
				  .paused_ns = tracker->paused_ns};
	span_tracker_compare(tracker, space, &seen);
	return 0;
}

static __always_inline void span_tracker_poll(u64 now)
{
	if (settings.pair_count)
		span_tracker_update(now);
}

/* The core's pauses from now on are the thread's. */
static __always_inline void span_tracker_enter(struct task_struct *task,
					       const struct kernel_cpu *cpu)
{
	struct span_tracker *tracker =
		settings.pair_count ? bpf_task_storage_get(&span_trackers, task, NULL, 0) : NULL;

	if (tracker)
		tracker->spun_ns = cpu->delay.paused_ns;
}
