/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paced_share - the share of visits that come by the wall clock, from windows in which the whole
 * program pauses for a part of the time, and whether it is surely not chance.
 *
 * Each paused window is compared with the controls just before and after it, so that drifts and
 * most phases cancel. Let r be its rate by wall time over its controls', and v its effective share
 * of the time over theirs: r is 1 if all visits are paced, v if none is. The window's own share is
 * (r - v) / (1 - v). The answer is their trimmed mean with its winsorized error (Tukey and
 * McLaughlin, Sankhya A 25, 1963). It is sure only if two lower bounds agree: one by Student's t,
 * less what pauses change beside the pace (PACED_METHOD_ERROR), and one by the signs of the
 * windows' shares, which needs no assumption about their distribution.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct paced_window {
	uint64_t start_ns, duration_ns;
	double rate;      /* visits per ns of wall time */
	double effective; /* effective time divided by wall time */
	bool is_paused;   /* else it is a control */
	int64_t run_id;
	double spent_ns; /* for each visit: of whatever is asked for */
};

struct paced_share {
	double share, error; /* standard error */
	double low;          /* surely at least; -INFINITY if unknown */
	unsigned windows;    /* paused ones with a control on either side */
};

#define PACED_WINDOWS_LEAST 3
/* The chance that a program's pace is called external although it is not, over all its points. */
#define PACED_CHANCE 0.005
/*
 * Standard error of a share by what pauses change beside the pace: caches, memory and siblings are
 * freer. docs/decisions.md, "Which pacing is sure".
 */
#define PACED_METHOD_ERROR 0.05

/* Windows in the order of time within each run. `points`: how many are tested in this report. */
struct paced_share paced_share_of(const struct paced_window *windows, size_t count, size_t points);
/*
 * The part of the share that visits which take less CPU time (`spent_ns`) while the program pauses
 * explain: what the share by visits has more than that by CPU time for wall time. `low` is not
 * known.
 */
struct paced_share paced_relief_of(const struct paced_window *windows, size_t count);
/*
 * How `spent_ns` grows with the wall time for each visit, from controls to the paused windows
 * between them, as `share`; `low` is not known.
 */
struct paced_share paced_growth_of(const struct paced_window *windows, size_t count);
