/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling_rate - how often to sample a program while experiments run on it.
 *
 * A pause is as exact as the sampling clock: it is paid in portions of period x speedup. Where the
 * program's tasks wait for each other more often than that, the portions' unevenness makes them meet
 * at locks where the faster program would not, and gains come out too low. Simulated for a lock of 600
 * us in a loop of 1 ms (tests/accuracy/lock.c, 50 and 75 %: gains of 41.7 and 54.2 %): 37.0 and 50.2
 * with a period of 500 us, 39.3 and 50.0 with 250, 40.6 and 53.2 with 150. Measured: 38.6 and 49.8 with
 * 300 us, 39.8 and 52.4 with 150, 42.1 and 53.6 with 80. So a program whose tasks wait often is sampled
 * more densely. The ticks slow it down, but effective time is free of their cost (bpf/pause.h).
 */
#pragma once

#include <stdint.h>

struct sampling_rate {
	double busy_ns, waits;             /* of late: both fade */
	double all_busy_ns, all_handovers; /* since the start */
};

/*
 * The program was busy for busy_ns of CPU time, and its tasks gave up a core to wait `waits` times; `task_wakeups` of
 * these waits another task of the program ended.
 */
void sampling_rate_update(struct sampling_rate *sampling_rate, uint64_t busy_ns, uint64_t waits,
			  uint64_t task_wakeups);
/* SAMPLING_RATE_SHARE of the time between waits, but no longer than `usual` and no shorter than `densest`. */
uint64_t sampling_rate_period_ns(const struct sampling_rate *sampling_rate, uint64_t usual_ns,
				 uint64_t densest_ns);
#define SAMPLING_RATE_SHARE 0.1
/*
 * A sentence for who reads the predictions, if they were made of a program whose tasks woke each other more often than
 * sampling every `period_ns` can follow; NULL if not. To be freed. With SAMPLING_RATE_PERIODS_LEAST periods between hand-overs and
 * more, predictions have come true (tests/accuracy: 3.4 to 11); with 1.3 (relay.c) large ones were up to 16 points
 * too high. Waits that a device or a timer ends are as long as they are, however late a pause comes.
 */
char *sampling_rate_warning(const struct sampling_rate *sampling_rate, uint64_t period_ns);
#define SAMPLING_RATE_PERIODS_LEAST 2
