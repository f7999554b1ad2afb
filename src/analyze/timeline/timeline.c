/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline - names of classes, threads and calls; load.c fills a timeline, walk.c reads its marks.
 */
#include "analyze/timeline/timeline.h"

static const char *const class_names[] = {"running", "runnable", "I", "L", "B"};

const char *timeline_class_name(enum timeline_class class)
{
	return class < TIMELINE_CLASSES ? class_names[class] : "?";
}

const struct timeline_thread *timeline_thread_of(const struct timeline *timeline, unsigned tid)
{
	unsigned index = timeline->by_tid[tid % TIMELINE_TIDS];
	return index ? &timeline->threads.items[index - 1] : NULL;
}

const char *timeline_name(const struct timeline *timeline, uint64_t number)
{
	const char *text = number < timeline->name_count ? timeline->names[number] : NULL;
	return text ? text : "?";
}

const char *timeline_call(const struct timeline *timeline, unsigned system_call)
{
	return timeline_name(timeline, (uint64_t)RECORDING_STRING_SYSTEM_CALLS + system_call);
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->threads.count; i++) {
		free(timeline->threads.items[i].name);
		array_free(&timeline->threads.items[i].states);
		array_free(&timeline->threads.items[i].chunks);
	}
	array_free(&timeline->threads);
	array_free(&timeline->cores);
	free(timeline->names);
	free(timeline->ends_elsewhere);
	free(timeline->is_wait);
	free(timeline->by_tid);
	free(timeline);
}
