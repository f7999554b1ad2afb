/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * waiters - which tasks wait in the target, and G while they do: wire/delay_waiters.h, atomically.
 */
#pragma once

#include "bpf/state.h"

static __always_inline bool has_speedup(void)
{
	return settings.delay.speedup || settings.delay.external_speedup;
}

static __always_inline u64 waiters_now(void)
{
	return *(volatile u64 *)&waiters;
}

static __always_inline bool has_waiters(void)
{
	return delay_has_waiters(waiters_now(), settings.delay.generation);
}

/* A function of its own, which calls none: for the stack limit of Linux 6.1. */
__noinline int waiters_advance_to(u64 now)
{
	u64 last = *(volatile u64 *)&waiters_updated_ns, waiting = waiters_now();

	if (!delay_growth_is_due(&settings.delay, waiting, last, now) ||
	    __sync_val_compare_and_swap(&waiters_updated_ns, last, now) != last)
		return 0;
	u64 growth = delay_growth(&settings.delay, waiting, last, now);
	__sync_fetch_and_add(&delay_ns, growth);
	__sync_fetch_and_add(&waiters_delay_ns, growth);
	return 0;
}

/* Brings G up to `now`. */
static __always_inline void waiters_advance(u64 now)
{
	if (has_waiters() || settings.delay.external_speedup)
		waiters_advance_to(now);
}

__noinline int waiters_join(struct task_state *state, u64 now)
{
	u32 generation = settings.delay.generation;

	if (!state)
		return 0;
	waiters_advance(now);
	for (int i = 0; i < 16; i++) {
		u64 old = waiters_now();
		if (!delay_has_waiters(old, generation))
			waiters_updated_ns = now;
		u64 value = delay_waiters_joined(old, state->wait_level, generation);
		if (value == old)
			break;
		if (__sync_val_compare_and_swap(&waiters, old, value) == old) {
			state->wait_generation = generation;
			return 0;
		}
	}
	state->wait_generation = generation - 1; /* not joined */
	return 0;
}

/* Returns whether it had joined, in this generation. */
static __always_inline bool waiters_leave(struct task_state *state, u64 now)
{
	waiters_advance(now);
	for (int i = 0; i < 16; i++) {
		u64 old = waiters_now();
		if (!delay_waiters_has(old, state->wait_generation, settings.delay.generation))
			return false;
		u64 value = old - delay_waiter(state->wait_level);
		if (__sync_val_compare_and_swap(&waiters, old, value) == old)
			return true;
	}
	return false;
}
