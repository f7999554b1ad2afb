/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait - what is done before and after a call in which a thread may wait.
 *
 * Waits for a thread (a lock, a condition, a join): the thread that ends the wait has paid before,
 * so the waiter is credited (wire/delay_task.h). Such waits are not the target's time, since they
 * are another thread's work.
 *
 * Waits for time or a file are time of the line that waits (blocked samples; BCOZ), as in
 * bpf/wait.h. A wait for a file that the program itself ends (a pipe between its threads) is one
 * for a thread. The cause of a wait's end is known only afterwards, so the next wait is expected to
 * end as this one did.
 *
 * A wait's class follows from the call and, of a file, from its kind.
 */
#include "runtime/wait.h"

#include "runtime/contention.h"
#include "runtime/pause.h"
#include "runtime/progress.h"
#include "runtime/sample.h"
#include "runtime/wake.h"
#include "wire/delay_waiters.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define SHORT_NS 20000u        /* a call that returns sooner has not waited */
#define WAKING_LATE_NS 300000u /* from the write that wakes to the waiting call's return */

/* Whether a file is on a disk, and so wakes no thread; false where that is unknown. */
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
	return wait->kind == WAIT_FOR_THREAD || wait->kind == WAIT_FOR_LOCK ||
	       wait->kind == WAIT_FOR_CHILD;
}

static bool is_external(struct wait *wait)
{
	if (wait->kind == WAIT_FOR_FILE) /* the file's kind is asked only where it matters */
		return !thread_self.was_woken_internally || class_of(wait) == WAIT_CLASS_IO;
	return !is_for_task(wait);
}

/* Whether a wait of its class counts. */
static bool is_counted(struct wait *wait)
{
	const struct wire_settings *settings = &runtime_page->settings;

	if (settings->enable_classes & WAIT_CLASS_BIT(WAIT_CLASS_LOCK) &&
	    wait->kind == WAIT_FOR_LOCK)
		return true;
	return settings->enable_waits && is_external(wait);
}

/* The levels at which it is the target, as in bpf/wait.h. The stack is walked at most once. */
static uint32_t levels_of(struct wait *wait)
{
	const struct wire_settings *settings = &runtime_page->settings;
	bool is_of_class = settings->classes & WAIT_CLASS_BIT(class_of(wait));
	bool is_of_code = settings->code_levels && wait->kind != WAIT_FOR_LOCK;
	bool asks_code = is_of_code || (is_of_class && settings->classes_of_code);

	if (asks_code && !wait->is_walked) {
		stack_walk_up(&wait->frame, &wait->walk);
		wait->code_levels = wait->walk.levels;
		wait->is_walked = true;
	}
	uint32_t at = asks_code ? wait->code_levels : 0;
	uint32_t levels = is_of_code ? at & settings->code_levels : 0;
	if (is_of_class)
		levels |= settings->class_levels & (settings->classes_of_code ? at : ~0u);
	return levels;
}

static int64_t gap_now(uint64_t now)
{
	return delay_gap(&thread_self.local, global_delay_settings(), global_delay(now));
}

void wait_before_writing(int fd)
{
	if (thread_self.is_started && !thread_self.guard_depth && !is_on_disk(fd))
		pay_before_signal();
}

/* What the thread owes as it begins to wait. Returns the time afterwards. */
static uint64_t pay_before(const struct wait *wait, uint64_t now)
{
	uint64_t cpu = time_of_thread();

	contention_poll(now, cpu);
	if (!is_for_task(wait))
		return now;
	pay_delay(PAUSE_MOST_NS, &thread_self.counters->wait_pauses);
	thread_self.cpu_seen_ns += time_of_thread() - cpu;
	return time_now();
}

void wait_begin(struct wait *wait, enum wait_reason kind, int fd, const struct frame *caller)
{
	wait->kind = WAIT_FOR_UNKNOWN;
	if (!thread_self.is_started || thread_self.guard_depth)
		return;
	reentrancy_guard_begin();
	uint64_t now = time_now();
	if (thread_self.joined_generation) /* left by longjmp */
		global_delay_wait_end(now);
	pause_renew();
	wait->kind = kind;
	wait->fd = fd;
	wait->class = 0;
	if (pause_is_wanted() && pause_is_due(now))
		now = pay_before(wait, now);
	wait->was_woken = true;
	wait->is_walked = false;
	wait->levels = 0;
	wait->frame = *caller;
	wait->is_counted = is_counted(wait);
	if (wait->is_counted && delay_speedup_of(global_delay_settings(), ~0u)) {
		wait->levels = levels_of(wait);
		if (wait->levels && wait->kind != WAIT_FOR_LOCK)
			global_delay_wait_begin(delay_level_of(global_delay_settings(),
							       wait->levels),
						now);
	}
	int64_t gap = gap_now(now);
	delay_leave(&wait->task, global_delay_settings(), gap, true, global_delay(now), now);
	if (!thread_self.is_waiting)
		__atomic_fetch_sub(&runtime_process->running, 1, __ATOMIC_RELAXED);
	thread_self.is_waiting = true;
	progress_poll_rarely(now);
	reentrancy_guard_end();
}

static bool was_ended_inside(struct wait *wait, uint64_t now)
{
	uint64_t waking = __atomic_load_n(&runtime_page->last_wake_ns, __ATOMIC_ACQUIRE);

	return is_for_task(wait) ||
	       (wait->kind == WAIT_FOR_FILE && (int64_t)(waking - wait->task.left_ns) >= 0 &&
		now - waking < WAKING_LATE_NS && class_of(wait) != WAIT_CLASS_IO);
}

