/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pause - virtual speedups: the global delay G, this thread's local delay L, and paying the gap.
 *
 * Pausing is sleeping. What a sleep takes too long is not lost: L gets ahead of G by it, and later
 * pauses are that much shorter. Every pause ends by itself: it is in slices, each of which looks
 * whether the engine still gives heartbeats, still wants the same thing, and whether it was enough.
 */
#include "runtime/runtime.h"

#define SHORTEST_NS 1000u     /* below this the bookkeeping costs more than the debt */
#define SLEEP_LEAST_NS 70000u /* a sleep takes about this much longer than asked */
#define SLICE_NS 5000000u

bool pause_is_allowed(uint64_t now)
{
	const struct wire_settings *settings = &runtime_page->settings;
	/* It may have come after `now`. */
	return !settings->is_disarmed &&
	       (int64_t)(now - settings->heartbeat_ns) < (int64_t)WIRE_HEARTBEAT_LIMIT_NS;
}

static bool any_waiters(uint64_t value)
{
	return value >> 32 == runtime_page->settings.generation && (uint32_t)value;
}

/* Brings G up to `now`, while threads wait in the target, or all the time for what is outside of the program. */
static void waiters_advance(uint64_t now)
{
	const struct wire_settings *settings = &runtime_page->settings;
	uint32_t speedup = settings->external_speedup;

	if (any_waiters(__atomic_load_n(&runtime_page->waiters, __ATOMIC_ACQUIRE)) &&
	    settings->speedup)
		speedup = settings->speedup;
	if (!speedup || speedup > WIRE_SPEEDUP_ONE)
		return;
	uint64_t last = __atomic_load_n(&runtime_page->waiters_updated_ns, __ATOMIC_ACQUIRE);
	uint64_t since = last, begin = settings->generation_ns;
	if ((int64_t)(begin - since) > 0)
		since = begin;
	if ((int64_t)(now - since) <= 0 ||
	    !__atomic_compare_exchange_n(&runtime_page->waiters_updated_ns, (__u64 *)&last, now,
					 false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) ||
	    !pause_is_allowed(now))
		return;
	uint64_t growth = (now - since) * speedup / WIRE_SPEEDUP_ONE;
	__atomic_fetch_add(&runtime_page->waiters_delay_ns, growth, __ATOMIC_RELAXED);
	__atomic_fetch_add(&runtime_page->delay_ns, growth, __ATOMIC_RELEASE);
}

uint64_t pause_global(uint64_t now)
{
	waiters_advance(now);
	return __atomic_load_n(&runtime_page->delay_ns, __ATOMIC_ACQUIRE);
}

