/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling_rate - how often to sample a program while experiments run on it.
 *
 * Pauses are paid in portions of period x speedup. Where threads hand over to each other more often
 * than that, uneven portions make them meet at locks where the faster program would not. So a
 * program whose threads hand over often is sampled more densely (docs/decisions.md, "Period and
 * hand-overs"). A hand-over is the wake-up of a task of the program by another one, or the end of
 * spinning. A wait that a device or a timer ends is as long as it is, however late a pause comes.
 * But a task that naps may look again and again whether another has got there. Effective time is
 * free of the ticks' cost (bpf/pause.h).
 */
#pragma once

#include "profile/recording.h"

#include <stdbool.h>
#include <stdint.h>

/* No speedup, and quarters of a speedup: a lock that is free without one is contended with it. */
#define SAMPLING_RATE_KINDS 5

/* Ticks that find a thread spinning one tick, and two, after another one that did. */
struct sampling_rate_spins {
	double seen[2], expected[2]; /* by the thread's share of spinning */
	double all_ns;               /* that it spins */
	bool is_known;               /* in a window without a speedup or other programs */
};

struct sampling_rate_kind {
	/* Recent ones: they decay. */
	double busy_ns, hand_overs, timed_waits, short_naps, short_naps_ns;
	double all_busy_ns, all_naps, all_naps_ns; /* since the start; short naps */
	bool is_known;
};

struct sampling_rate {
	struct sampling_rate_kind kinds[SAMPLING_RATE_KINDS];
	unsigned windows;
	double all_busy_ns, all_hand_overs; /* since the start */
	double known_busy_ns;               /* of windows in which spins are known */
	struct sampling_rate_spins spins;
	double spins_off[2]; /* seen ones, beyond what chance brings, of each window */
};

struct sampling_rate_window {
	double speedup;
	uint64_t busy_ns;   /* CPU time of the program */
	uint64_t target_ns; /* the target's part of it: less at the speedup */
	uint64_t hand_overs;
	uint64_t timed_waits;               /* a timer ended a wait of one of its tasks */
	uint64_t short_naps, short_naps_ns; /* after which a task went on (wire/delay_turn.h) */
	struct sampling_rate_spins spins;
};

void sampling_rate_update(struct sampling_rate *sampling_rate,
			  const struct sampling_rate_window *window);
/*
 * SAMPLING_RATE_SHARE of the CPU time that the faster program uses between hand-overs, of the kind
 * of windows that has the most, within [shortest_ns, usual_ns]; waits that a timer ends count as
 * hand-overs down to SAMPLING_RATE_TIMED_NS. Where tasks go on after short naps, as they do that
 * poll, SAMPLING_RATE_NAP_SHARE of those at most: by uneven pauses they would find at another look
 * what they wait for. A lock or a poll that only dense sampling shows is seen by the first windows,
 * and the first one of each kind has SAMPLING_RATE_UNKNOWN_NS at most: a lock that this speedup
 * makes contended would be told as free. `speedup`: of the next window.
 */
uint64_t sampling_rate_period_ns(const struct sampling_rate *sampling_rate, double speedup,
				 uint64_t usual_ns, uint64_t shortest_ns);
#define SAMPLING_RATE_SHARE 0.125
#define SAMPLING_RATE_TIMED_NS 250000.0 /* the least for waits that a timer ends */
#define SAMPLING_RATE_UNKNOWN_NS 100000.0
#define SAMPLING_RATE_NAP_SHARE 0.5
#define SAMPLING_RATE_FIRST 24 /* windows sampled so at least, as nothing is known yet */
/*
 * Mean length of short naps of which a speedup changes the number for the same work, so that tasks
 * poll by them, if it is below SAMPLING_RATE_POLL_PERIODS periods; else 0.
 */
uint64_t sampling_rate_poll_ns(const struct sampling_rate *sampling_rate, uint64_t period_ns);
#define SAMPLING_RATE_POLL_PERIODS 1.5
/* A warning if that is not 0, or NULL. To be freed. */
char *sampling_rate_poll_warning(const struct sampling_rate *sampling_rate, uint64_t period_ns);
/* CPU time of the program between two hand-overs; 0 if these are rare. */
uint64_t sampling_rate_work_ns(const struct sampling_rate *sampling_rate);
/*
 * Share of the program's CPU time in which threads spin for less than a sampling period at a time;
 * 0 if they spin for longer, or hardly.
 */
double sampling_rate_brief_spin_share(const struct sampling_rate *sampling_rate);
/*
 * A warning if the program's threads wake each other more often than once in
 * SAMPLING_RATE_PERIODS_LEAST periods, where large predicted gains are too high by up to 16 points
 * and intervals wider for it (analyze/causal/hand_over_error.h); NULL if not. To be freed.
 */
char *sampling_rate_warning(const struct sampling_rate *sampling_rate, uint64_t period_ns);
#define SAMPLING_RATE_PERIODS_LEAST RECORDING_HAND_OVER_PERIODS
/*
 * Of a server while no experiment is to come: ticks take SAMPLING_RATE_RESTING_SHARE of a core at
 * most, as they hold up its answers. Ticks of 50 us, as on some virtual machines, take 7 % at the
 * usual period.
 */
uint64_t sampling_rate_resting_ns(uint64_t tick_ns, uint64_t usual_ns, uint64_t shortest_ns);
#define SAMPLING_RATE_RESTING_SHARE 0.01
#define SAMPLING_RATE_RESTING_MOST_NS 10000000.0
