/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pause - pays the delays of wire/delay.h by sleeping: each thread at samples, wake-ups and waits.
 *
 * G and the number of waiters lie in the shared page. A long pause is a series of slices; after
 * each one the heartbeat, the generation and G are read again.
 */
#include "runtime/pause.h"

#include "wire/delay_waiters.h"

#define SHORTEST_NS 1000u     /* below this the bookkeeping costs more than the debt */
#define SLEEP_LEAST_NS 70000u /* a sleep takes about this much longer than asked */
#define SLICE_NS 5000000u

const struct delay_settings *pause_settings(void)
{
	return &runtime_page->settings.delay;
}

static uint64_t global_delay(void)
{
	return __atomic_load_n(&runtime_page->delay_ns, __ATOMIC_ACQUIRE);
}

/* Brings G up to `now`. */
static void waiters_advance(uint64_t now)
{
	const struct delay_settings *settings = pause_settings();
	uint64_t waiters = __atomic_load_n(&runtime_page->waiters, __ATOMIC_ACQUIRE);
	__u64 last = __atomic_load_n(&runtime_page->waiters_updated_ns, __ATOMIC_ACQUIRE);
	uint64_t since = last;

	if (!delay_growth_is_due(settings, waiters, since, now) ||
	    !__atomic_compare_exchange_n(&runtime_page->waiters_updated_ns, &last, now, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	uint64_t growth = delay_growth(settings, waiters, since, now);
	__atomic_fetch_add(&runtime_page->waiters_delay_ns, growth, __ATOMIC_RELAXED);
	__atomic_fetch_add(&runtime_page->delay_ns, growth, __ATOMIC_RELEASE);
}

uint64_t pause_global(uint64_t now)
{
	waiters_advance(now);
	return global_delay();
}

void pause_wait_begin(uint64_t now)
{
	uint32_t generation = pause_settings()->generation;
	__u64 old = __atomic_load_n(&runtime_page->waiters, __ATOMIC_ACQUIRE);

	waiters_advance(now);
	for (int i = 0; i < 64; i++) {
		if (!delay_has_waiters(old, generation))
			__atomic_store_n(&runtime_page->waiters_updated_ns, now, __ATOMIC_RELEASE);
		if (__atomic_compare_exchange_n(&runtime_page->waiters, &old,
						delay_waiters_joined(old, generation), false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			thread_self.joined_generation = generation;
			return;
		}
	}
}

bool pause_wait_end(uint64_t now)
{
	uint32_t joined = thread_self.joined_generation;
	__u64 old = __atomic_load_n(&runtime_page->waiters, __ATOMIC_ACQUIRE);

	thread_self.joined_generation = 0;
	waiters_advance(now);
	for (int i = 0; joined && i < 64; i++) {
		if (!delay_waiters_has(old, joined, pause_settings()->generation))
			return false;
		if (__atomic_compare_exchange_n(&runtime_page->waiters, &old, old - 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
	}
	return false;
}

/* After a charge. Returns by how much G has grown. */
static uint64_t raise_global(uint64_t charge)
{
	__u64 old = global_delay(), raised;

	while ((raised = delay_raised(old, thread_self.local.delay_ns, charge)) != old)
		if (__atomic_compare_exchange_n(&runtime_page->delay_ns, &old, raised, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return raised - old;
	return 0;
}

uint64_t pause_charge(uint64_t weight, uint64_t now)
{
	uint64_t charge = delay_charge_target(&thread_self.local, pause_settings(), weight, now);

	return charge ? raise_global(charge) : 0;
}

uint64_t pause_charge_tick(uint64_t overhead, uint64_t now)
{
	uint64_t charge = delay_charge_tick(&thread_self.local, pause_settings(), overhead, now);

	return charge ? raise_global(charge) : 0;
}

/* Whether there may be debts: without a speedup those of ticks, if they are charged. */
bool pause_is_wanted(void)
{
	const struct delay_settings *settings = pause_settings();
	return settings->speedup || settings->external_speedup || settings->tick_overhead_ns;
}

void pause_renew(void)
{
	delay_renew(&thread_self.local, pause_settings(), global_delay());
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
	uint32_t ticks_before = thread_self.uncharged_ticks;

	for (;;) {
		uint64_t global = pause_global(now);
		pause_renew();
		if (!delay_is_due(&thread_self.local, global, SHORTEST_NS))
			break;
		uint64_t pause = delay_consume(&thread_self.local, pause_settings(), global, now,
					       SLICE_NS + SLEEP_LEAST_NS);
		if (!pause)
			break;
		if (now - start >= most_ns) {
			COUNT(capped, 1);
			break;
		}
		asked += pause;
		pass_time(now + pause, now);
		uint64_t after = time_now();
		delay_pay(&thread_self.local, after - now);
		now = after;
	}
	if (now == start)
		return;
	thread_self.uncharged_ticks = ticks_before; /* ticks in the pause are part of it */
	COUNT(pauses, 1);
	COUNT(paused_ns, now - start);
	COUNT(overshoot_ns, now - start > asked ? now - start - asked : 0);
	count((uint64_t *)counter, 1);
	raise_to(&thread_self.counters->longest_pause_ns, now - start);
	thread_self.accounted_ns += now - start;
}

bool pause_is_due(uint64_t now)
{
	return delay_is_due(&thread_self.local, pause_global(now), SHORTEST_NS);
}
