/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay - a discrete-event simulation: the events are ends of work, of slices and of sleep.
 *
 * All running threads of a host slow down alike, so the progress of their work is measured by a
 * virtual clock, `work_now`, which advances with the slowdown and stands still while nothing runs.
 * On it, the end of a piece of work does not change when other threads start or stop running.
 */
#include "stats/replay.h"

#include "stats/parallel.h"

#include <math.h>

#define SLICE_NS 3e6 /* about Linux's base slice on 8 cores and more */
#define NO_THREAD UINT32_MAX

/* A priority queue of threads: the least key first; equal keys in the order of arrival. */
struct entry {
	double key;
	uint64_t order;
	uint32_t thread;
};

struct heap {
	ARRAY(struct entry) entries;
};

struct state {
	size_t at;       /* step */
	double left;     /* of the current step's work */
	double given;    /* virtual run time: CPU time, at least `fair` when it became ready */
	double since;    /* work_now when it got its core or its slice */
	bool is_resumed; /* `left` is valid */
};

struct host {
	unsigned cores;
	struct heap ready, running;
	double work_now, fair;
};

struct simulation {
	const struct replay *replay;
	const struct replay_settings *settings;
	struct state *states;
	uint32_t *waiting; /* by event: the thread that waits */
	bool *is_given;
	struct host *hosts;
	unsigned host_count;
	struct heap asleep; /* threads, and behind their numbers events on their way */
	double now;
	uint64_t orders;
	size_t main_left;
};

/* ---- heaps ---- */

static bool comes_before(const struct entry *a, const struct entry *b)
{
	return a->key < b->key || (!(b->key < a->key) && a->order < b->order);
}

static void swap(struct entry *a, struct entry *b)
{
	struct entry kept = *a;
	*a = *b;
	*b = kept;
}

static void heap_push(struct heap *heap, double key, uint64_t order, uint32_t thread)
{
	size_t at = heap->entries.count;

	*array_add(&heap->entries) = (struct entry){key, order, thread};
	for (; at && comes_before(&heap->entries.items[at], &heap->entries.items[(at - 1) / 2]);
	     at = (at - 1) / 2)
		swap(&heap->entries.items[at], &heap->entries.items[(at - 1) / 2]);
}

static uint32_t heap_pop(struct heap *heap)
{
	struct entry *entries = heap->entries.items;
	uint32_t first = entries[0].thread;
	size_t count = --heap->entries.count, at = 0;

	entries[0] = entries[count];
	for (;;) {
		size_t least = at, child = 2 * at + 1;
		if (child < count && comes_before(&entries[child], &entries[least]))
			least = child;
		if (child + 1 < count && comes_before(&entries[child + 1], &entries[least]))
			least = child + 1;
		if (least == at)
			return first;
		swap(&entries[at], &entries[least]);
		at = least;
	}
}

/* ---- threads ---- */

static struct host *host_of(const struct simulation *simulation, uint32_t thread)
{
	return &simulation->hosts[simulation->replay->threads.items[thread].host];
}

static void make_ready(struct simulation *simulation, uint32_t thread)
{
	struct state *state = &simulation->states[thread];
	struct host *host = host_of(simulation, thread);

	/* A thread that slept does not make up for that time. */
	state->given = fmax(state->given, host->fair);
	heap_push(&host->ready, state->given, simulation->orders++, thread);
}

/* `by`: the thread that signals, which is in neither heap and has a core; NO_THREAD: none. */
static void signal_give(struct simulation *simulation, uint32_t event, uint32_t by)
{
	uint32_t thread = simulation->waiting[event];
	double delay = simulation->settings->wake_delay_ns;

	simulation->is_given[event] = true;
	if (thread == NO_THREAD)
		return;
	simulation->waiting[event] = NO_THREAD;
	const struct host *host = host_of(simulation, thread);
	size_t wanted = host->running.entries.count + host->ready.entries.count +
			(by != NO_THREAD && host_of(simulation, by) == host);
	if (delay <= 0 || wanted >= host->cores) {
		make_ready(simulation, thread);
		return;
	}
	heap_push(&simulation->asleep, simulation->now + delay, simulation->orders++, thread);
}

