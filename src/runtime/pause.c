/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pause - pays the delays of wire/delay.h: each thread at samples, wake-ups and waits. It sleeps,
 * or spins where threads outnumber cores.
 *
 * G and the number of waiters lie in the shared page. A long pause is a series of slices; after
 * each one the heartbeat, the generation and G are read again.
 */
#include "runtime/pause.h"

#include "runtime/contention.h"

#define SHORTEST_NS 1000u     /* below this the bookkeeping costs more than the debt */
#define SLEEP_LEAST_NS 70000u /* a sleep takes about this much longer than asked */
#define SLICE_NS 5000000u

/* After a charge. Returns by how much G has grown. */
static uint64_t raise_global(uint64_t charge)
{
	__u64 old = global_delay_written(), raised;

	while ((raised = delay_raised(old, thread_self.local.delay_ns, charge)) != old)
		if (__atomic_compare_exchange_n(&runtime_page->delay_ns, &old, raised, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return raised - old;
	return 0;
}

uint64_t pause_charge(uint32_t levels, uint64_t weight, uint64_t now)
{
	uint64_t charge = delay_charge_target(&thread_self.local, global_delay_settings(), levels,
					      weight, now);

	return charge ? raise_global(charge) : 0;
}

uint64_t pause_charge_tick(uint64_t overhead, uint64_t now)
{
	const struct delay_settings *settings = global_delay_settings();
	uint64_t charge = delay_charge_tick(&thread_self.local, settings, overhead, now);
	__u64 slot = __atomic_load_n(&runtime_page->tick_slot_ns, __ATOMIC_RELAXED);
	uint64_t next = delay_tick_slot(slot, settings->period_ns, now);

	if (!charge || next == slot ||
	    !__atomic_compare_exchange_n(&runtime_page->tick_slot_ns, &slot, next, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return 0;
	__atomic_fetch_add(&runtime_page->delay_ns, charge, __ATOMIC_ACQ_REL);
	return charge;
}

/* Whether there may be debts: without a speedup those of ticks, if they are charged. */
bool pause_is_wanted(void)
{
	const struct delay_settings *settings = global_delay_settings();
	return delay_speedup_of(settings, ~0u) || settings->external_speedup ||
	       settings->tick_overhead_ns;
}

void pause_renew(void)
{
	const struct delay_settings *settings = global_delay_settings();

	if (thread_self.local.generation != settings->generation)
		thread_self.settled_delay_ns = settings->generation_delay_ns;
	delay_renew(&thread_self.local, settings);
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

/* Pauses for about `pause` ns; returns how much of its debt the thread has paid by that. */
static uint64_t pause_for(uint64_t pause, uint64_t *now)
{
	uint64_t start = *now, paid = 0;
	bool holds = !thread_self.waits_on && contention_is_met(start);

	if (holds)
		paid = contention_hold(pause);
	else
		pass_time(start + pause, start);
	*now = time_now();
	if (holds)
		COUNT(held_ns, *now - start);
	return holds ? paid : *now - start;
}

void pay_delay(uint64_t most_ns, __u64 *counter)
{
	uint64_t start = time_now(), now = start, asked = 0, paid = 0;
	uint32_t ticks_before = thread_self.uncharged_ticks;

	for (;;) {
		uint64_t global = global_delay(now);
		pause_renew();
		if (!delay_is_due(&thread_self.local, global, SHORTEST_NS))
			break;
		uint64_t pause = delay_consume(&thread_self.local, global_delay_settings(), global,
					       now, SLICE_NS + SLEEP_LEAST_NS);
		if (!pause)
			break;
		if (paid >= most_ns) {
			COUNT(capped, 1);
			break;
		}
		uint64_t part = pause_for(pause, &now);
		delay_pay(&thread_self.local, part);
		asked += pause < part ? pause : part;
		paid += part;
	}
	if (now == start)
		return;
	thread_self.uncharged_ticks = ticks_before; /* ticks in the pause are part of it */
	COUNT(pauses, 1);
	COUNT(paused_ns, now - start);
	COUNT(overshoot_ns, paid - asked);
	count((uint64_t *)counter, 1);
	raise_to(&thread_self.counters->longest_pause_ns, now - start);
	thread_self.accounted_ns += now - start;
}

void pause_check_spin(bool is_spinning, uint64_t weight, uint64_t now)
{
	uint64_t global = global_delay(now);
	struct delay_spin_tick tick = {
		.is_spinning = is_spinning,
		.gap_ns = delay_gap(&thread_self.local, global_delay_settings(), global),
		.charged_ns = (int64_t)(global - thread_self.delay_at_tick_ns),
		.weight_ns = (int64_t)weight,
	};

	thread_self.delay_at_tick_ns = global;
	thread_self.local.delay_ns += delay_spin_credit(&thread_self.spin, &tick);
}

bool pause_is_due(uint64_t now)
{
	return delay_is_due(&thread_self.local, global_delay(now), SHORTEST_NS);
}

bool pause_is_long(void)
{
	return delay_is_due(&thread_self.local, global_delay_written(), SLEEP_LEAST_NS);
}