/* Short waits are sampled at random, so that each sample stands for a period at least. */
static uint64_t drawn_weight(uint64_t waited)
{
	uint64_t period = runtime_page->settings.delay.period_ns;
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
 * Returns the CPU time of the wait, in the kernel, and takes it off the next tick's weight, since
 * ticks come in user mode only. A short call counts whole; of a longer one counts the CPU time
 * beyond the time from the last tick or wait to its start.
 */
static uint64_t take_cpu_time(uint64_t start, uint64_t waited)
{
	int64_t before = (int64_t)(start - thread_self.seen_ns - thread_self.accounted_ns);
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
 * The CPU time, in the kernel, of a wait that does not count is time of the line that waits. It is
 * short, so a few such waits are sampled at random.
 */
static void count_cpu_time(struct wait *wait, uint64_t on_cpu, uint64_t now)
{
	uint64_t weight = drawn_weight(on_cpu);

	COUNT(sampled_ns, on_cpu);
	if (!weight)
		return;
	if (!wait->is_walked)
		stack_walk_up(&wait->frame, &wait->walk);
	wait->walk.levels &= runtime_page->settings.code_levels;
	if (wait->walk.levels & runtime_page->settings.target_levels)
		COUNT(target_ns, weight);
	pause_charge(wait->walk.levels, weight, now);
	sample_emit(&wait->walk, weight, 0);
}

/*
 * A lock as the target. No event tells how long the thread then waited for a core: it counts too.
 */
static void count_lock(const struct wait *wait, uint64_t now)
{
	if (wait->levels && wait->kind == WAIT_FOR_LOCK && wait->was_woken)
		pause_charge(wait->levels, delay_lock_length(&wait->task), now);
}

/* Counts the wait as time of the line that waited. */
static void count_wait(struct wait *wait, uint64_t waited, uint64_t now)
{
	bool was_joined = thread_self.joined_generation && global_delay_wait_end(now);
	uint64_t on_cpu = take_cpu_time(now - waited, waited);

	if (!wait->is_counted) {
		count_cpu_time(wait, on_cpu, now);
		return;
	}
	COUNT(waited_ns, waited - on_cpu);
	COUNT(sampled_ns, on_cpu);
	if (was_joined)
		delay_thread_credit(&thread_self.local, &wait->task,
				    delay_wait_credit(global_delay_settings(),
						      thread_self.joined_level, waited),
				    global_delay(now));
	/* Only some short waits are walked, and stand for the others. */
	if (waited < SHORT_NS && !wait->is_walked && !(waited = on_cpu = drawn_weight(waited)))
		return;
	if (!wait->is_walked) {
		stack_walk_up(&wait->frame, &wait->walk);
		wait->code_levels = wait->walk.levels;
	}
	wait->is_walked = true;
	uint32_t target = runtime_page->settings.target_levels;
	uint32_t on_cpu_levels = wait->code_levels & runtime_page->settings.code_levels;
	wait->walk.levels = (uint8_t)levels_of(wait);
	if (wait->walk.levels & target) {
		uint64_t most = delay_in_generation(global_delay_settings(), now - waited, now);
		uint64_t hit = on_cpu_levels & target ? waited : waited - on_cpu;
		COUNT(target_ns, hit < most ? hit : most);
	}
	emit_drawn(wait, waited - on_cpu,
		   WIRE_SAMPLE_WAITING | class_of(wait) << WIRE_SAMPLE_CLASS_SHIFT);
	wait->walk.levels = (uint8_t)on_cpu_levels;
	emit_drawn(wait, on_cpu, 0);
}

/* Returns whether a thread of the program has ended it. */
static bool end(struct wait *wait, uint64_t now)
{
	uint64_t waited = now - wait->task.left_ns;
	bool was_inside = was_ended_inside(wait, now);

	delay_thread_renew(&thread_self.local, &wait->task, global_delay_settings());
	count_wait(wait, waited, now);
	if (wait->kind == WAIT_FOR_FILE && waited >= SHORT_NS && class_of(wait) != WAIT_CLASS_IO)
		thread_self.was_woken_internally = was_inside;
	if (waited >= SHORT_NS) {
		COUNT(hand_overs, was_inside && wait->was_woken);
		COUNT(timed_waits, wait->kind == WAIT_FOR_TIME || !wait->was_woken);
	}
	uint64_t global = global_delay(now);
	delay_wake(&wait->task, DELAY_WAKER_TASK, 0, global, now);
	if (was_inside && wait->was_woken)
		delay_thread_enter(&thread_self.local, &wait->task, global);
	count_lock(wait, now);
	thread_self.accounted_ns += waited;
	return was_inside && wait->was_woken;
}

static void run_again(void)
{
	if (thread_self.is_waiting)
		__atomic_fetch_add(&runtime_process->running, 1, __ATOMIC_RELAXED);
	thread_self.is_waiting = false;
}

/* What a wait for a timer or a device owes makes it longer, and needs no core. */
static uint64_t pay_after(bool waits_on)
{
	uint64_t cpu = time_of_thread();

	thread_self.waits_on = waits_on;
	pay_delay(PAUSE_MOST_NS, &thread_self.counters->wait_pauses);
	thread_self.waits_on = false;
	thread_self.cpu_seen_ns += time_of_thread() - cpu;
	return time_now();
}

void wait_end(struct wait *wait)
{
	if (wait->kind == WAIT_FOR_UNKNOWN)
		return;
	reentrancy_guard_begin();
	uint64_t now = time_now();
	bool waits_on = !end(wait, now);
	if (!waits_on)
		run_again();
	if (pause_is_wanted() && gap_now(now) > 0)
		now = pay_after(waits_on);
	run_again();
	contention_settled(now);
	wait->kind = WAIT_FOR_UNKNOWN;
	reentrancy_guard_end();
}
