/* SPDX-License-Identifier: BSD-2-Clause */
/* cores - splits the running time of threads at the borders of their spans. */
#include "analyze/timeline/cores.h"

struct slicer {
	struct cores *cores;
	const struct timeline_thread *thread;
	size_t index;
	size_t state;          /* index of the first state that is not done */
	uint64_t done_ns;      /* all before is split */
	ARRAY(unsigned) names; /* of open spans */
};

/* Adds slices for the running time since the last border, in the innermost span. */
static void slice_until(struct slicer *slicer, uint64_t edge_ns)
{
	const struct timeline_thread *thread = slicer->thread;
	size_t depth = slicer->names.count;

	for (; slicer->state < thread->states.count; slicer->state++) {
		const struct timeline_state *state = &thread->states.items[slicer->state];
		uint64_t start = state->start_ns, end = state->end_ns;
		if (start >= edge_ns)
			break;
		start = start < slicer->done_ns ? slicer->done_ns : start;
		end = end > edge_ns ? edge_ns : end;
		if (state->class == TIMELINE_RUNNING && end > start)
			*array_add(slicer->cores) = (struct cores_slice){
				.start_ns = start,
				.end_ns = end,
				.thread = slicer->index,
				.cpu = state->cpu,
				.name_id = depth ? slicer->names.items[depth - 1] : 0,
			};
		if (state->end_ns > edge_ns)
			break;
	}
	if (edge_ns > slicer->done_ns)
		slicer->done_ns = edge_ns;
}

static void on_begin(void *context, const struct timeline_span *span)
{
	struct slicer *slicer = context;
	slice_until(slicer, span->start_ns);
	*array_add(&slicer->names) = span->name_id;
}

static void on_end(void *context, const struct timeline_span *span)
{
	struct slicer *slicer = context;
	slice_until(slicer, span->end_ns);
	if (slicer->names.count)
		slicer->names.count--;
}

static int by_core(const void *left, const void *right)
{
	const struct cores_slice *a = left, *b = right;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

struct cores *cores_new(const struct timeline *timeline)
{
	struct cores *cores = memory_new(1, sizeof(*cores));

	for (size_t i = 0; i < timeline->threads.count; i++) {
		struct slicer slicer = {.cores = cores,
					.thread = &timeline->threads.items[i],
					.index = i};
		struct timeline_visitor visitor = {.context = &slicer,
						   .begin = on_begin,
						   .end = on_end};
		timeline_walk(timeline, slicer.thread, &visitor);
		slice_until(&slicer, UINT64_MAX);
		array_free(&slicer.names);
	}
	if (cores->count)
		qsort(cores->items, cores->count, sizeof(*cores->items), by_core);
	return cores;
}

void cores_free(struct cores *cores)
{
	if (!cores)
		return;
	array_free(cores);
	free(cores);
}
