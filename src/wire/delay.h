/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay - virtual speedups: how long each core or thread pauses, and what it is credited with.
 *
 * Pure functions on plain numbers, compiled by clang for the kernel engine (bpf/) and by gcc for
 * the runtime engine (runtime/), the simulator and the tests. The callers read the clocks, change
 * G atomically, and pause. This header holds G, L, paying and charging; delay_growth.h the growth
 * of G by ticks; delay_waiters.h that while tasks wait; delay_task.h switch out and wake-up;
 * delay_gap.h debts after a wait; delay_hand_over.h ways onto idle cores; delay_core.h ticks and
 * switch in; delay_turn.h what timers wake for a moment only.
 *
 * While the target runs, everything else pauses (COZ, section 3.4; SCOZ, section 3.1):
 *
 *   G    global delay: what has been charged. G only grows; copies of it merge by maximum.
 *   L    local delay of the payer: a core in the kernel engine (SCOZ, section 3.2), a thread in
 *        the runtime engine (COZ, section 3.4). Charges and pauses raise L.
 *   gap  G - L: what is still to be paid; below 0: what has been paid in advance.
 *
 * A set of targets is one target. Its members may have different speedups, as levels; code of
 * several members has the largest.
 *
 * With charge = speedup x time in the target (COZ, equation 4), the program behaves as if the
 * target were that much faster, on a clock that shows wall time - G (COZ, section 3.4; SCOZ,
 * equation 1). The clock of one task is wall time - L. Values of G and L wrap: the sign of a
 * difference orders them. Rules for which no paper is named are Lever's own.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

#define DELAY_RULE static inline __attribute__((always_inline))
#define DELAY_SPEEDUP_ONE 65536 /* a virtual speedup of 100 % */
#define DELAY_LEVELS 4          /* different speedups at a time */
#define DELAY_HEARTBEAT_LIMIT_NS 700000000ULL

/* The experiment. Written by the engine process only. */
struct delay_settings {
	__u64 heartbeat_ns; /* pauses end when this is older than DELAY_HEARTBEAT_LIMIT_NS */
	__u64 period_ns;    /* nominal sampling period */
	__u64 cap_ns;       /* longest single pause of a core */
	__u64 generation_ns, generation_delay_ns; /* time and G when the generation began */
	__u32 generation;       /* raised between experiments: gaps of before are forgotten */
	__u32 speedup;          /* of the experiment, 0..DELAY_SPEEDUP_ONE; 0: a control */
	__u32 external_speedup; /* of external events (delay_waiters.h) */
	__u32 tick_overhead_ns; /* of a tick, beside its handler; 0: ticks are not charged */
	__u32 is_disarmed;      /* 1: no pause at all, whatever the gaps */
	__u32 grows_by_waits;   /* 1: G does by waits of class L, each at its end as a whole */
	__u32 speedups[DELAY_LEVELS]; /* of code at each level */
};
_Static_assert(sizeof(struct delay_settings) == 80, "delay_settings layout");

/* L. Written by its core or thread only. */
struct delay_local {
	__u64 delay_ns;   /* L */
	__u32 generation; /* to which L belongs */
	__u32 pad;
};

DELAY_RULE __s64 delay_not_negative(__s64 value)
{
	return value > 0 ? value : 0;
}

/* The greater of two values of G, L or time. G is raised to L, or to a copy of G, by this. */
DELAY_RULE __u64 delay_later(__u64 value, __u64 other)
{
	return (__s64)(value - other) > 0 ? value : other;
}

/*
 * The charge for `time_ns` (COZ, equation 4). An invalid speedup counts as 0: the runtime engine's
 * settings are in memory that the program can overwrite.
 */
DELAY_RULE __u64 delay_scaled(__u64 time_ns, __u32 speedup)
{
	return speedup > DELAY_SPEEDUP_ONE ? 0 : time_ns * speedup / DELAY_SPEEDUP_ONE;
}

