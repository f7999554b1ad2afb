/* SPDX-License-Identifier: BSD-2-Clause */
/* cores - cuts the time that threads ran at the edges of their spans. */
#include "analyze/cores.h"

struct cutter {
	struct cores *cores;
	const struct timeline_thread *thread;
	size_t index;
	size_t state;          /* the first that is not over */
	uint64_t done_ns;      /* up to here all is cut */
	ARRAY(unsigned) words; /* of open spans */
};

/* All that the thread ran since the last edge, in the span that was innermost. */
static void cut(struct cutter *cutter, uint64_t edge_ns)
{
	const struct timeline_thread *thread = cutter->thread;
	size_t depth = cutter->words.count;

	for (; cutter->state < thread->states.count; cutter->state++) {
		const struct timeline_state *state = &thread->states.items[cutter->state];
		uint64_t start = state->start_ns, end = state->end_ns;
		if (start >= edge_ns)
			break;
		start = start < cutter->done_ns ? cutter->done_ns : start;
		end = end > edge_ns ? edge_ns : end;
		if (state->class == TIMELINE_RUNNING && end > start)
			*array_add(cutter->cores) = (struct cores_piece){
				.start_ns = start,
				.end_ns = end,
				.thread = cutter->index,
				.cpu = state->cpu,
				.word = depth ? cutter->words.items[depth - 1] : 0,
			};
		if (state->end_ns > edge_ns)
			break;
	}
	if (edge_ns > cutter->done_ns)
		cutter->done_ns = edge_ns;
}

static void on_begin(void *context, const struct timeline_span *span)
{
	struct cutter *cutter = context;
	cut(cutter, span->start_ns);
	*array_add(&cutter->words) = span->word;
}

static void on_end(void *context, const struct timeline_span *span)
{
	struct cutter *cutter = context;
	cut(cutter, span->end_ns);
	if (cutter->words.count)
		cutter->words.count--;
}

static int by_core(const void *left, const void *right)
{
	const struct cores_piece *a = left, *b = right;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

struct cores *cores_new(struct timeline *timeline)
{
	struct cores *cores = memory_new(1, sizeof(*cores));

	for (size_t i = 0; i < timeline->threads.count; i++) {
		struct cutter cutter = {.cores = cores,
					.thread = &timeline->threads.items[i],
					.index = i};
		struct timeline_visitor visitor = {.context = &cutter,
						   .begin = on_begin,
						   .end = on_end};
		timeline_walk(timeline, cutter.thread, &visitor);
		cut(&cutter, UINT64_MAX);
		array_free(&cutter.words);
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
