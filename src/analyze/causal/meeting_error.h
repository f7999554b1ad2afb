/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meeting_error - the error of gains where threads wait for each other or for cores.
 *
 * Most of it is a part of the gain (hand_over_error.h, crowding_error.h, placement_error.h). It
 * says how much the program gains, and nothing about whether it does. Curves are fitted without it:
 * an error that grows with measured values would pull a fit below all of these (Peelle's pertinent
 * puzzle; docs/decisions.md, "An error that is a part of the gain").
 */
#pragma once

#include "analyze/causal/causal.h"

/* Widens the effect's points. Its bare points get only the error that is no part of the gain. */
void meeting_error_add(struct causal_effect *effect);
/* Of any gain of the effect, at a speedup: what is a part of the gain. */
double meeting_error_of(const struct causal_effect *effect, double speedup, double gain);
