/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paced_load - work that the wall clock brings, and that keeps a program from its visits.
 *
 * A thread that answers requests also works each time that a timer fires. Timers do not pause with
 * the program, so by effective time that work comes too often, and every gain is told too low. Let
 * F be the part of the wall time that such work takes of what sets the pace, v effective time
 * divided by wall time, and p the effective time for each visit. Then p (1 - F / v) is the same at
 * each v, and without pauses a visit would take
 *
 *	p' = (p - F p / v) / (1 - F).
 *
 * p / v is the wall time for each visit. So F is the growth of p with it, from controls to windows
 * in which the whole program pauses. That alone may have other reasons, as where threads outnumber
 * cores. So a second sign is asked for: the CPU time for each visit must grow with the wall time
 * for each visit, too, and F is no more than that growth. Waits do not count for it: a thread that
 * sleeps by the wall clock does no work. CPU time as the point has no such sign: a timer's work
 * counts as its visits.
 */
#pragma once

#include "profile/recording.h"

struct paced_load {
	double share, low, high; /* F and its 95 % interval; 0: no such work is found */
	double work;             /* that growth: CPU time for each ns of wall time */
	double effective;        /* of the controls */
};

/* The part of that work that a target is; 0 to 1, if nothing is known. */
struct paced_part {
	double low, high;
};

#define PACED_LOAD_LEAST 0.03        /* of the growth of CPU time, surely */
#define PACED_LOAD_SLOWER_LEAST 0.05 /* of F; below, caches of paused cores explain it, too */

struct paced_load paced_load_of(const struct recording *recording,
				const struct recording_point *point);
struct paced_part paced_load_part(const struct recording *recording,
				  const struct recording_point *point,
				  const struct paced_load *load, int64_t target_id);
/* p' of a window with p and v. `load`: F, less what a speedup takes from it. */
double paced_load_period(double period_ns, double effective, double load);
