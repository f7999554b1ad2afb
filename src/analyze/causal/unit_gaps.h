/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unit_gaps - found points that are visited in a part of the program's time only.
 *
 * A function that draws lines is no unit of the pages that hold text, too: measured by it, code
 * that draws text gains nothing. Where one thread runs at a time, CPU time is a measure of all the
 * work: what a target takes is what it can save (docs/decisions.md, "Cycles of one thread").
 */
#pragma once

#include "profile/recording.h"

/* Does one thread run at a time, by the windows without a speedup, and nearly always? */
bool unit_gaps_is_serial(const struct recording *recording);
/* Whether the point has next to no visits in a tenth of the windows without a speedup. */
bool unit_gaps_are_met(const struct recording *recording, const struct recording_point *point);
