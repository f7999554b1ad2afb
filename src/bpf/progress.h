/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * progress - counting visits to progress points, and the edges of a window.
 *
 * Points of lever.h lie in the program's memory (wire/points.h): they are read at ticks, at
 * switches, and before the memory goes away. What a space has newly counted is added to the
 * point's total; concurrent readers exchange `seen`, so the sum is exact whoever comes first.
 */
#pragma once

#include "bpf/address_space.h"
#include "bpf/waiters.h"

#define PROGRESS_PROBE_EVERY 64 /* ticks, once a space has had no page for that long */

struct progress_scratch {
	struct points_entry entry;
	u64 counts[POINTS_MOST];
	u64 sums[POINTS_MOST];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2); /* 0: interrupts are off; 1: a tick may come in between */
	__type(key, u32);
	__type(value, struct progress_scratch);
} progress_scratches SEC(".maps");

static const u64 no_sums[POINTS_MOST];

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

/* By process. What finds no room, or comes into the way of another change, is in the total only. */
static __always_inline void process_visits_add(u32 index, u64 visits)
{
	struct task_struct *process = bpf_get_current_task_btf()->group_leader;
	struct kernel_visit_key visitor = {.tgid = process->tgid, .point = index};

	if (process_visits_raise(&visitor, visits))
		return;
	struct kernel_visits first = {.count = visits};
	bpf_probe_read_kernel_str(first.command, sizeof(first.command), process->comm);
	if (bpf_map_update_elem(&visits_by_process, &visitor, &first, BPF_NOEXIST))
		process_visits_raise(&visitor, visits); /* another thread of it was first */
}

/* Adds visits, and moves the edges of the open window. */
static __always_inline void progress_add(u64 index, u64 visits, struct kernel_cpu *cpu, u64 now)
{
	if (index >= WIRE_POINTS_MOST)
		return;
	u64 total = __sync_fetch_and_add(&points[index].total, visits) + visits;
	process_visits_add(index, visits);
	u64 window = settings.window;
	if (!window)
		return;
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

/* The index of the point with this name, made if new; WIRE_POINTS_MOST if there is no room. */
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

struct points_head {
	u32 magic, version, listening, generation, count, stripes, shared, dropped;
};

struct progress_walk {
	struct address_space *space;
	struct progress_scratch *scratch;
	struct kernel_cpu *cpu;
	u64 now;
	struct points_head head;
	u32 count;
	u32 pad;
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

/* Counts only grow: of two readers at once, the later count stands, and each visit is added once. */
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
	if (added && !walk->space->has_past)
		progress_add(walk->space->point_index[i], added, walk->cpu, walk->now);
	return 0;
}

/* Adds what the current task's space has counted since it was looked at. */
__noinline int progress_observe(u64 now, u32 interruptible)
{
	struct kernel_cpu *cpu = this_cpu();
	struct progress_walk walk = {.cpu = cpu, .now = now};

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
	return 0;
}

/* At a tick: spaces without a page are looked at less and less. */
static __always_inline void progress_observe_tick(struct address_space *space, u64 now)
{
	if (!space->points_page && space->ticks++ > PROGRESS_PROBE_EVERY &&
	    space->ticks % PROGRESS_PROBE_EVERY)
		return;
	progress_observe(now, 0);
}

/* At a switch: only spaces with points, and not again within a fraction of a period. */
static __always_inline void progress_observe_rarely(struct task_struct *task,
						    struct kernel_cpu *cpu, u64 now)
{
	if (now - cpu->observed_ns < settings.delay.period_ns / 8)
		return;
	struct address_space *space = address_space_of(task);
	if (space && space->points_page)
		progress_observe(now, 0);
}

/* Begun and not ended, of pair i. */
static __always_inline s64 pair_open(u32 i)
{
	u32 begin = settings.pairs[i].begin & (WIRE_POINTS_MOST - 1);
	u32 end = settings.pairs[i].end & (WIRE_POINTS_MOST - 1);
	s64 open = points[begin].total - points[end].total;
	return open > 0 ? open : 0;
}

/* `time` ns passed (or, below 0, turn out to have been a pause) with what is open now. */
static __always_inline void latency_add(struct kernel_cpu *cpu, s64 time)
{
	cpu->pair_weight_ns += time;
	for (u32 i = 0; i < WIRE_PAIRS_MOST && i < settings.pair_count; i++)
		cpu->pair_ns[i] += pair_open(i) * time;
}

/*
 * Time average, in effective time, of what has begun and not ended, for Little's law (COZ, section
 * 3.3). Whichever core ticks next adds the time since any core's last tick: idle cores may not tick.
 * latency_pause takes pauses out again while the state is still that in which the target earned them.
 */
static __always_inline void latency_tick(struct kernel_cpu *cpu, u64 now)
{
	if (!settings.pair_count || !settings.window)
		return;
	u64 last = *(volatile u64 *)&latency_updated_ns;
	if ((s64)(now - last) <= 0 ||
	    __sync_val_compare_and_swap(&latency_updated_ns, last, now) != last)
		return;
	waiters_advance(now);
	u64 delay = *(volatile u64 *)&waiters_delay_ns;
	if (*(volatile u64 *)&latency_window == settings.window)
		latency_add(cpu, (s64)(now - last) - (s64)(delay - latency_updated_delay_ns));
	latency_updated_delay_ns = delay;
	latency_window = settings.window;
}

static __always_inline void latency_pause(struct kernel_cpu *cpu, u64 growth)
{
	if (settings.pair_count && settings.window)
		latency_add(cpu, -(s64)growth);
}