/* The largest speedup of these levels, a bit each. */
DELAY_RULE __u32 delay_speedup_of(const struct delay_settings *settings, __u32 levels)
{
	__u32 most = 0;
	for (int i = 0; i < DELAY_LEVELS; i++) {
		__u32 own = levels >> i & 1 ? settings->speedups[i] : 0;
		most = own > most ? own : most;
	}
	return most;
}

/* Whether pauses and charges are allowed: every pause ends soon after the engine does. */
DELAY_RULE bool delay_is_allowed(const struct delay_settings *settings, __u64 now)
{
	/* The heartbeat may be later than `now`. */
	return !settings->is_disarmed &&
	       (__s64)(now - settings->heartbeat_ns) < (__s64)DELAY_HEARTBEAT_LIMIT_NS;
}

/* The part of the time from `since` to `now` that lies in this generation. */
DELAY_RULE __u64 delay_in_generation(const struct delay_settings *settings, __u64 since, __u64 now)
{
	return delay_not_negative(now - delay_later(settings->generation_ns, since));
}

/* ---- paying ---- */

/*
 * Forgives the debt: L = G. For a new thread, a core that runs a foreign task, and a new
 * generation.
 */
DELAY_RULE void delay_forgive(struct delay_local *local, const struct delay_settings *settings,
			      __u64 global)
{
	local->generation = settings->generation;
	local->delay_ns = global;
}

/* Forgives what is left of an older generation: with L = G each of n threads would raise G anew. */
DELAY_RULE void delay_renew(struct delay_local *local, const struct delay_settings *settings)
{
	if (local->generation != settings->generation)
		delay_forgive(local, settings, settings->generation_delay_ns);
}

DELAY_RULE __s64 delay_gap(const struct delay_local *local, const struct delay_settings *settings,
			   __u64 global)
{
	return local->generation == settings->generation ? (__s64)(global - local->delay_ns) : 0;
}

/* Whether the gap exceeds `least_ns`; paying less than that costs more than the debt. */
DELAY_RULE bool delay_is_due(const struct delay_local *local, __u64 global, __u64 least_ns)
{
	return (__s64)(global - local->delay_ns) > (__s64)least_ns;
}

/*
 * Consume: returns how long to pause now, at most `most_ns`. The rest stays in the gap (SCOZ,
 * section 3.5.1, catch_up). Where no pause is allowed, the debt is forgiven.
 */
DELAY_RULE __u64 delay_consume(struct delay_local *local, const struct delay_settings *settings,
			       __u64 global, __u64 now, __u64 most_ns)
{
	if (!delay_is_allowed(settings, now) || local->generation != settings->generation)
		delay_forgive(local, settings, global);
	__u64 gap = delay_not_negative(global - local->delay_ns);
	return gap < most_ns ? gap : most_ns;
}

/*
 * A pause took `paused_ns`, as measured. Time beyond the debt is paid in advance (COZ, section 3.4,
 * excess pause time).
 */
DELAY_RULE void delay_pay(struct delay_local *local, __u64 paused_ns)
{
	local->delay_ns += paused_ns;
}

/* ---- charging; after each of these G rises to L (delay_growth.h, delay_raised) ---- */

/*
 * The target ran for `time_ns` at these levels. Its core or thread does not pause for that, since
 * its own L grows (COZ, section 3.4.3). Returns the charge.
 */
DELAY_RULE __u64 delay_charge_target(struct delay_local *local,
				     const struct delay_settings *settings, __u32 levels,
				     __u64 time_ns, __u64 now)
{
	__u32 speedup = delay_speedup_of(settings, levels);
	__u64 charge = delay_is_allowed(settings, now) ? delay_scaled(time_ns, speedup) : 0;

	local->delay_ns += charge;
	return charge;
}

/*
 * G after a charge of a thread of the runtime engine: it rises to L, by the charge at most. What a
 * thread has paid in advance, since a sleep took too long, is not for others to pay.
 */
DELAY_RULE __u64 delay_raised(__u64 global, __u64 local, __u64 charge)
{
	__u64 most = global + charge;

	return delay_later((__s64)(local - most) > 0 ? most : local, global);
}
