/* SPDX-License-Identifier: BSD-2-Clause */
/* log_replay - finds which threads ran at once and which woke which, and makes steps of both. */
#include "analyze/scale/log_replay.h"

#include "analyze/scale/core_use.h"
#include "analyze/timeline/arrivals.h"
#include "wire/wait_class.h"

#include <math.h>
#include <string.h>

struct wakeup {
	size_t waker; /* index of the thread */
	uint64_t at_ns;
	size_t event;
	double delay_ns; /* of a message, on its way */
};

/* A message from host to host; its event is there when the receiver may go on. */
struct arrival {
	bool is_in_program; /* else it is left out */
	bool ended_wait;
	size_t event;
	double delay_ns;
};

struct host {
	const struct timeline_thread *root; /* NULL: its log does not show how it began */
	struct core_use use;
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
#define YIELD_MOST_NS 20000  /* from a wake-up until the woken thread has its waker's core */
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
	const struct timeline_thread *root; /* of the first host */
	struct host *hosts;
	size_t host_count;
	ARRAY(struct wakeup) wakeups;
	struct arrival *arrivals; /* by message */
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

static struct host *host_of(const struct builder *builder, const struct timeline_thread *thread)
{
	size_t index = thread->tid / TIMELINE_TIDS;
	return &builder->hosts[index < builder->host_count ? index : 0];
}

/* ---- threads that ran at once ---- */

static void add_steals(struct builder *builder, const struct log_steals *steals)
{
	for (size_t i = 0; steals && i < steals->count; i++)
		core_use_add_steal(&builder->hosts->use,
				   builder->root->exec_ns + steals->items[i].begin_ns,
				   steals->items[i].length_ns, steals->items[i].part);
}

static void find_core_use(struct builder *builder)
{
	const struct timeline *timeline = builder->timeline;

	for (size_t i = 0; i < timeline->threads.count; i++)
		core_use_add_thread(&host_of(builder, &timeline->threads.items[i])->use,
				    &timeline->threads.items[i]);
	for (size_t i = 0; i < builder->host_count; i++)
		core_use_sum_up(&builder->hosts[i].use, builder->growth);
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

/*
 * The message that ended the wait; NULL: none did. The waker of a receive may be a thread that an
 * interrupt for the message stopped in a system call.
 */
static const struct timeline_message *message_of(const struct builder *builder,
						 const struct timeline_thread *thread,
						 const struct timeline_state *wait)
{
	const struct timeline *timeline = builder->timeline;
	const char *call = timeline_call(timeline, wait->system_call);

	if (!timeline->messages.count || wait->class == TIMELINE_IO ||
	    wait_reason_of_call_name(call) == WAIT_FOR_TIME ||
	    (waker_of(timeline, wait) < timeline->threads.count &&
	     !arrivals_is_receive(timeline, wait)))
		return NULL;
	const struct timeline_message *message = arrivals_after(timeline, thread, wait);
	return message && builder->arrivals[message - timeline->messages.items].is_in_program ?
		       message :
		       NULL;
}

/* The thread of the program that ended the wait, and no message did. */
static size_t signaller_of(const struct builder *builder, const struct timeline_thread *thread,
			   const struct timeline_state *wait)
{
	return message_of(builder, thread, wait) ? builder->timeline->threads.count :
						   waker_of(builder->timeline, wait);
}

static void add_wakeup(struct builder *builder, size_t waker, uint64_t at_ns)
{
	*array_add(&builder->wakeups) = (struct wakeup){.waker = waker,
							.at_ns = at_ns,
							.event = builder->log->replay.events++};
}

static int by_size(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

static bool is_in_program(const struct timeline *timeline, size_t thread)
{
	return thread < timeline->threads.count && timeline->threads.items[thread].pid &&
	       timeline->threads.items[thread].states.count;
}

static void find_arrivals(struct builder *builder)
{
	const struct timeline *timeline = builder->timeline;

	builder->arrivals = memory_new(timeline->messages.count + 1, sizeof(*builder->arrivals));
	for (size_t i = 0; i < timeline->messages.count; i++) {
		const struct timeline_message *message = &timeline->messages.items[i];
		builder->arrivals[i].is_in_program =
			is_in_program(timeline,
				      thread_at(timeline, message->from, message->left_ns)) &&
			is_in_program(timeline, thread_at(timeline, message->to, message->came_ns));
	}
}

/* Waits that messages ended tell how long these took, by the median the others, too. */
static void find_delays(struct builder *builder)
{
	const struct timeline *timeline = builder->timeline;
	ARRAY(double) known = {0};

	for (size_t i = 0; i < timeline->threads.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		for (size_t j = 0; thread->pid && j < thread->states.count; j++) {
			const struct timeline_state *state = &thread->states.items[j];
			const struct timeline_message *message =
				is_wait(state) ? message_of(builder, thread, state) : NULL;
			if (!message)
				continue;
			struct arrival *arrival =
				&builder->arrivals[message - timeline->messages.items];
			arrival->ended_wait = true;
			arrival->delay_ns = (double)(state->end_ns - message->left_ns);
			*array_add(&known) = arrival->delay_ns;
		}
	}
	if (known.count)
		qsort(known.items, known.count, sizeof(double), by_size);
	for (size_t i = 0; i < timeline->messages.count; i++) {
		const struct timeline_message *message = &timeline->messages.items[i];
		double most = (double)(message->came_ns - message->left_ns);
		if (!builder->arrivals[i].ended_wait)
			builder->arrivals[i].delay_ns =
				known.count ? fmin(most, known.items[known.count / 2]) : 0;
	}
	array_free(&known);
}

static void add_messages(struct builder *builder)
{
	const struct timeline *timeline = builder->timeline;

	for (size_t i = 0; i < timeline->messages.count; i++) {
		const struct timeline_message *message = &timeline->messages.items[i];
		struct arrival *arrival = &builder->arrivals[i];
		if (!arrival->is_in_program)
			continue;
		arrival->event = builder->log->replay.events;
		add_wakeup(builder, thread_at(timeline, message->from, message->left_ns),
			   message->left_ns);
		builder->wakeups.items[builder->wakeups.count - 1].delay_ns = arrival->delay_ns;
	}
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
			size_t waker = is_wait(state) ? signaller_of(builder, thread, state) : none;
			if (waker < none)
				add_wakeup(builder, waker, state->end_ns);
		}
	}
	add_messages(builder);
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
	double work =
		core_use_work(&builder->hosts[plan->host].use, builder->growth, from_ns, to_ns);

	if (work <= 0)
		return;
	add_target_samples(builder, false, to_ns);
	work *= take_reduction(builder, false, (double)(to_ns - from_ns));
	if (work > 0)
		replay_add_step(plan, REPLAY_WORK, work, 0);
}

/* What a thread does for others and takes from them, by time. */
struct course {
	size_t thread;
	size_t wakeup;    /* the next one by it */
	size_t message;   /* the next one to it */
	uint64_t woke_ns; /* its last wake-up of a thread of its host */
};

/* Adds the next signal or message before `end_ns`, and sets its time. False: there is none. */
static bool take_next(struct builder *builder, struct course *course, uint64_t end_ns,
		      struct replay_step *step, uint64_t *at_ns)
{
	const struct timeline *timeline = builder->timeline;
	const struct wakeup *wakeup = builder->wakeups.items + course->wakeup;
	const struct timeline_message *message = timeline->messages.items + course->message;
	bool signals = course->wakeup < builder->wakeups.count && wakeup->waker == course->thread &&
		       wakeup->at_ns < end_ns;
	bool receives = course->message < timeline->messages.count &&
			message->to == timeline->threads.items[course->thread].tid &&
			message->came_ns < end_ns;

