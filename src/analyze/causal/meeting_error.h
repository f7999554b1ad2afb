/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * meeting_error - the error of gains where threads wait for each other or for cores.
 *
 * Most of it is a part of the gain (hand_over_error.h, crowding_error.h, placement_error.h): the
 * truth is larger or smaller by a factor. It says how much the program gains, and nothing about
 * whether it does (docs/decisions.md, "An error that is a factor").
 */
#pragma once

#include "analyze/causal/causal.h"

/* Widens the effect's points. Its bare points get only the error that is no part of the gain. */
void meeting_error_add(struct causal_effect *effect);
/* Of any gain of the effect: the error as a part of the gain. */
double meeting_error_part(const struct causal_effect *effect, double gain);