/* Puts a thread on a core, for the rest of its work or of its slice. */
static void run_on(struct simulation *simulation, uint32_t thread)
{
	struct state *state = &simulation->states[thread];
	struct host *host = host_of(simulation, thread);

	state->since = host->work_now;
	heap_push(&host->running, host->work_now + fmin(state->left, SLICE_NS),
		  simulation->orders++, thread);
}

/* At once, or after its way from host to host. */
static void send_signal(struct simulation *simulation, const struct replay_step *step,
			uint32_t thread)
{
	uint32_t behind = (uint32_t)simulation->replay->threads.count;

	if (step->amount_ns > 0)
		heap_push(&simulation->asleep, simulation->now + step->amount_ns,
			  simulation->orders++, behind + step->event);
	else
		signal_give(simulation, step->event, thread);
}

/* False: no thread is ready. */
static bool yield_core(struct simulation *simulation, uint32_t thread)
{
	struct host *host = host_of(simulation, thread);

	if (!host->ready.entries.count)
		return false;
	heap_push(&host->ready,
		  fmax(simulation->states[thread].given, host->ready.entries.items[0].key),
		  simulation->orders++, thread);
	return true;
}

/* Continues the steps of a thread that has a core, until it works, waits, or ends. */
static void continue_thread(struct simulation *simulation, uint32_t thread)
{
	const struct replay_thread *plan = &simulation->replay->threads.items[thread];
	struct state *state = &simulation->states[thread];

	if (state->is_resumed) {
		run_on(simulation, thread);
		return;
	}
	for (; state->at < plan->steps.count; state->at++) {
		const struct replay_step *step = &plan->steps.items[state->at];
		double amount = step->amount_ns;
		if (step->kind == REPLAY_SIGNAL) {
			send_signal(simulation, step, thread);
		} else if (step->kind == REPLAY_YIELD && yield_core(simulation, thread)) {
			state->at++;
			return;
		} else if (step->kind == REPLAY_WAIT && !simulation->is_given[step->event]) {
			simulation->waiting[step->event] = thread;
			state->at++;
			return;
		} else if (step->kind == REPLAY_SLEEP && amount * plan->sleep_factor > 0) {
			heap_push(&simulation->asleep,
				  simulation->now + amount * plan->sleep_factor,
				  simulation->orders++, thread);
			state->at++;
			return;
		} else if (step->kind == REPLAY_WORK && amount * plan->work_factor > 0) {
			state->left = amount * plan->work_factor;
			state->is_resumed = true;
			run_on(simulation, thread);
			return;
		}
	}
	simulation->main_left -= plan->is_main;
}

/* ---- time ---- */

/* Handles the thread of the host whose work or slice ends now. */
static void end_work(struct simulation *simulation, struct host *host)
{
	uint32_t thread = heap_pop(&host->running);
	struct state *state = &simulation->states[thread];
	double done = host->work_now - state->since;
	const struct heap *ready = &host->ready;

	state->left -= done;
	state->given += done;
	/* A rounding error is no work. */
	if (state->left <= 1e-6) {
		state->at++;
		state->is_resumed = false;
		continue_thread(simulation, thread);
	} else if (ready->entries.count && ready->entries.items[0].key < state->given) {
		heap_push(&host->ready, state->given, simulation->orders++, thread);
	} else {
		run_on(simulation, thread);
	}
}

static void fill_cores(struct simulation *simulation)
{
	for (unsigned i = 0; i < simulation->host_count; i++) {
		struct host *host = &simulation->hosts[i];
		while (host->ready.entries.count && host->running.entries.count < host->cores) {
			uint32_t thread = heap_pop(&host->ready);
			host->fair = fmax(host->fair, simulation->states[thread].given);
			continue_thread(simulation, thread);
		}
	}
}

static double slowdown_on(const struct simulation *simulation, const struct host *host)
{
	return parallel_slowdown(simulation->settings->growth,
				 (unsigned)host->running.entries.count);
}

/* The wall time until work on the host ends; INFINITY: nothing runs. */
static double time_left(const struct simulation *simulation, const struct host *host)
{
	if (!host->running.entries.count)
		return INFINITY;
	return fmax(0, host->running.entries.items[0].key - host->work_now) *
	       slowdown_on(simulation, host);
}

