/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * delay_spin - what a thread that spins is credited with, at each of its ticks.
 */
#pragma once

#include "wire/delay_gap.h"

/* Of a thread at its last tick: bits. */
enum delay_spinning {
	DELAY_SPINS = 1,        /* it spun, and not at the tick before */
	DELAY_SPINS_ON = 2,     /* it spun at both */
	DELAY_SPIN_CHARGED = 4, /* the target was charged between the two */
};

DELAY_RULE bool delay_spun(__u8 spin)
{
	return spin & (DELAY_SPINS | DELAY_SPINS_ON);
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
	__s64 most = 0;

	*spin = !tick->is_spinning ? 0 : before ? DELAY_SPINS_ON : DELAY_SPINS;
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
