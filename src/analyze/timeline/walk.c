/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk - matches the begins and ends of a thread's spans, and adds up what the thread did in
 * between.
 *
 * An end closes the innermost open span of its name, and all spans opened in it. Spans that end in
 * other threads (ends_elsewhere) do not nest, and are visited as marks.
 */
#include "analyze/timeline/timeline.h"

#include <string.h>

struct inner {
	uint64_t all_ns, spun_ns;
};

struct walk {
	const struct timeline *timeline;
	const struct timeline_thread *thread;
	const struct timeline_visitor *visitor;
	ARRAY(struct timeline_span) open; /* class_ns: sums at its begin */
	ARRAY(struct inner) inner;        /* of each: time in nested spans */
	size_t state;                     /* index of the first state that is not over */
	uint64_t sums[TIMELINE_CLASSES];  /* of the states before */
	size_t damaged_chunks;
};

/* The thread's time by class up to `time_ns`, which never decreases. */
static void sums_at(struct walk *walk, uint64_t time_ns, uint64_t *sums)
{
	const struct timeline_thread *thread = walk->thread;
	unsigned name_id = walk->open.count ? walk->open.items[walk->open.count - 1].name_id : 0;

	while (walk->state < thread->states.count) {
		const struct timeline_state *state = &thread->states.items[walk->state];
		if (state->end_ns > time_ns)
			break;
		walk->sums[state->class] += state->end_ns - state->start_ns;
		if (state->class >= TIMELINE_IO && walk->visitor->wait)
			walk->visitor->wait(walk->visitor->context, state, name_id);
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
		.name_id = mark->name_id,
		.depth = (unsigned)walk->open.count,
		.value = mark->value,
		.has_value = mark->has_value,
		.is_text = mark->is_text,
	};
	sums_at(walk, mark->time_ns, span.class_ns);
	if (walk->visitor->begin)
		walk->visitor->begin(walk->visitor->context, &span);
	*array_add(&walk->open) = span;
	*array_add(&walk->inner) = (struct inner){0};
}

static void close_innermost(struct walk *walk, uint64_t time_ns, bool is_cut)
{
	uint64_t sums[TIMELINE_CLASSES];

	sums_at(walk, time_ns, sums);
	struct timeline_span span = walk->open.items[--walk->open.count];
	struct inner inner = walk->inner.items[--walk->inner.count];
	span.end_ns = time_ns;
	span.is_cut = is_cut;
	span.self_ns = time_ns - span.start_ns - inner.all_ns;
	span.spun_ns = inner.spun_ns;
	for (unsigned i = 0; i < TIMELINE_CLASSES; i++)
		span.class_ns[i] = sums[i] - span.class_ns[i];
	if (walk->inner.count) {
		struct inner *outer = &walk->inner.items[walk->inner.count - 1];
		uint64_t busy_ns = walk->timeline->has_scheduler ? span.class_ns[TIMELINE_RUNNING] :
								   time_ns - span.start_ns;
		outer->all_ns += time_ns - span.start_ns;
		outer->spun_ns += walk->timeline->is_wait[span.name_id] ? busy_ns : span.spun_ns;
	}
	if (walk->visitor->end)
		walk->visitor->end(walk->visitor->context, &span);
}

static void end(struct walk *walk, const struct mark *mark)
{
	size_t at = walk->open.count;

	while (at && walk->open.items[at - 1].name_id != mark->name_id)
		at--;
	if (walk->visitor->end_mark)
		walk->visitor->end_mark(walk->visitor->context, mark->name_id, at > 0);
	while (at && walk->open.count >= at)
		close_innermost(walk, mark->time_ns, walk->open.count > at);
}

static void handle_mark(struct walk *walk, const struct mark *mark)
{
	uint64_t sums[TIMELINE_CLASSES];
	bool is_known = mark->name_id < walk->timeline->name_count;
	bool nests = is_known && !walk->timeline->ends_elsewhere[mark->name_id];

	if (mark->kind == MARK_BEGIN && nests)
		begin(walk, mark);
	else if (mark->kind == MARK_END && nests)
		end(walk, mark);
	else if (walk->visitor->mark) {
		sums_at(walk, mark->time_ns, sums);
		walk->visitor->mark(walk->visitor->context, mark);
	}
}

/* The marks of one source. */
struct source {
	unsigned cpu; /* RECORDING_MARKS_* */
	size_t chunk; /* the next one */
	struct chunk_reader reader;
	bool is_open, has_mark;
	struct mark mark; /* the next one */
};
#define SOURCES 2

static void open_next(struct walk *walk, struct source *source)
{
	const struct timeline_thread *thread = walk->thread;

	while (!source->is_open && source->chunk < thread->chunks.count) {
		const struct recording_chunk *chunk = thread->chunks.items[source->chunk++];
		if ((chunk->cpu == RECORDING_MARKS_KERNEL) !=
		    (source->cpu == RECORDING_MARKS_KERNEL))
			continue;
		source->is_open = chunk_open(&source->reader, chunk->data.items, chunk->data.count,
					     chunk->start_ns);
		walk->damaged_chunks += !source->is_open;
	}
}

static void advance(struct walk *walk, struct source *source)
{
	for (;;) {
		open_next(walk, source);
		source->has_mark =
			source->is_open && chunk_next_mark(&source->reader, &source->mark);
		if (source->has_mark || !source->is_open)
			return;
		chunk_close(&source->reader);
		source->is_open = false;
	}
}

static void walk_marks(struct walk *walk)
{
	struct source sources[SOURCES] = {{.cpu = RECORDING_MARKS_PROGRAM},
					  {.cpu = RECORDING_MARKS_KERNEL}};

	for (unsigned i = 0; i < SOURCES; i++)
		advance(walk, &sources[i]);
	while (sources[0].has_mark || sources[1].has_mark) {
		struct source *next = &sources[!sources[0].has_mark ||
					       (sources[1].has_mark &&
						sources[1].mark.time_ns < sources[0].mark.time_ns)];
		handle_mark(walk, &next->mark);
		advance(walk, next);
	}
}

size_t timeline_walk(const struct timeline *timeline, const struct timeline_thread *thread,
		     const struct timeline_visitor *visitor)
{
	struct walk walk = {.timeline = timeline, .thread = thread, .visitor = visitor};
	uint64_t sums[TIMELINE_CLASSES];

	walk_marks(&walk);
	while (walk.open.count)
		close_innermost(&walk, thread->end_ns, true);
	sums_at(&walk, UINT64_MAX, sums);
	array_free(&walk.open);
	array_free(&walk.inner);
	return walk.damaged_chunks;
}
