/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * span_trackers - how long spans take, in effective time: each thread's open spans, followed from look to look.
 *
 * A thread's stack of open spans (wire/points.h) is looked at when a tick falls into the thread and when
 * it leaves its core. A span that is there for the first time has begun by then, one that is no longer
 * there has ended: both are noticed late by the same time on average, so that a length is right but for a
 * scatter of less than a period. What begins and ends between two looks is not seen: only spans that
 * are many periods long are measured, of shorter ones only their number is known.
 *
 * The effective clock of a thread is CLOCK_MONOTONIC less its core's local delay. Local delays grow by
 * pauses and by credit (for its own time in the target, and for waiting for who ran it); of these only
 * credit scatters, with the ticks, so both are kept: see stats/tail.h.
 */
#pragma once

#include "bpf/open_spans.h"
#include "bpf/pause.h"

#define SPAN_TRACKER_DEPTH 8 /* further inside, spans are not measured */

/* What stood at a span's first look. */
struct span_start {
	u32 serial; /* 0: none */
	u32 generation;
	u64 begin_ns, local_ns, paused_ns;
	u8 entry;
	u8 pad[7];
};

/* The thread's stack as the program keeps it. */
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
	u64 slot,
		serials; /* addresses of its struct points_open and points_span_serials; 0: not found */
	u32 space;
	u32 tid;
	u32 begun, depth; /* when last looked at */
	u64 paused_ns;    /* by this thread */
	u64 spun_ns;      /* its core's, when last looked at */
	struct span_start bases[SPAN_TRACKER_DEPTH];
	struct span_stack_copy view; /* Linux 6.1 has no room for it on tick's stack */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct span_tracker);
} span_trackers SEC(".maps");

static __always_inline u32 length_bucket(u64 length)
{
	u32 bits = 0;

	for (u32 step = 32; step; step /= 2)
		if (length >> (bits + step))
			bits += step;
	if (bits < SPAN_LENGTH_LEAST_BITS)
		return 0;
	u32 fine = (length >> (bits - SPAN_LENGTH_FINE_BITS)) & (SPAN_LENGTH_FINE - 1);
	u32 bucket = (bits - SPAN_LENGTH_LEAST_BITS) * SPAN_LENGTH_FINE + fine;
	return bucket < SPAN_LENGTHS_MOST ? bucket : SPAN_LENGTHS_MOST - 1;
}

static __always_inline void length_add(u32 pair, const struct span_start *base,
				       const struct span_start *end)
{
	struct wire_span_lengths *of_pair = &lengths[pair & (WIRE_PAIRS_MOST - 1)];
	s64 wall = end->begin_ns - base->begin_ns;
	s64 paused = end->paused_ns - base->paused_ns;
	s64 credit = (s64)(end->local_ns - base->local_ns) - paused;
	u64 half = 1ULL << (SPAN_LENGTH_CREDIT_BITS - 1);
	u64 units = ((u64)delay_not_negative(credit) + half) >> SPAN_LENGTH_CREDIT_BITS;

	if (base->generation != end->generation) {
		__sync_fetch_and_add(&of_pair->cut, 1);
		return;
	}
	u32 bucket = length_bucket(delay_not_negative(wall - paused));
	if (bucket >= SPAN_LENGTHS_MOST)
		return;
	struct wire_span_length *length = &of_pair->buckets[bucket];
	__sync_fetch_and_add(&length->spans, 1);
	__sync_fetch_and_add(&length->wall_ns, wall);
	__sync_fetch_and_add(&length->pure_ns, delay_not_negative(wall - paused));
	__sync_fetch_and_add(&length->credit_ns, credit);
	__sync_fetch_and_add(&length->credit_squares, units * units);
	__sync_fetch_and_add(&length->credit_cubes, units * units * units);
}

static __always_inline void span_ended(const struct address_space *space,
				       const struct span_start *base, const struct span_start *end)
{
	if (!settings.window || base->entry >= POINTS_MOST)
		return;
	u32 point = space->point_index[base->entry];
	for (u32 i = 0; i < WIRE_PAIRS_MOST && i < settings.pair_count; i++)
		if (settings.pairs[i].begin == point && settings.pairs[i].end != point)
			length_add(i, base, end);
}

/* Where the program keeps the thread's stack; false if there is none. */
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
			span_ended(space, base, seen);
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
}

/* The current task's; before anything is paid or charged at `now`. */
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
		tracker->slot = 0; /* another thread has it now */
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

/* What its core pauses from now on is this thread's. */
static __always_inline void span_tracker_enter(struct task_struct *task,
					       const struct kernel_cpu *cpu)
{
	struct span_tracker *tracker =
		settings.pair_count ? bpf_task_storage_get(&span_trackers, task, NULL, 0) : NULL;

	if (tracker)
		tracker->spun_ns = cpu->delay.paused_ns;
}
