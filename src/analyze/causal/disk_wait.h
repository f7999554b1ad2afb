/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disk_wait - how much more than predicted a program gains when it no longer waits for a disk.
 *
 * A virtual speedup takes the wait away, but not what comes with it: tasks that leave their cores
 * find cold caches, wake each other, and queue beside idle cores. Servers whose call was really
 * left out gained up to 0.6 of what was left to gain, idle cores included (docs/decisions.md,
 * "Twelve settings of eight servers"), the more the larger a part of the wait was taken away, and
 * a quarter of it nothing. So the interval reaches up.
 */
#pragma once

#include "profile/recording.h"

/* Whether the target is a system call that waits for a disk, or the class of such waits. */
bool disk_wait_is(const struct recording_target *target);
/* By how much the interval of such a target's gain reaches further up. */
double disk_wait_reach(double speedup, double gain);
