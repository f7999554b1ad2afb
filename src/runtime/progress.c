/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress - polls the points of lever.h and the breakpoints of this process, and finds open spans.
 *
 * The growth of a count since the last poll is added to the point's total.
 */
#include "runtime/progress.h"

#include "runtime/breakpoints.h"
#include "runtime/visits.h"
#include "wire/points.h"

static struct {
	uint32_t known; /* entries with an index */
	uint8_t index[POINTS_MOST];
	uint64_t seen[POINTS_MOST]; /* counts that are in the totals */
} state;

void progress_fork(void)
{
	visits_fork();
	__builtin_memset(state.seen, 0,
			 sizeof(state.seen)); /* the child counts from 0 (MADV_WIPEONFORK) */
}

/* Finds or creates the point; WIRE_POINTS_MOST: there is no room. */
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

void progress_poll(uint64_t now)
{
	const struct lever_points *page = lever_points_page();

	thread_self.polled_ns = now;
	breakpoints_renew(now);
	breakpoints_poll(now);
	if (!page || !visits_begin())
		return;
	uint32_t count = __atomic_load_n(&page->head.count, __ATOMIC_ACQUIRE);
	for (uint32_t i = state.known; i < count && i < POINTS_MOST; i++) {
		state.index[i] = (uint8_t)index_of(&page->entries[i]);
		__atomic_store_n(&state.known, i + 1, __ATOMIC_RELEASE); /* progress_span reads */
	}
	for (uint32_t i = 0; i < state.known; i++) {
		uint64_t sum = sum_of(page, i), added = sum - state.seen[i];
		if ((int64_t)added <= 0)
			continue;
		state.seen[i] = sum;
		if (state.index[i] < WIRE_POINTS_MOST)
			visits_count(state.index[i], added, now);
	}
	uint32_t dropped = __atomic_load_n(&page->head.dropped, __ATOMIC_RELAXED);
	if (dropped > __atomic_load_n(&runtime_page->dropped_in_program, __ATOMIC_RELAXED))
		__atomic_store_n(&runtime_page->dropped_in_program, dropped, __ATOMIC_RELAXED);
	visits_end();
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

void progress_poll_rarely(uint64_t now)
{
	if ((__atomic_load_n(&state.known, __ATOMIC_RELAXED) || runtime_page->breakpoints) &&
	    now - thread_self.polled_ns >= runtime_page->settings.delay.period_ns / 8)
		progress_poll(now);
}
