/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress - adds what this process has newly counted to the totals in the shared page, and moves
 * the edges of the open window.
 *
 * One thread of the process does that at a time; whoever finds another one at it leaves it to that
 * one. Points lie in the page of lever.h in this same process.
 */
#include "runtime/runtime.h"

#include "wire/points.h"

static struct {
	uint32_t is_busy;
	uint32_t known; /* entries with an index */
	uint8_t index[POINTS_MOST];
	uint64_t seen[POINTS_MOST]; /* counts already added to the totals */
} state;

void progress_fork(void)
{
	state.is_busy = 0;
	__builtin_memset(state.seen, 0, sizeof(state.seen)); /* its counts begin at 0, too */
}

/* Moves the edges of the open window; the caller is the one thread at it. */
static void move_edges(uint32_t index, uint64_t total, uint64_t now)
{
	uint64_t window = __atomic_load_n(&runtime_page->settings.window, __ATOMIC_ACQUIRE);
	struct runtime_edge *edge = &runtime_process->edges[index];

	if (!window)
		return;
	uint64_t global = pause_global(now);
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

void progress_add(uint32_t index, uint64_t visits, uint64_t now)
{
	if (index >= WIRE_POINTS_MOST)
		return;
	uint64_t total = raise_total(index, visits);
	if (__atomic_exchange_n(&state.is_busy, 1, __ATOMIC_ACQUIRE))
		return; /* the next visit or sample moves the edge */
	move_edges(index, total, now);
	__atomic_store_n(&state.is_busy, 0, __ATOMIC_RELEASE);
}

/* The index of the point with this name, made if new; WIRE_POINTS_MOST if there is no room. */
static uint32_t index_of(const struct lever_entry *entry)
{
	uint64_t hash = __atomic_load_n(&entry->hash, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < WIRE_POINTS_MOST; i++) {
		struct wire_point *point = &runtime_page->points[i];
		__u64 found = 0;
		if (!__atomic_compare_exchange_n(&point->hash, &found, hash, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			if (found == hash)
				return i;
			continue;
		}
		for (uint32_t letter = 0; letter + 1 < POINTS_NAME_BYTES; letter++)
			point->name[letter] = entry->name[letter];
		__atomic_store_n(&point->kind, entry->kind, __ATOMIC_RELEASE);
		return i;
	}
	__atomic_fetch_add(&runtime_page->dropped_points, 1, __ATOMIC_RELAXED);
	return WIRE_POINTS_MOST;
}

static uint64_t sum_of(const struct lever_points *page, uint32_t point)
{
	uint32_t stripes = __atomic_load_n(&page->head.stripes, __ATOMIC_ACQUIRE);
	uint64_t sum = 0;

	for (uint32_t stripe = 0; stripe < stripes && stripe < POINTS_SHARED_STRIPE; stripe++)
		sum += __atomic_load_n(&page->counts[stripe][point], __ATOMIC_RELAXED);
	if (__atomic_load_n(&page->head.shared, __ATOMIC_ACQUIRE))
		sum += __atomic_load_n(&page->counts[POINTS_SHARED_STRIPE][point],
				       __ATOMIC_RELAXED);
	return sum;
}

void progress_observe(uint64_t now)
{
	const struct lever_points *page = lever_points_page();

	thread_self.observed_ns = now;
	visits_renew(now);
	visits_observe(now);
	if (!page || __atomic_exchange_n(&state.is_busy, 1, __ATOMIC_ACQUIRE))
		return;
	uint32_t count = __atomic_load_n(&page->head.count, __ATOMIC_ACQUIRE);
	for (uint32_t i = state.known; i < count && i < POINTS_MOST; i++) {
		state.index[i] = (uint8_t)index_of(&page->entries[i]);
		__atomic_store_n(&state.known, i + 1,
				 __ATOMIC_RELEASE); /* threads look meanwhile */
	}
	for (uint32_t i = 0; i < state.known; i++) {
		uint64_t sum = sum_of(page, i), added = sum - state.seen[i];
		if ((int64_t)added <= 0)
			continue;
		state.seen[i] = sum;
		if (state.index[i] < WIRE_POINTS_MOST)
			move_edges(state.index[i], raise_total(state.index[i], added), now);
	}
	uint32_t dropped = __atomic_load_n(&page->head.dropped, __ATOMIC_RELAXED);
	if (dropped > __atomic_load_n(&runtime_page->dropped_in_program, __ATOMIC_RELAXED))
		__atomic_store_n(&runtime_page->dropped_in_program, dropped, __ATOMIC_RELAXED);
	__atomic_store_n(&state.is_busy, 0, __ATOMIC_RELEASE);
}

uint32_t progress_span(void)
{
	const struct lever_points *page = lever_points_page();
	const struct lever_opens *opens =
		page ? (const struct lever_opens *)__atomic_load_n(&page->opens, __ATOMIC_ACQUIRE) :
		       NULL;

	if (!runtime_page->settings.enable_spans || !opens)
		return WIRE_SPAN_NONE;
	for (uint32_t probe = 0; probe < LEVER_OPEN_PROBES; probe++) {
		const struct lever_open *open =
			&opens->threads[((uint32_t)thread_self.tid + probe) % LEVER_OPENS];
		uint32_t depth = open->depth < LEVER_OPEN_DEPTH ? open->depth : LEVER_OPEN_DEPTH;
		if (open->tid != (uint32_t)thread_self.tid)
			continue;
		uint32_t entry = depth ? open->spans[depth - 1] : POINTS_MOST;
		return entry < __atomic_load_n(&state.known, __ATOMIC_ACQUIRE) ?
			       state.index[entry] :
			       WIRE_SPAN_NONE;
	}
	return WIRE_SPAN_NONE;
}

void progress_observe_rarely(uint64_t now)
{
	if ((__atomic_load_n(&state.known, __ATOMIC_RELAXED) || runtime_page->breakpoints) &&
	    now - thread_self.observed_ns >= runtime_page->settings.delay.period_ns / 8)
		progress_observe(now);
}

/* Begun and not ended, of pair i. */
static int64_t pair_open(uint32_t i)
{
	uint32_t begin = runtime_page->settings.pairs[i].begin & (WIRE_POINTS_MOST - 1);
	uint32_t end = runtime_page->settings.pairs[i].end & (WIRE_POINTS_MOST - 1);
	uint64_t ended = __atomic_load_n(&runtime_page->points[end].total, __ATOMIC_ACQUIRE);
	uint64_t begun = __atomic_load_n(&runtime_page->points[begin].total, __ATOMIC_ACQUIRE);
	int64_t open = (int64_t)(begun - ended);
	return open > 0 ? open : 0;
}

static void latency_add(int64_t time)
{
	struct runtime_counters *counters = thread_self.counters;

	__atomic_fetch_add(&counters->pair_weight_ns, time, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < WIRE_PAIRS_MOST && i < runtime_page->settings.pair_count; i++)
		__atomic_fetch_add(&counters->pair_ns[i], pair_open(i) * time, __ATOMIC_RELAXED);
}

/* As the kernel engine does it, for Little's law: see progress.h of bpf. */
void progress_latency(uint64_t now)
{
	const struct wire_settings *settings = &runtime_page->settings;
	__u64 last = __atomic_load_n(&runtime_page->latency_updated_ns, __ATOMIC_ACQUIRE);

	if (!settings->pair_count || !settings->window || (int64_t)(now - last) <= 0 ||
	    !__atomic_compare_exchange_n(&runtime_page->latency_updated_ns, &last, now, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	pause_global(now);
	uint64_t delay = __atomic_load_n(&runtime_page->waiters_delay_ns, __ATOMIC_ACQUIRE);
	uint64_t window = settings->window;
	if (__atomic_load_n(&runtime_page->latency_window, __ATOMIC_ACQUIRE) == window)
		latency_add(
			(int64_t)(now - last) -
			(int64_t)(delay - __atomic_load_n(&runtime_page->latency_updated_delay_ns,
							  __ATOMIC_RELAXED)));
	__atomic_store_n(&runtime_page->latency_updated_delay_ns, delay, __ATOMIC_RELEASE);
	__atomic_store_n(&runtime_page->latency_window, window, __ATOMIC_RELEASE);
}

void progress_latency_pause(uint64_t growth)
{
	if (growth && runtime_page->settings.pair_count && runtime_page->settings.window)
		latency_add(-(int64_t)growth);
}
