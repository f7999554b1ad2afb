/* SPDX-License-Identifier: BSD-2-Clause */
/* path - follows a timeline back from its end. */
#include "analyze/timeline/path.h"

#include "analyze/timeline/arrivals.h"

#define TURNS_MOST 16 /* from thread to thread at one time */

struct walk {
	const struct timeline *timeline;
	struct path *path;
	size_t *rows; /* 1 + index of each thread's row */
	size_t thread;
	uint64_t now_ns;
};

static const struct timeline_thread *current(const struct walk *walk)
{
	return &walk->timeline->threads.items[walk->thread];
}

/* ---- the way back ---- */

static void add_segment(struct walk *walk, uint64_t from_ns)
{
	struct path *path = walk->path;
	struct path_segment *last =
		path->segments.count ? &path->segments.items[path->segments.count - 1] : NULL;

	if (from_ns >= walk->now_ns)
		return;
	if (last && last->thread == walk->thread && last->start_ns == walk->now_ns)
		last->start_ns = from_ns;
	else
		*array_add(&path->segments) =
			(struct path_segment){walk->thread, from_ns, walk->now_ns};
}

static void add_time(struct walk *walk, enum timeline_class class, uint64_t from_ns)
{
	struct path *path = walk->path;
	uint64_t time_ns = walk->now_ns > from_ns ? walk->now_ns - from_ns : 0;

	if (!walk->rows[walk->thread]) {
		*array_add(&path->rows) = (struct path_row){.thread = walk->thread};
		walk->rows[walk->thread] = path->rows.count;
	}
	struct path_row *row = &path->rows.items[walk->rows[walk->thread] - 1];
	row->class_ns[class] += time_ns;
	row->all_ns += time_ns;
	path->all_ns += time_ns;
	add_segment(walk, from_ns);
	walk->now_ns = from_ns < walk->now_ns ? from_ns : walk->now_ns;
}

/* The last state that begins before now, or NULL. */
static const struct timeline_state *state_before(const struct walk *walk)
{
	const struct timeline_thread *thread = current(walk);
	size_t low = 0, high = thread->states.count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (thread->states.items[middle].start_ns < walk->now_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &thread->states.items[low - 1] : NULL;
}

static const struct timeline_thread *ended_by(const struct walk *walk,
					      const struct timeline_state *wait)
{
	const struct timeline_thread *waker =
		wait->waker && !wait->by_interrupt ?
			timeline_thread_of(walk->timeline, wait->waker) :
			NULL;
	return waker && waker->pid && waker->states.count ? waker : NULL;
}

/*
 * From a wait that is just over to what ended it. False: that is not known. The waker of a receive
 * may be a thread that an interrupt for the message stopped in a system call.
 */
static bool follow_wait(struct walk *walk, const struct timeline_state *wait)
{
	const struct timeline_thread *waker = ended_by(walk, wait), *sender;
	const struct timeline_message *message =
		!waker || arrivals_is_receive(walk->timeline, wait) ?
			arrivals_after(walk->timeline, current(walk), wait) :
			NULL;

	sender = message ? timeline_thread_of(walk->timeline, message->from) : NULL;
	if (sender && sender != current(walk)) {
		walk->path->messages++;
		walk->path->message_ns += walk->now_ns - message->left_ns;
		walk->path->all_ns += walk->now_ns - message->left_ns;
		walk->now_ns = message->left_ns;
		waker = sender;
	}
	if (!waker)
		return false;
	walk->thread = (size_t)(waker - walk->timeline->threads.items);
	return true;
}

/* From a thread's begin to the one that made it. */
static bool follow_parent(struct walk *walk)
{
	const struct timeline_thread *thread = current(walk);
	const struct timeline_thread *parent =
		thread->parent ? timeline_thread_of(walk->timeline, thread->parent) : NULL;

	if (!parent || !parent->states.count || parent == thread)
		return false;
	walk->thread = (size_t)(parent - walk->timeline->threads.items);
	return true;
}

static void go_back(struct walk *walk)
{
	for (unsigned turns = 0; turns < TURNS_MOST;) {
		const struct timeline_state *state = state_before(walk);
		uint64_t before_ns = walk->now_ns;
		bool is_wait = state && state->class >= TIMELINE_IO;
		if (!state) {
			if (!follow_parent(walk))
				return;
		} else if (is_wait && state->end_ns == walk->now_ns && follow_wait(walk, state)) {
			/* On another thread now. */
		} else {
			/* Where a thread is joined in mid-wait, that is as unknown as its cause. */
			add_time(walk, state->class, state->start_ns);
		}
		turns = walk->now_ns < before_ns ? 0 : turns + 1;
	}
}

/* The last time that a thread of the first host ran. */
static void find_end(struct walk *walk)
{
	walk->now_ns = 0;
	for (size_t i = 0; i < walk->timeline->threads.count; i++) {
		const struct timeline_thread *thread = &walk->timeline->threads.items[i];
		size_t last = thread->states.count;
		while (last && thread->states.items[last - 1].class != TIMELINE_RUNNING)
			last--;
		if (!thread->pid || !last || thread->tid >= TIMELINE_TIDS ||
		    thread->states.items[last - 1].end_ns <= walk->now_ns)
			continue;
		walk->now_ns = thread->states.items[last - 1].end_ns;
		walk->thread = i;
	}
}

static int by_time(const void *left, const void *right)
{
	const struct path_row *a = left, *b = right;

	if (a->all_ns != b->all_ns)
		return a->all_ns > b->all_ns ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

struct path *path_new(const struct timeline *timeline)
{
	struct path *path = memory_new(1, sizeof(*path));
	struct walk walk = {.timeline = timeline, .path = path};

	walk.rows = memory_new(timeline->threads.count + 1, sizeof(*walk.rows));
	find_end(&walk);
	if (walk.now_ns)
		go_back(&walk);
	if (path->rows.count)
		qsort(path->rows.items, path->rows.count, sizeof(*path->rows.items), by_time);
	free(walk.rows);
	return path;
}

void path_free(struct path *path)
{
	if (!path)
		return;
	array_free(&path->rows);
	array_free(&path->segments);
	free(path);
}