static void pass_time(struct simulation *simulation, double wall_ns, const struct host *ends)
{
	simulation->now += wall_ns;
	for (unsigned i = 0; i < simulation->host_count; i++) {
		struct host *host = &simulation->hosts[i];
		if (host == ends)
			host->work_now = fmax(host->work_now, host->running.entries.items[0].key);
		else if (host->running.entries.count)
			host->work_now += wall_ns / slowdown_on(simulation, host);
	}
}

static void wake_first(struct simulation *simulation)
{
	uint32_t first = heap_pop(&simulation->asleep);
	uint32_t threads = (uint32_t)simulation->replay->threads.count;

	if (first < threads)
		make_ready(simulation, first);
	else
		signal_give(simulation, first - threads, NO_THREAD);
}

/* Advances to the next event. False: there is none. */
static bool step_on(struct simulation *simulation)
{
	const struct heap *asleep = &simulation->asleep;
	struct host *next = NULL;
	double work = INFINITY, sleep = INFINITY;

	for (unsigned i = 0; i < simulation->host_count; i++) {
		double left = time_left(simulation, &simulation->hosts[i]);
		if (left < work) {
			work = left;
			next = &simulation->hosts[i];
		}
	}
	if (asleep->entries.count)
		sleep = fmax(0, asleep->entries.items[0].key - simulation->now);
	if (!isfinite(work) && !isfinite(sleep))
		return false;
	if (work <= sleep) {
		pass_time(simulation, work, next);
		end_work(simulation, next);
	} else {
		pass_time(simulation, sleep, NULL);
		wake_first(simulation);
	}
	return true;
}

static void add_hosts(struct simulation *simulation)
{
	const struct replay *replay = simulation->replay;
	const struct replay_settings *settings = simulation->settings;

	for (size_t i = 0; i < replay->threads.count; i++)
		if (replay->threads.items[i].host >= simulation->host_count)
			simulation->host_count = replay->threads.items[i].host + 1;
	simulation->hosts = memory_new(simulation->host_count + 1, sizeof(struct host));
	for (unsigned i = 0; i < simulation->host_count; i++)
		simulation->hosts[i].cores =
			settings->host_cores ? settings->host_cores[i] : settings->cores;
}

static void clear(struct simulation *simulation)
{
	for (unsigned i = 0; i < simulation->host_count; i++) {
		array_free(&simulation->hosts[i].ready.entries);
		array_free(&simulation->hosts[i].running.entries);
	}
	free(simulation->hosts);
	free(simulation->states);
	free(simulation->waiting);
	free(simulation->is_given);
	array_free(&simulation->asleep.entries);
}

double replay_run(const struct replay *replay, const struct replay_settings *settings)
{
	struct simulation simulation = {.replay = replay, .settings = settings};
	bool goes_on = true;

	simulation.states = memory_new(replay->threads.count + 1, sizeof(struct state));
	simulation.waiting = memory_new(replay->events + 1, sizeof(uint32_t));
	simulation.is_given = memory_new(replay->events + 1, sizeof(bool));
	add_hosts(&simulation);
	for (size_t i = 0; i < replay->events; i++)
		simulation.waiting[i] = NO_THREAD;
	for (size_t i = 0; i < replay->threads.count; i++) {
		simulation.main_left += replay->threads.items[i].is_main;
		make_ready(&simulation, (uint32_t)i);
	}
	fill_cores(&simulation);
	while (simulation.main_left && goes_on) {
		goes_on = step_on(&simulation);
		fill_cores(&simulation);
	}
	clear(&simulation);
	return simulation.main_left ? NAN : simulation.now;
}

/* ---- building ---- */

void replay_clear(struct replay *replay)
{
	for (size_t i = 0; i < replay->threads.count; i++)
		array_free(&replay->threads.items[i].steps);
	array_free(&replay->threads);
	replay->events = 0;
}

struct replay_thread *replay_add_thread(struct replay *replay)
{
	struct replay_thread *thread = array_add(&replay->threads);

	*thread = (struct replay_thread){.work_factor = 1, .sleep_factor = 1};
	return thread;
}

void replay_add_step(struct replay_thread *thread, enum replay_kind kind, double amount_ns,
		     size_t event)
{
	*array_add(&thread->steps) = (struct replay_step){.kind = kind,
							  .amount_ns = amount_ns,
							  .event = (uint32_t)event};
}
