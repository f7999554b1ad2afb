/* SPDX-License-Identifier: BSD-2-Clause */
/* core_use - changes in the number of running threads, by time, as running sums. */
#include "analyze/scale/core_use.h"

#include "stats/parallel.h"

static int by_time(const void *left, const void *right)
{
	const struct core_use_segment *a = left, *b = right;
	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

void core_use_add_steal(struct core_use *use, uint64_t begin_ns, uint64_t length_ns, double part)
{
	*array_add(&use->segments) = (struct core_use_segment){.at_ns = begin_ns, .stolen = part};
	*array_add(&use->segments) =
		(struct core_use_segment){.at_ns = begin_ns + length_ns, .stolen = -part};
}

void core_use_add_thread(struct core_use *use, const struct timeline_thread *thread)
{
	for (size_t i = 0; thread->pid && i < thread->states.count; i++) {
		const struct timeline_state *state = &thread->states.items[i];
		if (state->class != TIMELINE_RUNNING)
			continue;
		*array_add(&use->segments) =
			(struct core_use_segment){.at_ns = state->start_ns, .running = 1};
		*array_add(&use->segments) =
			(struct core_use_segment){.at_ns = state->end_ns, .running = -1};
	}
}

/* The work of a thread that runs from then on, in this time. */
static double work_in(const struct core_use_segment *segment, double growth, double span_ns)
{
	unsigned running = segment->running > 0 ? (unsigned)segment->running : 0;

	return span_ns * (1 - segment->stolen) / parallel_slowdown(growth, running);
}

void core_use_sum_up(struct core_use *use, double growth)
{
	struct core_use_segment *items = use->segments.items;
	size_t count = use->segments.count;

	if (count)
		qsort(items, count, sizeof(*items), by_time);
	for (size_t i = 1; i < count; i++) {
		items[i].work_ns = items[i - 1].work_ns +
				   work_in(&items[i - 1], growth,
					   (double)(items[i].at_ns - items[i - 1].at_ns));
		items[i].running += items[i - 1].running;
		items[i].stolen += items[i - 1].stolen;
	}
}

/* The last segment that begins at or before this time. */
static const struct core_use_segment *segment_at(const struct core_use *use, uint64_t at_ns)
{
	size_t low = 0, high = use->segments.count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (use->segments.items[middle].at_ns <= at_ns)
			low = middle;
		else
			high = middle;
	}
	return high ? &use->segments.items[low] : NULL;
}

int core_use_running(const struct core_use *use, uint64_t at_ns)
{
	const struct core_use_segment *segment = segment_at(use, at_ns);
	return segment ? segment->running : -1;
}

static double work_at(const struct core_use *use, double growth, uint64_t at_ns)
{
	const struct core_use_segment *segment = segment_at(use, at_ns);

	if (!segment || at_ns < segment->at_ns)
		return 0;
	return segment->work_ns + work_in(segment, growth, (double)(at_ns - segment->at_ns));
}

double core_use_work(const struct core_use *use, double growth, uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? work_at(use, growth, to_ns) - work_at(use, growth, from_ns) : 0;
}
