/* SPDX-License-Identifier: BSD-2-Clause */
/* log_replay - finds which threads ran at once and which woke which, and makes steps of both. */
#include "analyze/scale/log_replay.h"

#include "stats/parallel.h"
#include "wire/wait_class.h"

#include <math.h>
#include <string.h>

/*
 * From `at_ns` on `running` threads ran; by then a thread that always ran would have done
 * `work_ns`.
 */
struct segment {
	uint64_t at_ns;
	double work_ns;
	int running;
	double stolen; /* as a share of their time */
};

struct wakeup {
	size_t waker; /* index of the thread */
	uint64_t at_ns;
	size_t event;
};

/*
 * Waits with a time limit, one after the other. If another thread ends the last, the program waits
 * for that thread, not for the time.
 */
struct poll {
	size_t first, end;    /* steps of these waits; none if equal */
	unsigned system_call; /* the same for all */
};
/* A wait is sampled when its thread is back on a core: at most that much later. */
#define END_SLACK_NS 200000u
#define DELAY_MOST_NS 100000 /* of an idle core; a longer delay is due to other programs */
#define POLL_WORK_MOST 0.05  /* of the wait before: the most work between two waits */

/*
 * How much of a thread's time to leave out. A sample stands for about a period, which may be longer
 * than the burst in which it fell: the rest is left out of later bursts.
 */
struct reduction {
	size_t next, end; /* range of the thread's target samples */
	double owed_ns;   /* time in the target that is still to be left out */
};

struct builder {
	const struct timeline *timeline;
	struct log_replay *log;
	double growth;
	unsigned cores;
	const struct timeline_thread *root;
	ARRAY(struct segment) segments;
	ARRAY(struct wakeup) wakeups;
	size_t *first_event; /* by thread: event of its creation, followed by those of its waits */
	ARRAY(double) delays;
	struct poll poll;
	const struct log_speedup *speedup; /* may be NULL */
	struct reduction reduction[2];     /* for work, and for sleeps */
};

static bool is_wait(const struct timeline_state *state)
{
	return state->class != TIMELINE_RUNNING && state->class != TIMELINE_RUNNABLE;
}

/* ---- threads that ran at once ---- */

static int by_time(const void *left, const void *right)
{
	const struct segment *a = left, *b = right;
	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

static void add_steals(struct builder *builder, const struct log_steals *steals)
{
	for (size_t i = 0; steals && i < steals->count; i++) {
		const struct log_steal *steal = &steals->items[i];
		uint64_t begin_ns = builder->root->exec_ns + steal->begin_ns;
		*array_add(&builder->segments) =
			(struct segment){.at_ns = begin_ns, .stolen = steal->part};
		*array_add(&builder->segments) =
			(struct segment){.at_ns = begin_ns + steal->length_ns,
					 .stolen = -steal->part};
	}
}

/* The work of a thread that runs from then on, in this time. */
static double work_in(const struct builder *builder, const struct segment *segment, double span_ns)
{
	unsigned running = segment->running > 0 ? (unsigned)segment->running : 0;

	return span_ns * (1 - segment->stolen) / parallel_slowdown(builder->growth, running);
}

static void find_segments(struct builder *builder)
{
	const struct timeline *timeline = builder->timeline;

	for (size_t i = 0; i < timeline->threads.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		for (size_t j = 0; thread->pid && j < thread->states.count; j++) {
			const struct timeline_state *state = &thread->states.items[j];
			if (state->class != TIMELINE_RUNNING)
				continue;
			*array_add(&builder->segments) =
				(struct segment){.at_ns = state->start_ns, .running = 1};
			*array_add(&builder->segments) =
				(struct segment){.at_ns = state->end_ns, .running = -1};
		}
	}
	struct segment *items = builder->segments.items;
	size_t count = builder->segments.count;
	if (count)
		qsort(items, count, sizeof(*items), by_time);
	/* Turns changes into sums. */
	for (size_t i = 1; i < count; i++) {
		items[i].work_ns = items[i - 1].work_ns +
				   work_in(builder, &items[i - 1],
					   (double)(items[i].at_ns - items[i - 1].at_ns));
		items[i].running += items[i - 1].running;
		items[i].stolen += items[i - 1].stolen;
	}
}

/* The last segment that begins at or before this time. */
static const struct segment *segment_at(const struct builder *builder, uint64_t at_ns)
{
	size_t low = 0, high = builder->segments.count;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (builder->segments.items[middle].at_ns <= at_ns)
			low = middle;
		else
			high = middle;
	}
	return high ? &builder->segments.items[low] : NULL;
}

