/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events - the queue of a discrete-event simulation: an indexed binary heap.
 *
 * A source is a small number (a core's work, a core's tick, a task's timer) and has at most one
 * event. Posting it again moves it. Events at the same time come in the order of their sources, so
 * a run depends on its seed only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EVENTS_MOST 8192

struct event {
	uint64_t time_ns;
	uint32_t source;
};

struct events {
	uint32_t count;
	uint16_t index[EVENTS_MOST]; /* of a source in the heap, from 1; 0: it has no event */
	struct event heap[EVENTS_MOST + 1];
};

void events_clear(struct events *events);
void events_post(struct events *events, uint32_t source, uint64_t time_ns);
void events_cancel(struct events *events, uint32_t source);

static inline bool events_is_posted(const struct events *events, uint32_t source)
{
	return events->index[source] != 0;
}

/* The earliest event; there must be one. It stays in the queue until it is posted or cancelled. */
static inline struct event events_first(const struct events *events)
{
	return events->heap[1];
}
