/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * progress - reads the points of lever.h in the program's memory (wire/points.h).
 *
 * They are polled at ticks, at switches, and before the memory goes away. The growth of a count
 * since the last poll is added to the point's total. Concurrent readers exchange `seen` atomically,
 * so each visit is added once.
 */
#pragma once

#include "bpf/address_space.h"
#include "bpf/visits.h"

#define PROGRESS_PROBE_EVERY 64 /* polls, after that many without a page */

struct progress_scratch {
	struct points_entry entry;
	u64 counts[POINTS_MOST];
	u64 sums[POINTS_MOST];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2); /* 0: interrupts are off; 1: a tick may interrupt */
	__type(key, u32);
	__type(value, struct progress_scratch);
} progress_scratches SEC(".maps");

static const u64 no_sums[POINTS_MOST];

struct points_head {
	u32 magic, version, listening, generation, count, stripes, shared, dropped;
};

struct progress_walk {
	struct address_space *space;
	struct progress_scratch *scratch;
	u64 now;
	struct points_head head;
	u32 count;
	u32 has_grown;
};

static __always_inline bool points_page_probe(struct address_space *space, struct points_head *head,
					      u64 address)
{
	if (bpf_probe_read_user(head, sizeof(*head), (void *)address) ||
	    head->magic != POINTS_MAGIC || head->version != POINTS_VERSION)
		return false;
	space->points_page = address;
	return true;
}

static long learn_name(u32 step, void *context)
{
	struct progress_walk *walk = context;
	struct address_space *space = walk->space;
	struct progress_scratch *scratch = walk->scratch;
	u32 i = space->points_known;

	if (i >= POINTS_MOST || i >= walk->head.count)
		return 1;
	u64 address = space->points_page + __builtin_offsetof(struct points_names, entries) +
		      i * sizeof(struct points_entry);
	if (bpf_probe_read_user(&scratch->entry, sizeof(scratch->entry), (void *)address) ||
	    !scratch->entry.hash)
		return 1;
	scratch->entry.name[POINTS_NAME_BYTES - 1] = 0;
	space->point_index[i] = point_index_of(&scratch->entry);
	space->points_known = i + 1;
	return 0;
}

static long add_stripe(u32 stripe, void *context)
{
	struct progress_walk *walk = context;
	struct progress_scratch *scratch = walk->scratch;
	u32 count = walk->count;

	if (stripe == POINTS_SHARED_STRIPE ? !walk->head.shared : stripe >= walk->head.stripes)
		return 0;
	if (count > POINTS_MOST)
		return 1;
	u64 address = walk->space->points_page + sizeof(struct points_names) +
		      stripe * POINTS_MOST * sizeof(u64);
	if (bpf_probe_read_user(scratch->counts, count * sizeof(u64), (void *)address))
		return 0;
	for (u32 i = 0; i < POINTS_MOST; i++) {
		if (i >= count)
			break;
		scratch->sums[i] += scratch->counts[i];
	}
	return 0;
}

/* Counts only grow: of two concurrent readers the greater count stays. Returns the growth. */
static __always_inline u64 seen_raise(u64 *seen, u64 sum)
{
	for (int i = 0; i < 4; i++) {
		u64 old = *(volatile u64 *)seen;
		if ((s64)(sum - old) <= 0)
			return 0;
		if (__sync_val_compare_and_swap(seen, old, sum) == old)
			return sum - old;
	}
	return 0;
}

static long add_point(u32 i, void *context)
{
	struct progress_walk *walk = context;
	if (i >= POINTS_MOST || i >= walk->count)
		return 1;
	u64 added = seen_raise(&walk->space->seen[i], walk->scratch->sums[i]);
	walk->has_grown |= added != 0;
	if (added && !walk->space->has_past)
		progress_add(walk->space->point_index[i], added, walk->now);
	return 0;
}

/*
 * Adds the visits in the current task's address space since the last poll. Returns whether there
 * were any.
 */
__noinline int progress_observe(u64 now, u32 interruptible)
{
	struct kernel_cpu *cpu = this_cpu();
	struct progress_walk walk = {.now = now};

	walk.space = address_space_of(bpf_get_current_task_btf());
	walk.scratch = bpf_map_lookup_elem(&progress_scratches, &interruptible);
	if (!walk.space || !walk.scratch)
		return 0;
	cpu->observed_ns = now;
	if (!walk.space->points_page &&
	    !points_page_probe(walk.space, &walk.head, POINTS_ADDRESS) &&
	    !points_page_probe(walk.space, &walk.head, POINTS_ADDRESS_OTHER))
		return 0;
	if (bpf_probe_read_user(&walk.head, sizeof(walk.head), (void *)walk.space->points_page))
		return 0;
	if (walk.head.dropped > totals.dropped_in_program)
		totals.dropped_in_program = walk.head.dropped;
	if (walk.head.count > walk.space->points_known)
		bpf_loop(POINTS_MOST, learn_name, &walk, 0);
	walk.count = walk.space->points_known;
	__builtin_memcpy(walk.scratch->sums, no_sums, sizeof(no_sums));
	bpf_loop(POINTS_STRIPES, add_stripe, &walk, 0);
	bpf_loop(POINTS_MOST, add_point, &walk, 0);
	walk.space->has_past = 0;
	return walk.has_grown;
}

/*
 * Whether the current task may have made visits: it owns a stripe, or the shared one is in use and
 * counts have grown.
 */
__noinline int makes_visits(u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct address_space *space = address_space_of(task);
	u32 first = 0, shared = 0, tid = thread_id_of(task);
	struct progress_scratch *scratch = bpf_map_lookup_elem(&progress_scratches, &first);

	if (!space || !space->points_page || !scratch)
		return 0;
	u64 page = space->points_page;
	u64 owners = page + __builtin_offsetof(struct points_page, process.owner);
	if (bpf_probe_read_user(&shared, sizeof(shared),
				(void *)(page + __builtin_offsetof(struct points_names, shared))) ||
	    shared)
		return progress_observe(now, 0);
	if (bpf_probe_read_user(scratch->counts, POINTS_STRIPES * sizeof(u64), (void *)owners))
		return 0;
	for (u32 i = 0; i < POINTS_STRIPES; i++)
		if ((u32)scratch->counts[i] == tid)
			return 1;
	return 0;
}

/* At a tick. Address spaces without a page are polled rarely. */
static __always_inline void progress_observe_tick(struct address_space *space, u64 now)
{
	if (!space->points_page && space->ticks++ > PROGRESS_PROBE_EVERY &&
	    space->ticks % PROGRESS_PROBE_EVERY)
		return;
	progress_observe(now, 0);
}

/* At a switch, with points only, and once in an eighth of a period. */
static __always_inline void progress_observe_rarely(struct task_struct *task,
						    struct kernel_cpu *cpu, u64 now)
{
	if (now - cpu->observed_ns < settings.delay.period_ns / 8)
		return;
	struct address_space *space = address_space_of(task);
	if (space && space->points_page)
		progress_observe(now, 0);
}
