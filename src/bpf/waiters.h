/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * waiters - tasks that wait in the target, off CPU, and the growth of G while they do.
 *
 * As long as at least one task waits in the target, G grows by the speedup for each ns: everything
 * else pauses while they wait, as it does while the target runs on a CPU. The growth is added up by
 * whichever core has something to do next. Waits that overlap count once, since each waiter is
 * credited with the whole of its own.
 *
 * With settings.external_speedup, G grows all the time, and nobody is credited.
 */
#pragma once

#include "bpf/state.h"

#define WAITERS_COUNT 0xffffffffull

static __always_inline bool has_speedup(void)
{
	return settings.speedup || settings.external_speedup;
}

static __always_inline bool waiters_any(u64 value)
{
	return value >> 32 == settings.generation && value & WAITERS_COUNT;
}

/* Brings G up to `now`. */
static __always_inline void waiters_advance(u64 now)
{
	u32 speedup = settings.external_speedup;
	if (waiters_any(*(volatile u64 *)&waiters) && settings.speedup)
		speedup = settings.speedup;
	if (!speedup)
		return;
	u64 last = *(volatile u64 *)&waiters_updated_ns, since = last;
	if ((s64)(settings.generation_ns - since) > 0)
		since = settings.generation_ns;
	if ((s64)(now - since) <= 0 ||
	    __sync_val_compare_and_swap(&waiters_updated_ns, last, now) != last ||
	    settings.is_disarmed ||
	    (s64)(now - settings.heartbeat_ns) >= (s64)WIRE_HEARTBEAT_LIMIT_NS)
		return;
	u64 growth = ((now - since) * speedup) / WIRE_SPEEDUP_ONE;
	__sync_fetch_and_add(&delay_ns, growth);
	__sync_fetch_and_add(&waiters_delay_ns, growth);
}

static __always_inline void waiters_join(struct task_state *state, u64 now)
{
	u64 generation = settings.generation;

	waiters_advance(now);
	for (int i = 0; i < 16; i++) {
		u64 old = *(volatile u64 *)&waiters;
		bool first = !waiters_any(old);
		if (first)
			waiters_updated_ns = now;
		u64 value = first ? generation << 32 | 1 : old + 1;
		if (__sync_val_compare_and_swap(&waiters, old, value) == old) {
			state->wait_generation = generation;
			return;
		}
	}
	state->wait_generation = generation - 1; /* not joined */
}

/* Returns whether it had joined, in this generation. */
static __always_inline bool waiters_leave(struct task_state *state, u64 now)
{
	waiters_advance(now);
	for (int i = 0; i < 16; i++) {
		u64 old = *(volatile u64 *)&waiters;
		if (!waiters_any(old) || state->wait_generation != (u32)(old >> 32))
			return false;
		if (__sync_val_compare_and_swap(&waiters, old, old - 1) == old)
			return true;
	}
	return false;
}
