/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spans - phases that the program names itself: how many threads were active while at least one
 * span of a name was open, in any thread.
 */
#include "analyze/scale/parts.h"

#include <string.h>

enum transition_kind { TRANSITION_ACTIVE, TRANSITION_RUNNING, TRANSITION_OPEN };

/* At `at_ns` the number of active threads, running threads or open spans changes by `step`. */
struct transition {
	uint64_t at_ns;
	unsigned kind; /* enum transition_kind */
	unsigned name_id;
	int step;
};

struct open_name {
	unsigned name_id, open;
	size_t span; /* in scale->spans */
};

struct sweep {
	struct scale *scale;
	const struct timeline *timeline;
	ARRAY(struct transition) transitions;
	ARRAY(struct open_name) names;
	int active, running;
};

static void add_transitions(struct sweep *sweep, enum transition_kind kind, unsigned name_id,
			    uint64_t begin_ns, uint64_t end_ns)
{
	*array_add(&sweep->transitions) =
		(struct transition){.at_ns = begin_ns, .kind = kind, .name_id = name_id, .step = 1};
	*array_add(&sweep->transitions) =
		(struct transition){.at_ns = end_ns, .kind = kind, .name_id = name_id, .step = -1};
}

static void on_span(void *context, const struct timeline_span *span)
{
	add_transitions(context, TRANSITION_OPEN, span->name_id, span->start_ns, span->end_ns);
}

static void add_states(struct sweep *sweep, const struct timeline_thread *thread)
{
	for (size_t i = 0; i < thread->states.count; i++) {
		const struct timeline_state *state = &thread->states.items[i];
		if (state->class == TIMELINE_RUNNING)
			add_transitions(sweep, TRANSITION_RUNNING, 0, state->start_ns,
					state->end_ns);
		if (state->class == TIMELINE_RUNNING || state->class == TIMELINE_RUNNABLE)
			add_transitions(sweep, TRANSITION_ACTIVE, 0, state->start_ns,
					state->end_ns);
	}
}

static int by_time(const void *left, const void *right)
{
	const struct transition *a = left, *b = right;
	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

static struct open_name *find_or_add_name(struct sweep *sweep, unsigned name_id)
{
	for (size_t i = 0; i < sweep->names.count; i++)
		if (sweep->names.items[i].name_id == name_id)
			return &sweep->names.items[i];
	struct scale_span *span = array_add(&sweep->scale->spans);
	span->name = text_copy(timeline_name(sweep->timeline, name_id));
	*array_add(&sweep->names) =
		(struct open_name){.name_id = name_id, .span = sweep->scale->spans.count - 1};
	return &sweep->names.items[sweep->names.count - 1];
}

/* Adds the time to all names with an open span. */
static void add_segment(struct sweep *sweep, double wall_ns)
{
	unsigned active = sweep->active > 0 ? (unsigned)sweep->active : 0;

	for (size_t i = 0; i < sweep->names.count; i++) {
		if (!sweep->names.items[i].open)
			continue;
		struct scale_span *span = &sweep->scale->spans.items[sweep->names.items[i].span];
		struct parallel_level *level = scale_find_or_add_level(&span->levels, active);
		level->wall_ns += wall_ns;
		level->running_ns += wall_ns * sweep->running;
		span->wall_ns += wall_ns;
		span->active += wall_ns * active;
		span->running += wall_ns * sweep->running;
		span->serial_share += active == 1 ? wall_ns : 0;
	}
}

static void apply_transition(struct sweep *sweep, const struct transition *transition)
{
	if (transition->kind == TRANSITION_ACTIVE) {
		sweep->active += transition->step;
	} else if (transition->kind == TRANSITION_RUNNING) {
		sweep->running += transition->step;
	} else {
		struct open_name *name = find_or_add_name(sweep, transition->name_id);
		name->open = (unsigned)((int)name->open + transition->step);
		sweep->scale->spans.items[name->span].times += transition->step > 0;
	}
}

static int by_falling_time(const void *left, const void *right)
{
	const struct scale_span *a = left, *b = right;
	return a->wall_ns < b->wall_ns ? 1 : a->wall_ns > b->wall_ns ? -1 : 0;
}

static void finish(struct scale *scale)
{
	for (size_t i = 0; i < scale->spans.count; i++) {
		struct scale_span *span = &scale->spans.items[i];
		if (span->wall_ns <= 0)
			continue;
		span->active /= span->wall_ns;
		span->running /= span->wall_ns;
		span->serial_share /= span->wall_ns;
	}
	if (scale->spans.count)
		qsort(scale->spans.items, scale->spans.count, sizeof(scale->spans.items[0]),
		      by_falling_time);
}

void scale_find_spans(struct scale *scale, const struct timeline *timeline)
{
	struct sweep sweep = {.scale = scale, .timeline = timeline};
	const struct timeline_visitor visitor = {.context = &sweep, .end = on_span};
	size_t before = 0;

	for (size_t i = 0; i < timeline->threads.count; i++)
		timeline_walk(timeline, &timeline->threads.items[i], &visitor);
	if (!sweep.transitions.count)
		return;
	for (size_t i = 0; i < timeline->threads.count; i++)
		if (timeline->threads.items[i].pid)
			add_states(&sweep, &timeline->threads.items[i]);
	struct transition *transitions = sweep.transitions.items;
	qsort(transitions, sweep.transitions.count, sizeof(*transitions), by_time);
	for (size_t i = 0; i < sweep.transitions.count; i++) {
		if (transitions[i].at_ns > transitions[before].at_ns)
			add_segment(&sweep,
				    (double)(transitions[i].at_ns - transitions[before].at_ns));
		before = i;
		apply_transition(&sweep, &transitions[i]);
	}
	finish(scale);
	array_free(&sweep.transitions);
	array_free(&sweep.names);
}
