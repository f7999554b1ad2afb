/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk - goes over a thread's marks: which end belongs to which begin, and what the thread was doing
 * in between.
 *
 * An end closes the innermost open span with its name, and whatever was opened in it and not closed.
 * An end without any is counted. Names most of whose ends have no begin in their thread are of work
 * that is handed on: they do not nest, and are shown as marks.
 */
#include "analyze/timeline.h"

#include <string.h>

struct walk {
	struct timeline *timeline;
	const struct timeline_thread *thread;
	const struct timeline_visitor *visitor;
	ARRAY(struct timeline_span) open; /* class_ns: the sums at the begin */
	ARRAY(uint64_t) inner_ns;         /* of each: time in spans within */
	size_t state;                     /* the first that is not over */
	uint64_t sums[TIMELINE_CLASSES];  /* of those before */
	uint64_t *ends, *unmatched;       /* by word, while looking for names that end elsewhere */
};

/* What the thread had done up to `time_ns`, by class; it only goes forward. */
static void sums_at(struct walk *walk, uint64_t time_ns, uint64_t *sums)
{
	const struct timeline_thread *thread = walk->thread;
	unsigned word = walk->open.count ? walk->open.items[walk->open.count - 1].word : 0;

	while (walk->state < thread->states.count) {
		const struct timeline_state *state = &thread->states.items[walk->state];
		if (state->end_ns > time_ns)
			break;
		walk->sums[state->class] += state->end_ns - state->start_ns;
		if (state->class >= TIMELINE_IO && walk->visitor->wait)
			walk->visitor->wait(walk->visitor->context, state, word);
		walk->state++;
	}
	memcpy(sums, walk->sums, sizeof(walk->sums));
	if (walk->state == thread->states.count)
		return;
	const struct timeline_state *state = &thread->states.items[walk->state];
	if (time_ns > state->start_ns)
		sums[state->class] += time_ns - state->start_ns;
}

static void begin(struct walk *walk, const struct mark *mark)
{
	struct timeline_span span = {
		.start_ns = mark->time_ns,
		.word = mark->word,
		.depth = (unsigned)walk->open.count,
		.value = mark->value,
		.has_value = mark->has_value,
		.is_text = mark->is_text,
	};
	sums_at(walk, mark->time_ns, span.class_ns);
	if (walk->visitor->begin)
		walk->visitor->begin(walk->visitor->context, &span);
	*array_add(&walk->open) = span;
	*array_add(&walk->inner_ns) = 0;
}

static void close_innermost(struct walk *walk, uint64_t time_ns, bool is_cut)
{
	uint64_t sums[TIMELINE_CLASSES];

	sums_at(walk, time_ns, sums);
	struct timeline_span span = walk->open.items[--walk->open.count];
	uint64_t inner_ns = walk->inner_ns.items[--walk->inner_ns.count];
	span.end_ns = time_ns;
	span.is_cut = is_cut;
	span.self_ns = time_ns - span.start_ns - inner_ns;
	for (unsigned i = 0; i < TIMELINE_CLASSES; i++)
		span.class_ns[i] = sums[i] - span.class_ns[i];
	if (walk->inner_ns.count)
		walk->inner_ns.items[walk->inner_ns.count - 1] += time_ns - span.start_ns;
	if (walk->visitor->end)
		walk->visitor->end(walk->visitor->context, &span);
}

static void end(struct walk *walk, const struct mark *mark)
{
	size_t at = walk->open.count;

	while (at && walk->open.items[at - 1].word != mark->word)
		at--;
	if (walk->ends) {
		walk->ends[mark->word]++;
		walk->unmatched[mark->word] += !at;
	} else if (!at) {
		walk->timeline->unmatched_ends++;
	}
	while (at && walk->open.count >= at)
		close_innermost(walk, mark->time_ns, walk->open.count > at);
}

static void take_mark(struct walk *walk, const struct mark *mark)
{
	uint64_t sums[TIMELINE_CLASSES];
	bool is_known = mark->word < walk->timeline->word_count;
	bool nests = is_known && !walk->timeline->ends_elsewhere[mark->word];

	if (mark->kind == MARK_BEGIN && nests)
		begin(walk, mark);
	else if (mark->kind == MARK_END && nests)
		end(walk, mark);
	else if (walk->visitor->mark) {
		sums_at(walk, mark->time_ns, sums);
		walk->visitor->mark(walk->visitor->context, mark);
	}
}

static void walk_chunk(struct walk *walk, const struct recording_chunk *chunk)
{
	struct chunk_reader reader;
	struct mark mark;

	if (!chunk_open(&reader, chunk->data.items, chunk->data.count, chunk->start_ns)) {
		walk->timeline->damaged_chunks++;
		return;
	}
	while (chunk_next_mark(&reader, &mark))
		take_mark(walk, &mark);
	chunk_close(&reader);
}

static void walk_all(struct walk *walk)
{
	const struct timeline_thread *thread = walk->thread;
	uint64_t sums[TIMELINE_CLASSES];

	for (size_t i = 0; i < thread->chunks.count; i++)
		walk_chunk(walk, thread->chunks.items[i]);
	while (walk->open.count)
		close_innermost(walk, thread->end_ns, true);
	sums_at(walk, UINT64_MAX, sums);
	array_free(&walk->open);
	array_free(&walk->inner_ns);
}

void timeline_walk(struct timeline *timeline, const struct timeline_thread *thread,
		   const struct timeline_visitor *visitor)
{
	struct walk walk = {.timeline = timeline, .thread = thread, .visitor = visitor};
	walk_all(&walk);
}

/* What the program says itself goes before what the kernel says. */
static void on_name(void *context, const struct mark *mark)
{
	struct walk *walk = context;
	struct timeline_thread *thread = (struct timeline_thread *)(uintptr_t)walk->thread;

	if (mark->kind == MARK_PROCESS_NAME)
		thread = (struct timeline_thread *)(uintptr_t)timeline_thread_of(walk->timeline,
										 thread->pid);
	if (!thread || (mark->kind != MARK_THREAD_NAME && mark->kind != MARK_PROCESS_NAME))
		return;
	free(thread->name);
	thread->name = text_copy(timeline_word(walk->timeline, mark->word));
}

void timeline_find_elsewhere(struct timeline *timeline)
{
	struct timeline_visitor names = {.mark = on_name};
	uint64_t *ends = memory_new(timeline->word_count + 1, sizeof(*ends));
	uint64_t *unmatched = memory_new(timeline->word_count + 1, sizeof(*unmatched));

	for (size_t i = 0; i < timeline->threads.count; i++) {
		struct walk walk = {
			.timeline = timeline,
			.thread = &timeline->threads.items[i],
			.visitor = &names,
			.ends = ends,
			.unmatched = unmatched,
		};
		names.context = &walk;
		if (walk.thread->marks)
			walk_all(&walk);
	}
	for (size_t i = 0; i < timeline->word_count; i++)
		timeline->ends_elsewhere[i] = 2 * unmatched[i] > ends[i];
	free(ends);
	free(unmatched);
}
