/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline - names of classes, threads and calls; load.c fills a timeline, walk.c reads its marks.
 */
#include "analyze/timeline/timeline.h"

#include "base/memory.h"

static const char *const class_names[] = {"running", "runnable", "I", "L", "B"};

const char *timeline_class_name(enum timeline_class class)
{
	return class < TIMELINE_CLASSES ? class_names[class] : "?";
}

const struct timeline_thread *timeline_thread_of(const struct timeline *timeline, unsigned tid)
{
	uint32_t index = hash_map_get(&timeline->by_tid, tid, 0);
	return index && index != HASH_MAP_NONE ? &timeline->threads.items[index - 1] : NULL;
}

unsigned timeline_tid(unsigned tid)
{
	return tid % TIMELINE_TIDS;
}

const struct timeline_host *timeline_host_of(const struct timeline *timeline, unsigned tid)
{
	size_t host = tid / TIMELINE_TIDS;
	return host < timeline->hosts.count ? &timeline->hosts.items[host] : NULL;
}

const struct timeline_host *timeline_host_of_core(const struct timeline *timeline, unsigned cpu)
{
	const struct timeline_host *host = NULL;

	for (size_t i = 0; i < timeline->hosts.count; i++)
		if (timeline->hosts.items[i].first_cpu <= cpu)
			host = &timeline->hosts.items[i];
	return host;
}

char *timeline_core_name(const struct timeline *timeline, unsigned cpu)
{
	const struct timeline_host *host = timeline_host_of_core(timeline, cpu);

	return host ? text_format("core %u of %s", cpu - host->first_cpu,
				  host->name ? host->name : "?") :
		      text_format("core %u", cpu);
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
	hash_map_clear(&timeline->by_tid);
	array_free(&timeline->hosts);
	array_free(&timeline->messages);
	recording_free(timeline->merged);
	free(timeline);
}
