/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crowding_error - the error where tasks that wake each other outnumber cores.
 *
 * A task that waits for a core has it sooner or later by the scheduler's rules, which go by wall
 * time, pauses included: slices, preemption at wake-ups, balancing. So in effective time tasks wait
 * for a core in another order, and less long, than in a program that is really shorter. No rule of
 * delays changes that (docs/decisions.md, "Stages that wait for a core"). In the runtime engine a
 * thread that sleeps its pause also gives its core to others, so there independent threads have
 * that error, too, and a larger one.
 */
#pragma once

#include "analyze/causal/trials.h"

/* Standard error as a part of the gain; 0 for latencies, and if no task waits for a core. */
double crowding_error_of(const struct recording *recording, const struct trials *trials,
			 const struct recording_point *point);
