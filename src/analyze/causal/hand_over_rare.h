/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hand_over_rare - the error where a speedup leaves so little that rare hand-overs become dense.
 *
 * Threads that work outside a lock for most of the time meet at it now and then, and at each turn
 * once that work is gone: then what waking costs takes a part of the gain. Where a unit of work is
 * shorter than a pause, pauses do not make them meet (docs/decisions.md, "Ten programs of other
 * kinds"). So hand-overs are counted by the work that is left; hand_over_error.h knows of those
 * that are dense without a speedup.
 */
#pragma once

struct recording;
struct recording_point;
struct trials;

struct hand_over_rare {
	double work_ns; /* of CPU time between hand-overs; 0: not so */
	double share;   /* of the target, of the work */
	double most_ns; /* between hand-overs, that pauses are too long to show */
};

struct hand_over_rare hand_over_rare_of(const struct recording *recording,
					const struct trials *trials,
					const struct recording_point *point);
/* Standard error as a part of the gain, at a speedup. */
double hand_over_rare_error(const struct hand_over_rare *rare, double speedup);
