/* SPDX-License-Identifier: BSD-2-Clause */
/* names - names of threads and waits, and the number of events. */
#include "report/timeline/names.h"

#include "base/cleanup.h"
#include "report/display.h"

#include <string.h>

char *timeline_thread_name(const struct timeline *timeline, const struct timeline_thread *thread)
{
	const struct timeline_host *host = timeline_host_of(timeline, thread->tid);
	AUTO(text) char *name = display_clean(thread->name);

	if (!host)
		return text_format("%s %u", name, thread->tid);
	AUTO(text) char *of = display_clean(host->name);
	return text_format("%s %u of %s", name, timeline_tid(thread->tid), of);
}

char *timeline_thread_label(const struct timeline *timeline, const struct timeline_thread *thread)
{
	const struct timeline_host *host = timeline_host_of(timeline, thread->tid);
	const char *name = thread->name ? thread->name : "?";

	return host && thread->pid ? text_format("%s of %s", name, host->name ? host->name : "?") :
				     text_copy(name);
}

char *timeline_wait_reason(const struct timeline *timeline, const struct timeline_state *wait)
{
	static const char *const reasons[TIMELINE_CLASSES] = {
		[TIMELINE_IO] = "I/O", [TIMELINE_LOCK] = "lock", [TIMELINE_OTHER] = "other"};
	const char *reason = reasons[wait->class] ? reasons[wait->class] : "?";

	if (wait->system_call == SWITCH_NO_CALL)
		return text_copy(reason);
	AUTO(text) char *call = display_clean(timeline_call(timeline, wait->system_call));
	return text_format("%s: %s", reason, call);
}

char *timeline_wait_end(const struct timeline *timeline, const struct timeline_state *wait)
{
	const struct timeline_thread *waker =
		wait->waker ? timeline_thread_of(timeline, wait->waker) : NULL;

	if (wait->end_ns >= timeline->end_ns)
		return text_copy("the recording's end");
	if (wait->by_interrupt)
		return text_copy("an interrupt");
	if (!wait->waker)
		return text_copy("?");
	return waker ? timeline_thread_name(timeline, waker) :
		       text_format("thread %u", timeline_tid(wait->waker));
}

struct timeline_event_counts timeline_event_counts(const struct timeline *timeline)
{
	struct timeline_event_counts counts = {0};
	const struct recording *recording = timeline->recording;

	for (size_t i = 0; i < recording->chunks.count; i++) {
		const struct recording_chunk *chunk = &recording->chunks.items[i];
		if (chunk->run_id != timeline->run->id)
			continue;
		uint64_t *const totals[] = {
			[CHUNK_SCHEDULER] = &counts.scheduler,
			[CHUNK_TASKS] = &counts.tasks,
			[CHUNK_INTERRUPTS] = &counts.interrupts,
			[CHUNK_MARKS] = &counts.marks,
		};
		*totals[chunk->kind] += chunk->events;
		if (chunk->kind == CHUNK_MARKS)
			counts.marks_lost += chunk->lost;
		if (chunk->kind == CHUNK_SCHEDULER)
			counts.scheduler_lost += chunk->lost;
	}
	return counts;
}
