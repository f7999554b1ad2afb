/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling_rate - how often to sample a program while experiments run on it.
 *
 * Pauses are paid in portions of period x speedup. Where threads wait for each other more often
 * than that, uneven portions make them meet at locks where the faster program would not, and gains
 * come out too low (docs/decisions.md, "Period and waits"). So a program whose threads wait often
 * is sampled more densely. Effective time is free of the ticks' cost (bpf/pause.h).
 */
#pragma once

#include <stdint.h>

struct sampling_rate {
	double busy_ns, waits;           /* recent ones: both decay */
	double all_busy_ns, all_wakeups; /* since the start */
};

/*
 * The program used busy_ns of CPU time; its threads gave up a core to wait `waits` times, and
 * another thread of the program ended `task_wakeups` of these waits.
 */
void sampling_rate_update(struct sampling_rate *sampling_rate, uint64_t busy_ns, uint64_t waits,
			  uint64_t task_wakeups);
/* SAMPLING_RATE_SHARE of the time between waits, within [shortest_ns, usual_ns]. */
uint64_t sampling_rate_period_ns(const struct sampling_rate *sampling_rate, uint64_t usual_ns,
				 uint64_t shortest_ns);
#define SAMPLING_RATE_SHARE 0.1
/*
 * A warning if the program's threads wake each other more often than once in
 * SAMPLING_RATE_PERIODS_LEAST periods, where large predicted gains are too high by up to 16 points
 * (docs/decisions.md, "Period and waits"); NULL if not. To be freed.
 */
char *sampling_rate_warning(const struct sampling_rate *sampling_rate, uint64_t period_ns);
#define SAMPLING_RATE_PERIODS_LEAST 2