static double work_at(const struct builder *builder, uint64_t at_ns)
{
	const struct segment *segment = segment_at(builder, at_ns);

	if (!segment || at_ns < segment->at_ns)
		return 0;
	return segment->work_ns + work_in(builder, segment, (double)(at_ns - segment->at_ns));
}

/* ---- threads that woke each other ---- */

/* The thread that had this id then; the number of threads if there was none. */
static size_t thread_at(const struct timeline *timeline, unsigned tid, uint64_t at_ns)
{
	const struct timeline_thread *last = timeline_thread_of(timeline, tid);
	size_t index = last ? (size_t)(last - timeline->threads.items) : timeline->threads.count;

	if (!last || last->start_ns <= at_ns)
		return index;
	while (index--)
		if (timeline->threads.items[index].tid == tid &&
		    timeline->threads.items[index].start_ns <= at_ns)
			return index;
	return timeline->threads.count;
}

/* The thread of the program that ended the wait; the number of threads if none did. */
static size_t waker_of(const struct timeline *timeline, const struct timeline_state *wait)
{
	const char *call = timeline_call(timeline, wait->system_call);
	bool is_sleep = wait_reason_of_call_name(call) == WAIT_FOR_TIME;

	if (!wait->waker || wait->by_interrupt || is_sleep || wait->class == TIMELINE_IO)
		return timeline->threads.count;
	size_t waker = thread_at(timeline, wait->waker, wait->end_ns);
	if (waker < timeline->threads.count && !timeline->threads.items[waker].pid)
		return timeline->threads.count;
	return waker;
}

static void add_wakeup(struct builder *builder, size_t waker, uint64_t at_ns)
{
	*array_add(&builder->wakeups) = (struct wakeup){.waker = waker,
							.at_ns = at_ns,
							.event = builder->log->replay.events++};
}

static int by_waker(const void *left, const void *right)
{
	const struct wakeup *a = left, *b = right;

	if (a->waker != b->waker)
		return a->waker < b->waker ? -1 : 1;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->event < b->event ? -1 : 1;
}

/* Its parent, which began before it, so that no two threads wait for each other's creation. */
static size_t parent_of(const struct timeline *timeline, const struct timeline_thread *thread)
{
	size_t none = timeline->threads.count;
	size_t parent =
		thread->parent ? thread_at(timeline, thread->parent, thread->start_ns) : none;

	return parent < none && &timeline->threads.items[parent] != thread ? parent : none;
}

static void find_wakeups(struct builder *builder)
{
	const struct timeline *timeline = builder->timeline;
	size_t none = timeline->threads.count;

	for (size_t i = 0; i < none; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		builder->first_event[i] = builder->log->replay.events;
		if (!thread->pid)
			continue;
		size_t parent = parent_of(timeline, thread);
		if (parent < none)
			add_wakeup(builder, parent, thread->start_ns);
		for (size_t j = 0; j < thread->states.count; j++) {
			const struct timeline_state *state = &thread->states.items[j];
			size_t waker = is_wait(state) ? waker_of(timeline, state) : none;
			if (waker < none)
				add_wakeup(builder, waker, state->end_ns);
		}
	}
	if (builder->wakeups.count)
		qsort(builder->wakeups.items, builder->wakeups.count,
		      sizeof(builder->wakeups.items[0]), by_waker);
}

/* ---- steps ---- */

