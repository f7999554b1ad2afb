// SPDX-License-Identifier: BSD-2-Clause
/* events - the queue of a discrete-event simulation: an indexed binary heap. */
#include "events.h"

#include <string.h>

static bool is_before(struct event a, struct event b)
{
	return a.time_ns < b.time_ns || (a.time_ns == b.time_ns && a.source < b.source);
}

static void put(struct events *events, uint32_t index, struct event event)
{
	events->heap[index] = event;
	events->index[event.source] = (uint16_t)index;
}

static void move_up(struct events *events, uint32_t index, struct event event)
{
	while (index > 1 && is_before(event, events->heap[index / 2])) {
		put(events, index, events->heap[index / 2]);
		index /= 2;
	}
	put(events, index, event);
}

static void move_down(struct events *events, uint32_t index, struct event event)
{
	for (;;) {
		uint32_t child = 2 * index;

		if (child > events->count)
			break;
		if (child < events->count &&
		    is_before(events->heap[child + 1], events->heap[child]))
			child++;
		if (!is_before(events->heap[child], event))
			break;
		put(events, index, events->heap[child]);
		index = child;
	}
	put(events, index, event);
}

void events_clear(struct events *events)
{
	events->count = 0;
	memset(events->index, 0, sizeof(events->index));
}

void events_post(struct events *events, uint32_t source, uint64_t time_ns)
{
	uint32_t index = events->index[source];
	struct event event = {.time_ns = time_ns, .source = source};

	if (!index)
		move_up(events, ++events->count, event);
	else if (time_ns < events->heap[index].time_ns)
		move_up(events, index, event);
	else
		move_down(events, index, event);
}

void events_cancel(struct events *events, uint32_t source)
{
	uint32_t index = events->index[source];

	if (!index)
		return;
	events->index[source] = 0;
	struct event last = events->heap[events->count--];
	if (index > events->count)
		return;
	if (index > 1 && is_before(last, events->heap[index / 2]))
		move_up(events, index, last);
	else
		move_down(events, index, last);
}