	if (receives && (!signals || message->came_ns < wakeup->at_ns)) {
		const struct arrival *arrival = &builder->arrivals[course->message++];
		*at_ns = message->came_ns;
		*step = (struct replay_step){.kind = arrival->is_in_program ? REPLAY_WAIT :
									      REPLAY_SLEEP,
					     .event = (uint32_t)arrival->event};
		return true;
	}
	if (!signals)
		return false;
	course->wakeup++;
	course->woke_ns = wakeup->delay_ns > 0 ? course->woke_ns : wakeup->at_ns;
	*at_ns = wakeup->at_ns;
	*step = (struct replay_step){.kind = REPLAY_SIGNAL,
				     .amount_ns = wakeup->delay_ns,
				     .event = (uint32_t)wakeup->event};
	return true;
}

/* Those before `end_ns`, and from `from_ns` on the thread's work between them. */
static void add_signals(struct builder *builder, struct replay_thread *plan, struct course *course,
			uint64_t end_ns, uint64_t *from_ns)
{
	struct replay_step step;
	uint64_t at_ns;

	while (take_next(builder, course, end_ns, &step, &at_ns)) {
		if (from_ns && at_ns > *from_ns) {
			add_work(builder, plan, *from_ns, at_ns);
			*from_ns = at_ns;
		}
		replay_add_step(plan, step.kind, step.amount_ns, step.event);
	}
}

/* Only threads that waited for an idle core alone tell its delay. */
static void add_wake_delay(struct builder *builder, const struct timeline_state *ready)
{
	int running = core_use_running(&builder->hosts->use, ready->start_ns);

	if (!ready->is_preempted && running >= 0 && (unsigned)running < builder->cores)
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

/* A message is waited for where it is received. */
static void add_wait(struct builder *builder, struct replay_thread *plan,
		     const struct timeline_thread *thread, const struct timeline_state *state,
		     size_t *event)
{
	const struct timeline *timeline = builder->timeline;
	bool is_message = message_of(builder, thread, state);
	struct poll *poll = &builder->poll;
	bool goes_on = !has_worked(poll, plan) && poll->system_call == state->system_call;

	if (!goes_on)
		poll->first = poll->end;
	if (is_message || waker_of(timeline, state) < timeline->threads.count) {
		clear_timeouts(poll, plan);
		poll->first = poll->end;
		if (!is_message)
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

/* Until the program began there; 0 on the first host. */
static double start_of(const struct builder *builder, const struct timeline_thread *root)
{
	return root && root->exec_ns > builder->root->exec_ns ?
		       (double)(root->exec_ns - builder->root->exec_ns) :
		       0;
}

/* Does the thread lose its core at the end of the state to one that it has just woken? */
static bool yields(const struct course *course, const struct timeline_thread *thread, size_t at)
{
	const struct timeline_state *state = &thread->states.items[at];

	return at + 1 < thread->states.count && state[1].class == TIMELINE_RUNNABLE &&
	       state[1].is_preempted && course->woke_ns >= state->start_ns &&
	       state->end_ns - course->woke_ns < YIELD_MOST_NS;
}

static void add_states(struct builder *builder, struct replay_thread *plan,
		       const struct timeline_thread *thread, size_t event)
{
	const struct timeline *timeline = builder->timeline;
	size_t index = (size_t)(thread - timeline->threads.items);
	bool is_root = thread == builder->hosts[plan->host].root;
	uint64_t begin_ns = is_root ? thread->exec_ns : 0;
	struct course course = {.thread = index,
				.wakeup = first_wakeup(builder, index),
				.message = arrivals_find(timeline, thread->tid, 0)};

	for (size_t i = 0; i < thread->states.count; i++) {
		const struct timeline_state *state = &thread->states.items[i];
		uint64_t from = state->start_ns > begin_ns ? state->start_ns : begin_ns;
		bool is_before = state->end_ns <= begin_ns;
		bool runs = state->class == TIMELINE_RUNNING && !is_before;
		add_signals(builder, plan, &course, state->end_ns, runs ? &from : NULL);
		if (runs)
			add_work(builder, plan, from, state->end_ns);
		if (runs && yields(&course, thread, i))
			replay_add_step(plan, REPLAY_YIELD, 0, 0);
		else if (is_wait(state) && !is_before)
			add_wait(builder, plan, thread, state, &event);
		else if (is_wait(state))
			event += signaller_of(builder, thread, state) < timeline->threads.count;
		else if (state->class == TIMELINE_RUNNABLE && i && !plan->host &&
			 is_wait(&thread->states.items[i - 1]))
			add_wake_delay(builder, state);
	}
	add_signals(builder, plan, &course, UINT64_MAX, NULL);
}

/* What a process did before the exec of the program is left out, but its signals are kept. */
static void add_thread(struct builder *builder, size_t index)
{
	const struct timeline *timeline = builder->timeline;
	const struct timeline_thread *thread = &timeline->threads.items[index];
	struct replay_thread *plan = replay_add_thread(&builder->log->replay);
	const struct host *host = host_of(builder, thread);
	bool is_root = thread == host->root;
	bool has_parent = parent_of(timeline, thread) < timeline->threads.count;
	size_t event = builder->first_event[index];

	builder->poll = (struct poll){0};
	builder->reduction[false] = builder->reduction[true] =
		reduction_of(builder->speedup, thread->tid);
	plan->host = (unsigned)(host - builder->hosts);
	plan->is_main = thread->pid == builder->root->pid;
	builder->log->tids[builder->log->replay.threads.count - 1] = thread->tid;
	if (!is_root && has_parent)
		replay_add_step(plan, REPLAY_WAIT, 0, event);
	else
		replay_add_step(plan, REPLAY_SLEEP, start_of(builder, host->root), 0);
	add_states(builder, plan, thread, event + has_parent);
}

/* The threads that executed the program first. */
static void find_roots(struct builder *builder)
{
	const struct timeline *timeline = builder->timeline;

	builder->host_count = timeline->hosts.count ? timeline->hosts.count : 1;
	builder->hosts = memory_new(builder->host_count, sizeof(*builder->hosts));
	for (size_t i = 0; i < timeline->threads.count; i++) {
		const struct timeline_thread *thread = &timeline->threads.items[i];
		struct host *host = host_of(builder, thread);
		if (thread->pid && thread->exec_ns &&
		    (!host->root || thread->exec_ns < host->root->exec_ns))
			host->root = thread;
	}
	builder->root = builder->hosts->root;
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

static void build(struct builder *builder, const struct log_steals *steals)
{
	const struct timeline *timeline = builder->timeline;

	builder->log = memory_new(1, sizeof(*builder->log));
	builder->log->tids = memory_new(timeline->threads.count, sizeof(unsigned));
	builder->first_event = memory_new(timeline->threads.count, sizeof(size_t));
	add_steals(builder, steals);
	find_core_use(builder);
	find_arrivals(builder);
	find_delays(builder);
	find_wakeups(builder);
	for (size_t i = 0; i < timeline->threads.count; i++)
		if (timeline->threads.items[i].pid)
			add_thread(builder, i);
	measure(builder);
}

struct log_replay *log_replay_new(const struct timeline *timeline, unsigned cores, double growth,
				  const struct log_speedup *speedup,
				  const struct log_steals *steals)
{
	struct builder builder = {.timeline = timeline,
				  .growth = growth,
				  .cores = cores,
				  .speedup = speedup};

	find_roots(&builder);
	if (builder.root)
		build(&builder, steals);
	for (size_t i = 0; i < builder.host_count; i++)
		array_free(&builder.hosts[i].use.segments);
	free(builder.hosts);
	array_free(&builder.wakeups);
	array_free(&builder.delays);
	free(builder.arrivals);
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
