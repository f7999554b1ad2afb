/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_growth - how fast G grows by the ticks of several cores: by one core's, at most.
 */
#pragma once

#include "wire/delay.h"

/*
 * A tick took `overhead_ns` from the sampled task: a pause that the others have not had. Charged
 * also at speedup 0, so that effective time is that of an unsampled program where a task that
 * waits, which no tick slows down, meets one that computes. Returns the charge: L grows by each
 * tick's, G by one in each period (delay_tick_slot), since a task that runs has its own ticks.
 */
DELAY_RULE __u64 delay_charge_tick(struct delay_local *local, const struct delay_settings *settings,
				   __u64 overhead_ns, __u64 now)
{
	__u64 charge =
		settings->tick_overhead_ns && delay_is_allowed(settings, now) ? overhead_ns : 0;

	local->delay_ns += charge;
	return charge;
}

/*
 * Whether a tick at `now` raises G by its overhead: one of all cores' ticks in each period, or two
 * after a period without. `slot_ns`: shared, the begin of the last such period. Were G the largest
 * L here, too, each core that has just paid would raise it anew: by n ticks in a period, for n
 * cores. Returns the next `slot_ns`, which the caller exchanges for the old; else the old.
 */
DELAY_RULE __u64 delay_tick_slot(__u64 slot_ns, __u64 period_ns, __u64 now)
{
	if ((__s64)(now - slot_ns) < (__s64)period_ns)
		return slot_ns;
	return delay_later(slot_ns + period_ns, now - period_ns);
}

/* Until when G holds the target's time. More may count since then, for two periods at most. */
DELAY_RULE __u64 delay_charge_since(const struct delay_settings *settings, __u64 slot_ns, __u64 now)
{
	return delay_later(slot_ns, now - 2 * settings->period_ns);
}

/*
 * By how much a charge at these levels raises G at `now`, at most. Time of several cores counts
 * once, so G grows no faster than the speedup times the clock. A core that has charged more is
 * ahead of G, and owes nothing until G has followed. Else, where many cores have just paid, or been
 * released by one barrier, each of them would raise G anew, and pause for all others. No less than
 * a quarter of a period counts, so that not every tick of every core writes G. `slot_ns`: shared.
 */
DELAY_RULE __u64 delay_charge_most(const struct delay_settings *settings, __u64 slot_ns,
				   __u32 levels, __u64 now)
{
	__s64 passed = now - delay_charge_since(settings, slot_ns, now);

	return passed < (__s64)(settings->period_ns >> 2) ?
		       0 :
		       delay_scaled(passed, delay_speedup_of(settings, levels));
}

/* The next `slot_ns`, when a charge at these levels raises G by `growth`. */
DELAY_RULE __u64 delay_charge_slot(const struct delay_settings *settings, __u64 slot_ns,
				   __u32 levels, __u64 growth, __u64 now)
{
	__u32 speedup = delay_speedup_of(settings, levels);
	__u64 since = delay_charge_since(settings, slot_ns, now);

	return speedup ? since + growth * DELAY_SPEEDUP_ONE / speedup : since;
}
