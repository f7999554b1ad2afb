/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait - what stands before and after a call in which a thread may wait.
 *
 * For a thread (a lock, a condition, a join): who ends the wait has paid before, so the waiter is
 * credited with what G grew by. Such waits are never the target's time: they are another's work.
 *
 * For time or a file: nobody has paid, so the waiter pays when it goes on. Such a wait is time of the
 * line that waits (blocked samples; BCOZ), as in bpf/wait.h: if that is the target, G grows as long as it
 * waits. A wait for a file that the program itself ends (a pipe between its threads) is like one for a
 * thread; who ended it is known only afterwards, so the next one is taken to end as this one did.
 */
#include "runtime/wait.h"

#define SHORT_NS 20000u        /* a call that returns sooner has not waited */
#define WAKING_LATE_NS 300000u /* from the write that wakes to the return of who is woken */

static bool is_outside(const struct wait *wait)
{
	return wait->kind == WAIT_FOR_TIME ||
	       (wait->kind == WAIT_FOR_FILE && !thread_self.woken_from_inside);
}

static int64_t gap_now(uint64_t now)
{
	return (int64_t)(pause_global(now) - thread_self.local_ns);
}

void wait_begin(struct wait *wait, enum wait_kind kind, const struct frame *caller)
{
	wait->kind = WAIT_NONE;
	if (!thread_self.is_started || thread_self.depth)
		return;
	books_open();
	uint64_t now = time_now();
	if (thread_self.joined_generation) /* left by longjmp */
		pause_wait_end(now);
	pause_renew();
	if (runtime_page->settings.speed && kind == WAIT_FOR_THREAD) {
		uint64_t cpu = time_of_thread();
		pause_settle(PAUSE_MOST_NS, &thread_self.counters->wait_pauses);
		thread_self.cpu_seen_ns += time_of_thread() - cpu;
		now = time_now();
	}
	wait->kind = kind;
	wait->was_woken = true;
	wait->is_walked = false;
	wait->frame = *caller;
	wait->generation = thread_self.generation;
	wait->start_ns = now;
	wait->is_counted = runtime_page->settings.waits_count && is_outside(wait);
	if (wait->is_counted && runtime_page->settings.speed) {
		walk_up(&wait->frame, &wait->walk);
		wait->is_walked = true;
		if (wait->walk.is_hit)
			pause_wait_begin(now);
	}
	wait->gap_ns = gap_now(now);
	wait->delay_ns = pause_global(now);
	if (!thread_self.is_waiting)
		__atomic_fetch_sub(&runtime_process->running, 1, __ATOMIC_RELAXED);
	thread_self.is_waiting = true;
	progress_observe_rarely(now);
	books_close();
}

static bool was_ended_inside(const struct wait *wait, uint64_t now)
{
	uint64_t waking = __atomic_load_n(&runtime_page->waking_ns, __ATOMIC_ACQUIRE);

	return wait->kind == WAIT_FOR_THREAD ||
	       (wait->kind == WAIT_FOR_FILE && (int64_t)(waking - wait->start_ns) >= 0 &&
		now - waking < WAKING_LATE_NS);
}

/* Woken by a thread that has paid: an own old gap shrinks by the wait that was not itself a pause. */
static void credit(const struct wait *wait, uint64_t waited, uint64_t now)
{
	uint64_t global = pause_global(now), paused = global - wait->delay_ns;
	int64_t gap = wait->gap_ns;

	if (gap > 0)
		gap -= waited > paused ? (int64_t)(waited - paused) : 0;
	if (gap < 0 && wait->gap_ns > 0)
		gap = 0;
	if ((int64_t)(global - (uint64_t)gap - thread_self.local_ns) > 0)
		thread_self.local_ns = global - (uint64_t)gap;
}

/* Short waits are drawn with a probability, so that each sample stands for a period at least. */
static uint64_t drawn_weight(uint64_t waited)
{
	uint64_t period = runtime_page->settings.period_ns;
	uint32_t random = thread_self.random;

	random ^= random << 13;
	random ^= random >> 17;
	random ^= random << 5;
	thread_self.random = random;
	if (waited >= period || !period)
		return waited;
	return random % period < waited ? period : 0;
}

/* The wait was time of the line that waited. */
static void count_wait(struct wait *wait, uint64_t waited, uint64_t now)
{
	bool was_joined = thread_self.joined_generation && pause_wait_end(now);

	if (!wait->is_counted || waited < SHORT_NS)
		return;
	if (!wait->is_walked)
		walk_up(&wait->frame, &wait->walk);
	COUNT(waited_ns, waited);
	if (wait->walk.is_hit) {
		uint64_t since = wait->start_ns;
		uint64_t begun = runtime_page->settings.generation_ns;
		since = (int64_t)(begun - since) > 0 ? begun : since;
		COUNT(target_ns, now - since);
	}
	if (was_joined && wait->generation == thread_self.generation)
		thread_self.local_ns += waited * runtime_page->settings.speed / KERNEL_SPEED_ONE;
	uint64_t weight = drawn_weight(waited);
	if (weight)
		sample_emit(&wait->walk, weight, KERNEL_SAMPLE_WAITING);
}

/*
 * A wait that began before the generation did: nothing is owed from before, and what G has grown by
 * since then is, unless this wait is credited with it.
 */
static void renew(struct wait *wait)
{
	const struct kernel_settings *settings = &runtime_page->settings;

	if (thread_self.generation == settings->generation)
		return;
	thread_self.generation = settings->generation;
	thread_self.local_ns = settings->generation_delay_ns;
	wait->gap_ns = 0;
	wait->delay_ns = settings->generation_delay_ns;
}

static void end(struct wait *wait, uint64_t now)
{
	uint64_t waited = now - wait->start_ns;
	bool was_inside = was_ended_inside(wait, now);

	renew(wait);
	count_wait(wait, waited, now);
	if (wait->kind == WAIT_FOR_FILE && waited >= SHORT_NS)
		thread_self.woken_from_inside = was_inside;
	if (waited >= SHORT_NS)
		COUNT(waits, 1);
	if (was_inside && wait->was_woken)
		credit(wait, waited, now);
	thread_self.excused_ns += waited;
}

void wait_end(struct wait *wait)
{
	if (wait->kind == WAIT_NONE)
		return;
	books_open();
	uint64_t now = time_now(), cpu;
	end(wait, now);
	if (thread_self.is_waiting)
		__atomic_fetch_add(&runtime_process->running, 1, __ATOMIC_RELAXED);
	thread_self.is_waiting = false;
	if (runtime_page->settings.speed && gap_now(now) > 0) {
		cpu = time_of_thread();
		pause_settle(PAUSE_MOST_NS, &thread_self.counters->wait_pauses);
		thread_self.cpu_seen_ns += time_of_thread() - cpu;
	}
	wait->kind = WAIT_NONE;
	books_close();
}
