/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * charge_check - whether the growth of G in a window agrees with the samples of its target.
 *
 * At a speedup s, G grows by s for each ns in which a thread is in the target, and by the ticks'
 * cost, which windows at speedup 0 show. Let k be the target's sampled time over the window's
 * duration: the mean number of threads in the target. G must grow by less than s * min(1, k), and
 * if k is large by more than a small part of it. A window that contradicts that has measured
 * something else: a wait that was never ended, or a target that was not recognized. The sampling
 * side tells k; samples that the engine names as the target's, and the sampling side did not, were
 * not charged.
 *
 * Where the target runs nearly all the time, and others have to pause for longer than one pause may
 * be, hardly any time is left in which the program ran: what is left is what the cut pauses missed.
 * Where many threads are in it, each pays up to a period late, and does more in that time than in
 * what is left.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct charge_window {
	double speedup;
	uint64_t duration_ns, delay_ns, target_ns;
	uint64_t unrecognized_ns; /* in the target by its name, and not charged */
	uint64_t sampled_ns;      /* 0: no samples were taken, and nothing can be said */
	uint64_t capped;          /* pauses that were cut */
};

enum charge_verdict {
	CHARGE_AGREES,
	CHARGE_EXCESSIVE, /* G grew although hardly any sample is in the target */
	CHARGE_MISSING,   /* G did not grow, or too little, for the samples in the target */
	CHARGE_WHOLE,     /* nearly all of the window is pauses, cut or paid late */
};

/*
 * Judges each of one target's windows in the order of time. A wait is sampled when it ends, so the
 * samples of the windows before and after count, too. Writes `verdicts`, of the same count.
 */
void charge_check(const struct charge_window *windows, size_t count, enum charge_verdict *verdicts);
