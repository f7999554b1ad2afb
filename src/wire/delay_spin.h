/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_spin - what a thread that spins is credited with, at each of its ticks.
 */
#pragma once

#include "wire/delay_gap.h"
#include "wire/delay_task.h"

/* Of a thread at its last tick: bits. */
enum delay_spinning {
	DELAY_SPINS = 1,        /* it spun, and not at the tick before */
	DELAY_SPINS_ON = 2,     /* it spun at both */
	DELAY_SPIN_CHARGED = 4, /* the target was charged between the two */
	DELAY_SPUN_BEFORE = 8,  /* it spun at the tick before those */
};

#define DELAY_SPIN_ONE 65536U
#define DELAY_SPIN_SHARE_SHIFT 5 /* a thread's share is taken over 32 ticks */

#define DELAY_SPIN_LAGS 2

/* Of ticks that follow a thread's spinning by one tick, and by two. */
struct delay_spin_repeats {
	__u64 seen[DELAY_SPIN_LAGS];     /* it spins again, in 1 / DELAY_SPIN_ONE */
	__u64 expected[DELAY_SPIN_LAGS]; /* by its share of spinning */
	__u64 spinning_ns;               /* weight of all ticks that found one spinning */
};

DELAY_RULE bool delay_spun(__u8 spin)
{
	return spin & (DELAY_SPINS | DELAY_SPINS_ON);
}

/*
 * Whether spinning at one tick makes spinning at the next two more likely. If it does not, threads
 * spin many times within a period, and neither how often nor in which order is seen. A rhythm of a
 * few periods makes it likelier at one of the two, or less likely. Called before delay_spin_credit,
 * for each tick that stands for `weight_ns`.
 */
DELAY_RULE void delay_spin_repeat(struct delay_spin_repeats *repeats, struct delay_task *task,
				  bool is_spinning, __u64 weight_ns)
{
	bool spun = delay_spun(task->spin);
	bool spun_before = task->spin & (DELAY_SPINS_ON | DELAY_SPUN_BEFORE);
	__s32 seen = is_spinning ? DELAY_SPIN_ONE - 1 : 0;

	repeats->seen[0] += spun ? seen : 0;
	repeats->expected[0] += spun ? task->spun_share : 0;
	repeats->seen[1] += spun_before ? seen : 0;
	repeats->expected[1] += spun_before ? task->spun_share : 0;
	repeats->spinning_ns += is_spinning ? weight_ns : 0;
	task->spun_share += (seen - (__s32)task->spun_share) >> DELAY_SPIN_SHARE_SHIFT;
}

/* A tick of a thread that spins or spun at its last tick. */
struct delay_spin_tick {
	bool is_spinning;
	__s64 gap_ns;
	__s64 charged_ns; /* by the target since the thread's last tick */
	__s64 weight_ns;  /* what the tick stands for */
};

/*
 * A thread that spins waits for another one, and no event shows when that begins and ends. While it
 * does, it does not pause: time between two ticks that both find it spinning is as good as a pause.
 * Of the intervals in which it began to spin and was released, it is credited with charges of the
 * target (docs/decisions.md, "Spinning is waiting that no scheduler sees"):
 *
 *	                          target ran in the     else
 *	                          interval before
 *	it began                  half                  all: it has handed over to the target
 *	released, spun for long   all: by the target    none: its releaser has begun the target
 *	released, spun at 1 tick  half                  all: the target took less than a period
 *
 * Returns the credit, by which L grows. `spin`: enum delay_spinning, kept from tick to tick.
 */
DELAY_RULE __u64 delay_spin_credit(__u8 *spin, const struct delay_spin_tick *tick)
{
	__u8 before = *spin & (DELAY_SPINS | DELAY_SPINS_ON);
	bool is_new = !(*spin & DELAY_SPIN_CHARGED);
	__u8 spun = before ? DELAY_SPUN_BEFORE : 0;
	__s64 most = 0;

	*spin = !tick->is_spinning ? spun : before ? DELAY_SPINS_ON : DELAY_SPINS;
	if (tick->charged_ns > tick->weight_ns >> 3)
		*spin |= DELAY_SPIN_CHARGED;
	if (tick->is_spinning && before)
		most = tick->weight_ns > tick->charged_ns ? tick->weight_ns : tick->charged_ns;
	else if (tick->is_spinning)
		most = is_new ? tick->charged_ns : tick->charged_ns >> 1;
	else if (before == DELAY_SPINS_ON)
		most = is_new ? 0 : tick->charged_ns;
	else if (before)
		most = is_new ? tick->charged_ns : tick->charged_ns >> 1;
	return delay_not_negative(tick->gap_ns < most ? tick->gap_ns : most);
}
