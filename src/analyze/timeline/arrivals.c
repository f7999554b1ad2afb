/* SPDX-License-Identifier: BSD-2-Clause */
/* arrivals - looks for messages by receiver and time, in whose order they stand. */
#include "analyze/timeline/arrivals.h"

#include <string.h>

size_t arrivals_find(const struct timeline *timeline, unsigned tid, uint64_t time_ns)
{
	size_t low = 0, high = timeline->messages.count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct timeline_message *message = &timeline->messages.items[middle];
		if (message->to < tid || (message->to == tid && message->came_ns < time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct timeline_message *arrivals_after(const struct timeline *timeline,
					      const struct timeline_thread *thread,
					      const struct timeline_state *wait)
{
	const struct timeline_state *end = thread->states.items + thread->states.count;
	const struct timeline_state *next = wait + 1;
	const struct timeline_message *found = NULL;
	size_t first = arrivals_find(timeline, thread->tid, wait->end_ns);

	while (next < end && next->class < TIMELINE_IO)
		next++;
	for (size_t i = first; i < timeline->messages.count; i++) {
		const struct timeline_message *message = &timeline->messages.items[i];
		if (message->to != thread->tid ||
		    (next < end && message->came_ns > next->start_ns) ||
		    message->came_ns != timeline->messages.items[first].came_ns ||
		    message->left_ns > wait->end_ns)
			break;
		found = message;
	}
	return found;
}

bool arrivals_is_receive(const struct timeline *timeline, const struct timeline_state *wait)
{
	static const char *const calls[] = {"read", "readv", "recvfrom", "recvmsg", "recvmmsg"};
	const char *name = timeline_call(timeline, wait->system_call);

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(name, calls[i]))
			return true;
	return false;
}