/* The first wake-up by this thread, in order of wakers. */
static size_t first_wakeup(const struct builder *builder, size_t waker)
{
	size_t low = 0, high = builder->wakeups.count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (builder->wakeups.items[middle].waker < waker)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The range of the thread's target samples. */
static struct reduction reduction_of(const struct log_speedup *speedup, unsigned tid)
{
	struct reduction reduction = {0};

	if (!speedup)
		return reduction;
	while (reduction.next < speedup->count && speedup->target_samples[reduction.next].tid < tid)
		reduction.next++;
	reduction.end = reduction.next;
	while (reduction.end < speedup->count && speedup->target_samples[reduction.end].tid == tid)
		reduction.end++;
	return reduction;
}

/* Adds the samples up to `until_ns` to the time that is still to be left out. */
static void add_target_samples(struct builder *builder, bool is_waiting, uint64_t until_ns)
{
	struct reduction *reduction = &builder->reduction[is_waiting];

	for (; reduction->next < reduction->end; reduction->next++) {
		const struct recording_target_sample *target_sample =
			&builder->speedup->target_samples[reduction->next];
		if (target_sample->time_ns > until_ns)
			break;
		if (target_sample->is_waiting == is_waiting)
			reduction->owed_ns += (double)target_sample->weight_ns;
	}
}

/* Takes what fits into this length; returns the share of the length that remains. */
static double take_reduction(struct builder *builder, bool is_waiting, double length_ns)
{
	struct reduction *reduction = &builder->reduction[is_waiting];
	double taken = fmin(reduction->owed_ns, length_ns);

	if (taken <= 0)
		return 1;
	reduction->owed_ns -= taken;
	return 1 - builder->speedup->speedup * taken / length_ns;
}

static void add_work(struct builder *builder, struct replay_thread *plan, uint64_t from_ns,
		     uint64_t to_ns)
{
	double work = to_ns > from_ns ? work_at(builder, to_ns) - work_at(builder, from_ns) : 0;

	if (work <= 0)
		return;
	add_target_samples(builder, false, to_ns);
	work *= take_reduction(builder, false, (double)(to_ns - from_ns));
	if (work > 0)
		replay_add_step(plan, REPLAY_WORK, work, 0);
}

/* Signals of this thread before `end_ns`, and from `from_ns` on its work between them. */
static void add_signals(struct builder *builder, struct replay_thread *plan, size_t thread,
			size_t *wakeup, uint64_t end_ns, uint64_t *from_ns)
{
	const struct wakeup *all = builder->wakeups.items;

	for (; *wakeup < builder->wakeups.count && all[*wakeup].waker == thread &&
	       all[*wakeup].at_ns < end_ns;
	     (*wakeup)++) {
		if (from_ns && all[*wakeup].at_ns > *from_ns) {
			add_work(builder, plan, *from_ns, all[*wakeup].at_ns);
			*from_ns = all[*wakeup].at_ns;
		}
		replay_add_step(plan, REPLAY_SIGNAL, 0, all[*wakeup].event);
	}
}

/* Only threads that waited for an idle core alone tell its delay. */
static void add_wake_delay(struct builder *builder, const struct timeline_state *ready)
{
	const struct segment *segment = segment_at(builder, ready->start_ns);

	if (!ready->is_preempted && segment && segment->running >= 0 &&
	    (unsigned)segment->running < builder->cores)
		*array_add(&builder->delays) = (double)(ready->end_ns - ready->start_ns);
}

static void add_timeout(struct poll *poll, const struct replay_thread *plan,
			const struct timeline_state *state)
{
	size_t at = plan->steps.count - 1; /* of this sleep */

	if (poll->end == poll->first || poll->system_call != state->system_call)
		poll->first = at;
	poll->end = at + 1;
	poll->system_call = state->system_call;
}

/* Has the thread done more since its last wait than check the time? */
static bool has_worked(const struct poll *poll, const struct replay_thread *plan)
{
	const struct replay_step *steps = plan->steps.items;
	double work = 0;

	if (poll->end == poll->first)
		return true;
	for (size_t i = poll->end; i < plan->steps.count; i++)
		work += steps[i].kind == REPLAY_WORK ? steps[i].amount_ns : 0;
	return work > POLL_WORK_MOST * steps[poll->end - 1].amount_ns;
}

static void clear_timeouts(struct poll *poll, struct replay_thread *plan)
{
	for (size_t i = poll->first; i < poll->end; i++)
		if (plan->steps.items[i].kind == REPLAY_SLEEP)
			plan->steps.items[i].amount_ns = 0;
}

static void add_wait(struct builder *builder, struct replay_thread *plan,
		     const struct timeline_state *state, size_t *event)
{
	const struct timeline *timeline = builder->timeline;
	struct poll *poll = &builder->poll;
	bool goes_on = !has_worked(poll, plan) && poll->system_call == state->system_call;

	if (!goes_on)
		poll->first = poll->end;
	if (waker_of(timeline, state) < timeline->threads.count) {
		clear_timeouts(poll, plan);
		poll->first = poll->end;
		replay_add_step(plan, REPLAY_WAIT, 0, (*event)++);
		return;
	}
	double length = (double)(state->end_ns - state->start_ns);
	if (length > 0) {
		add_target_samples(builder, true, state->end_ns + END_SLACK_NS);
		length *= take_reduction(builder, true, length);
	}
	replay_add_step(plan, REPLAY_SLEEP, length, 0);
	add_timeout(poll, plan, state);
}

/* What a process did before the exec of the program is left out, but its signals are kept. */
static void add_thread(struct builder *builder, size_t index)
{
	const struct timeline *timeline = builder->timeline;
	const struct timeline_thread *thread = &timeline->threads.items[index];
	struct replay_thread *plan = replay_add_thread(&builder->log->replay);
	uint64_t begin_ns = thread == builder->root ? builder->root->exec_ns : 0;
	size_t event = builder->first_event[index], wakeup = first_wakeup(builder, index);

	builder->poll = (struct poll){0};
	builder->reduction[false] = builder->reduction[true] =
		reduction_of(builder->speedup, thread->tid);
	plan->is_main = thread->pid == builder->root->pid;
	builder->log->tids[builder->log->replay.threads.count - 1] = thread->tid;
	if (thread != builder->root && parent_of(timeline, thread) < timeline->threads.count)
		replay_add_step(plan, REPLAY_WAIT, 0, event);
	event += parent_of(timeline, thread) < timeline->threads.count;
	for (size_t i = 0; i < thread->states.count; i++) {
		const struct timeline_state *state = &thread->states.items[i];
		uint64_t from = state->start_ns > begin_ns ? state->start_ns : begin_ns;
		bool is_before = state->end_ns <= begin_ns;
		bool runs = state->class == TIMELINE_RUNNING && !is_before;
		add_signals(builder, plan, index, &wakeup, state->end_ns, runs ? &from : NULL);
		if (runs)
			add_work(builder, plan, from, state->end_ns);
		else if (is_wait(state) && !is_before)
			add_wait(builder, plan, state, &event);
		else if (is_wait(state))
			event += waker_of(timeline, state) < timeline->threads.count;
		else if (state->class == TIMELINE_RUNNABLE && i &&
			 is_wait(&thread->states.items[i - 1]))
			add_wake_delay(builder, state);
	}
	add_signals(builder, plan, index, &wakeup, UINT64_MAX, NULL);
}

/* The thread that executed the program first. */
static const struct timeline_thread *find_root(const struct timeline *timeline)
{
	const struct timeline_thread *root = NULL;

	for (size_t i = 0; i < timeline->threads.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		if (thread->pid && thread->exec_ns && (!root || thread->exec_ns < root->exec_ns))
			root = thread;
	}
	return root;
}

static int by_size(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

static void measure(struct builder *builder)
{
	const struct timeline *timeline = builder->timeline;
	uint64_t end_ns = builder->root->exec_ns;

	for (size_t i = 0; i < timeline->threads.count; i++)
		if (timeline->threads.items[i].pid == builder->root->pid &&
		    timeline->threads.items[i].end_ns > end_ns)
			end_ns = timeline->threads.items[i].end_ns;
	builder->log->length_ns = (double)(end_ns - builder->root->exec_ns);
	size_t count = builder->delays.count;
	if (!count)
		return;
	qsort(builder->delays.items, count, sizeof(double), by_size);
	/*
	 * The median: some threads waited for more than an idle core. Above DELAY_MOST_NS most did.
	 */
	builder->log->wake_delay_ns = fmin(builder->delays.items[count / 2], DELAY_MOST_NS);
}

struct log_replay *log_replay_new(const struct timeline *timeline, unsigned cores, double growth,
				  const struct log_speedup *speedup,
				  const struct log_steals *steals)
{
	struct builder builder = {.timeline = timeline,
				  .growth = growth,
				  .cores = cores,
				  .speedup = speedup};

	builder.root = find_root(timeline);
	if (!builder.root)
		return NULL;
	builder.log = memory_new(1, sizeof(*builder.log));
	builder.log->tids = memory_new(timeline->threads.count, sizeof(unsigned));
	builder.first_event = memory_new(timeline->threads.count, sizeof(size_t));
	add_steals(&builder, steals);
	find_segments(&builder);
	find_wakeups(&builder);
	for (size_t i = 0; i < timeline->threads.count; i++)
		if (timeline->threads.items[i].pid)
			add_thread(&builder, i);
	measure(&builder);
	array_free(&builder.segments);
	array_free(&builder.wakeups);
	array_free(&builder.delays);
	free(builder.first_event);
	return builder.log;
}

void log_replay_free(struct log_replay *log)
{
	if (!log)
		return;
	replay_clear(&log->replay);
	free(log->tids);
	free(log);
}
