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
 *
 * A wait's class follows from the call and, of a file, from what kind of file it is. Waits for locks
 * are seen only where their class is asked for, by the rules of bpf/classes.h.
 */
#include "runtime/wait.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define SHORT_NS 20000u        /* a call that returns sooner has not waited */
#define WAKING_LATE_NS 300000u /* from the write that wakes to the return of who is woken */

/* Whether a file is on a disk, and so wakes nobody; false where that cannot be told. */
static bool is_on_disk(int fd)
{
	struct stat status;
	const long arguments[6] = {fd, (long)"", (long)&status, AT_EMPTY_PATH, 0, 0};

	return fd >= 0 && !lever_system_call(SYS_newfstatat, arguments) &&
	       wait_reason_of_file(status.st_mode) == WAIT_FOR_DISK;
}

static uint32_t class_of(struct wait *wait)
{
	if (wait->class)
		return wait->class;
	enum wait_reason reason = wait->kind;
	if (reason == WAIT_FOR_FILE && is_on_disk(wait->fd))
		reason = WAIT_FOR_DISK;
	wait->class = wait_class_of(reason);
	return wait->class;
}

static bool is_for_task(const struct wait *wait)
{
	return wait->kind == WAIT_FOR_THREAD || wait->kind == WAIT_FOR_CHILD;
}

static bool is_external(struct wait *wait)
{
	if (wait->kind == WAIT_FOR_FILE) /* a file is looked at only where that decides */
		return !thread_self.was_woken_internally || class_of(wait) == WAIT_CLASS_IO;
	return !is_for_task(wait);
}

/* Does a wait of its class count at all? */
static bool is_counted(struct wait *wait)
{
	const struct wire_settings *settings = &runtime_page->settings;

	if (settings->enable_classes & WAIT_CLASS_BIT(WAIT_CLASS_LOCK) &&
	    wait->kind == WAIT_FOR_THREAD)
		return true;
	return settings->enable_waits && is_external(wait);
}

/* Is it the target, as bpf/wait.h has it? What is looked at stays looked at. */
static bool look(struct wait *wait)
{
	const struct wire_settings *settings = &runtime_page->settings;
	bool asks_code = !settings->classes || settings->classes_of_code;

	if (settings->classes && !(settings->classes & WAIT_CLASS_BIT(class_of(wait))))
		return false;
	if (!settings->classes && wait->kind == WAIT_FOR_THREAD)
		return false;
	if (asks_code && !wait->is_walked) {
		stack_walk_up(&wait->frame, &wait->walk);
		wait->is_walked = true;
	}
	return !asks_code || wait->walk.is_target;
}

static int64_t gap_now(uint64_t now)
{
	return (int64_t)(pause_global(now) - thread_self.local_ns);
}

void wait_before_signalling(void)
{
	if (!thread_self.is_started || thread_self.depth)
		return;
	pause_before_wake();
	__atomic_store_n(&runtime_page->last_wake_ns, time_now(), __ATOMIC_RELEASE);
}

void wait_before_writing(int fd)
{
	if (thread_self.is_started && !thread_self.depth && !is_on_disk(fd))
		wait_before_signalling();
}

void wait_begin(struct wait *wait, enum wait_reason kind, int fd, const struct frame *caller)
{
	wait->kind = WAIT_FOR_UNKNOWN;
	if (!thread_self.is_started || thread_self.depth)
		return;
	reentrancy_guard_begin();
	uint64_t now = time_now();
	if (thread_self.joined_generation) /* left by longjmp */
		pause_wait_end(now);
	pause_renew();
	wait->kind = kind;
	wait->fd = fd;
	wait->class = 0;
	if (pause_is_wanted() && is_for_task(wait)) {
		uint64_t cpu = time_of_thread();
		pay_delay(PAUSE_MOST_NS, &thread_self.counters->wait_pauses);
		thread_self.cpu_seen_ns += time_of_thread() - cpu;
		now = time_now();
	}
	wait->was_woken = true;
	wait->is_walked = wait->is_target = false;
	wait->frame = *caller;
	wait->generation = thread_self.generation;
	wait->start_ns = now;
	wait->is_counted = is_counted(wait);
	if (wait->is_counted && runtime_page->settings.speedup) {
		wait->is_target = look(wait);
		if (wait->is_target && wait->kind != WAIT_FOR_THREAD)
			pause_wait_begin(now);
	}
	wait->gap_ns = gap_now(now);
	wait->delay_ns = pause_global(now);
	if (!thread_self.is_waiting)
		__atomic_fetch_sub(&runtime_process->running, 1, __ATOMIC_RELAXED);
	thread_self.is_waiting = true;
	progress_observe_rarely(now);
	reentrancy_guard_end();
}