void pause_wait_begin(uint64_t now)
{
	uint32_t generation = runtime_page->settings.generation;
	uint64_t old = __atomic_load_n(&runtime_page->waiters, __ATOMIC_ACQUIRE);

	waiters_advance(now);
	for (int i = 0; i < 64; i++) {
		bool is_first = !any_waiters(old);
		if (is_first)
			__atomic_store_n(&runtime_page->waiters_updated_ns, now, __ATOMIC_RELEASE);
		uint64_t value = is_first ? (uint64_t)generation << 32 | 1 : old + 1;
		if (!__atomic_compare_exchange_n(&runtime_page->waiters, (__u64 *)&old, value,
						 false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		thread_self.joined_generation = generation;
		thread_self.joined_ns = now;
		return;
	}
}

bool pause_wait_end(uint64_t now)
{
	uint32_t generation = thread_self.joined_generation;
	uint64_t old = __atomic_load_n(&runtime_page->waiters, __ATOMIC_ACQUIRE);

	thread_self.joined_generation = 0;
	waiters_advance(now);
	for (int i = 0; generation && i < 64; i++) {
		if (!any_waiters(old) || generation != (uint32_t)(old >> 32))
			return false;
		if (__atomic_compare_exchange_n(&runtime_page->waiters, (__u64 *)&old, old - 1,
						false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
	}
	return false;
}

/* Returns by how much G has grown. */
static uint64_t raise_global(uint64_t value)
{
	uint64_t old = __atomic_load_n(&runtime_page->delay_ns, __ATOMIC_ACQUIRE);

	while ((int64_t)(value - old) > 0)
		if (__atomic_compare_exchange_n(&runtime_page->delay_ns, (__u64 *)&old, value,
						false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return value - old;
	return 0;
}

uint64_t pause_charge(uint64_t weight, uint64_t now)
{
	uint32_t speedup = runtime_page->settings.speedup;

	if (!speedup || speedup > WIRE_SPEEDUP_ONE || !pause_is_allowed(now))
		return 0;
	thread_self.local_ns += weight * speedup / WIRE_SPEEDUP_ONE;
	return raise_global(thread_self.local_ns);
}

/* A pause that this thread has had and the others have not, as in bpf/pause.h. */
uint64_t pause_charge_tick(uint64_t cost, uint64_t now)
{
	if (!runtime_page->settings.tick_overhead_ns || !pause_is_allowed(now))
		return 0;
	thread_self.local_ns += cost;
	return raise_global(thread_self.local_ns);
}

/* May there be debts? Without a speedup those of ticks, if they are charged. */
bool pause_is_wanted(void)
{
	const struct wire_settings *settings = &runtime_page->settings;
	return settings->speedup || settings->external_speedup || settings->tick_overhead_ns;
}

void pause_renew(void)
{
	uint32_t generation = runtime_page->settings.generation;

	if (thread_self.generation == generation)
		return;
	thread_self.generation = generation;
	thread_self.local_ns = __atomic_load_n(&runtime_page->delay_ns, __ATOMIC_ACQUIRE);
}

/* Short ones spin: a sleep would take much longer. */
static void pass_time(uint64_t until, uint64_t now)
{
	if (until - now <= SLEEP_LEAST_NS) {
		while (time_now() < until)
			;
		return;
	}
	uint64_t length = until - now - SLEEP_LEAST_NS;
	length = length < SLICE_NS ? length : SLICE_NS;
	struct timespec time = {.tv_nsec = (long)length};
	const long arguments[6] = {(long)&time, 0, 0, 0, 0, 0};
	lever_system_call(SYS_nanosleep, arguments);
}

static void raise_to(__u64 *most, uint64_t value)
{
	if (value > __atomic_load_n(most, __ATOMIC_RELAXED))
		__atomic_store_n(most, value, __ATOMIC_RELAXED);
}

void pay_delay(uint64_t most_ns, __u64 *counter)
{
	uint64_t start = time_now(), now = start, asked = 0;

	pause_renew();
	for (;;) {
		int64_t gap = (int64_t)(pause_global(now) - thread_self.local_ns);
		if (gap <= (int64_t)SHORTEST_NS)
			break;
		if (!pause_is_allowed(now)) {
			thread_self.local_ns += (uint64_t)gap;
			break;
		}
		if (now - start >= most_ns) {
			COUNT(capped, 1);
			break;
		}
		asked += (uint64_t)gap;
		pass_time(now + (uint64_t)gap, now);
		uint64_t after = time_now();
		thread_self.local_ns += after - now;
		now = after;
		pause_renew();
	}
	if (now == start)
		return;
	COUNT(pauses, 1);
	COUNT(paused_ns, now - start);
	COUNT(overshoot_ns, now - start > asked ? now - start - asked : 0);
	count((uint64_t *)counter, 1);
	raise_to(&thread_self.counters->longest_pause_ns, now - start);
	thread_self.accounted_ns += now - start;
}

void pause_before_wake(void)
{
	if (!thread_self.is_started || thread_self.depth || !pause_is_wanted())
		return;
	reentrancy_guard_begin();
	uint64_t cpu = 0, now = time_now();
	pause_renew();
	if ((int64_t)(pause_global(now) - thread_self.local_ns) > (int64_t)SHORTEST_NS) {
		cpu = time_of_thread();
		pay_delay(PAUSE_MOST_NS, &thread_self.counters->wake_pauses);
		thread_self.cpu_seen_ns += time_of_thread() - cpu; /* a pause is nobody's time */
	}
	progress_observe_rarely(now);
	reentrancy_guard_end();
}