static bool was_ended_inside(struct wait *wait, uint64_t now)
{
	uint64_t waking = __atomic_load_n(&runtime_page->last_wake_ns, __ATOMIC_ACQUIRE);

	return is_for_task(wait) ||
	       (wait->kind == WAIT_FOR_FILE && (int64_t)(waking - wait->start_ns) >= 0 &&
		now - waking < WAKING_LATE_NS && class_of(wait) != WAIT_CLASS_IO);
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

/*
 * How much of the wait its thread spent in the kernel on CPU. The next tick's CPU time must not hold it
 * once more: ticks come in user mode only. All of a call that has hardly waited; of others what is more
 * than the time since the last tick or wait.
 */
static uint64_t take_cpu_time(const struct wait *wait, uint64_t waited)
{
	int64_t before = (int64_t)(wait->start_ns - thread_self.seen_ns - thread_self.accounted_ns);
	int64_t inside = (int64_t)waited;

	if (waited >= SHORT_NS)
		inside = (int64_t)(time_of_thread() - thread_self.cpu_seen_ns) -
			 (before > 0 ? before : 0);
	inside = inside < 0 ? 0 : inside > (int64_t)waited ? (int64_t)waited : inside;
	thread_self.cpu_seen_ns += (uint64_t)inside;
	return (uint64_t)inside;
}

static void emit_drawn(const struct wait *wait, uint64_t time, uint32_t flags)
{
	uint64_t weight = drawn_weight(time);

	if (weight)
		sample_emit(&wait->walk, weight, flags);
}

/*
 * What a wait that is nobody's time took on CPU, in the kernel, is time of the line that waits: short as it is,
 * a few stand for the others.
 */
static void count_cpu_time(struct wait *wait, uint64_t on_cpu, uint64_t now)
{
	uint64_t weight = drawn_weight(on_cpu);

	COUNT(sampled_ns, on_cpu);
	if (!weight)
		return;
	if (!wait->is_walked)
		stack_walk_up(&wait->frame, &wait->walk);
	wait->walk.is_target = wait->walk.is_target && !runtime_page->settings.classes;
	if (wait->walk.is_target) {
		COUNT(target_ns, weight);
		pause_charge(weight, now);
	}
	sample_emit(&wait->walk, weight, 0);
}

/*
 * A lock in the target, whose owner may have been paused, too: the thread is ahead by the speedup of what
 * it waited in effective time. What it then waited for a core is in that, as nobody tells.
 */
static void count_lock(const struct wait *wait, uint64_t waited, uint64_t now)
{
	int64_t paused = (int64_t)(pause_global(now) - wait->delay_ns);
	int64_t effective =
		(int64_t)waited - (paused > 0 ? paused : 0) - (wait->gap_ns > 0 ? wait->gap_ns : 0);

	if (wait->is_target && wait->kind == WAIT_FOR_THREAD && wait->was_woken && effective > 0)
		pause_charge((uint64_t)effective, now);
}

/* The wait was time of the line that waited. */
static void count_wait(struct wait *wait, uint64_t waited, uint64_t now)
{
	bool was_joined = thread_self.joined_generation && pause_wait_end(now);
	uint64_t on_cpu = take_cpu_time(wait, waited);

	if (!wait->is_counted) {
		count_cpu_time(wait, on_cpu, now);
		return;
	}
	COUNT(waited_ns, waited - on_cpu);
	COUNT(sampled_ns, on_cpu);
	if (was_joined && wait->generation == thread_self.generation)
		thread_self.local_ns += waited * runtime_page->settings.speedup / WIRE_SPEEDUP_ONE;
	/* Of short ones a few are walked, and stand for the others. */
	if (waited < SHORT_NS && !wait->is_walked && !(waited = on_cpu = drawn_weight(waited)))
		return;
	if (!wait->is_walked)
		stack_walk_up(&wait->frame, &wait->walk);
	wait->is_walked = true;
	wait->walk.is_target = look(wait);
	bool is_class = runtime_page->settings.classes; /* then what it took on CPU is none of it */
	if (wait->walk.is_target) {
		uint64_t most = now - runtime_page->settings.generation_ns;
		uint64_t hit = is_class ? waited - on_cpu : waited;
		COUNT(target_ns, hit < most ? hit : most);
	}
	emit_drawn(wait, waited - on_cpu,
		   WIRE_SAMPLE_WAITING | class_of(wait) << WIRE_SAMPLE_CLASS_SHIFT);
	wait->walk.is_target = wait->walk.is_target && !is_class;
	emit_drawn(wait, on_cpu, 0);
}

/*
 * A wait that began before the generation did: nothing is owed from before, and what G has grown by
 * since then is, unless this wait is credited with it.
 */
static void renew(struct wait *wait)
{
	const struct wire_settings *settings = &runtime_page->settings;

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
	if (wait->kind == WAIT_FOR_FILE && waited >= SHORT_NS && class_of(wait) != WAIT_CLASS_IO)
		thread_self.was_woken_internally = was_inside;
	if (waited >= SHORT_NS) {
		COUNT(waits, 1);
		COUNT(task_wakeups, was_inside && wait->was_woken);
	}
	if (was_inside && wait->was_woken)
		credit(wait, waited, now);
	count_lock(wait, waited, now);
	thread_self.accounted_ns += waited;
}

void wait_end(struct wait *wait)
{
	if (wait->kind == WAIT_FOR_UNKNOWN)
		return;
	reentrancy_guard_begin();
	uint64_t now = time_now(), cpu;
	end(wait, now);
	if (thread_self.is_waiting)
		__atomic_fetch_add(&runtime_process->running, 1, __ATOMIC_RELAXED);
	thread_self.is_waiting = false;
	if (pause_is_wanted() && gap_now(now) > 0) {
		cpu = time_of_thread();
		pay_delay(PAUSE_MOST_NS, &thread_self.counters->wait_pauses);
		thread_self.cpu_seen_ns += time_of_thread() - cpu;
	}
	wait->kind = WAIT_FOR_UNKNOWN;
	reentrancy_guard_end();
}
