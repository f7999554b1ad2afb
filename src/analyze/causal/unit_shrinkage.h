/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unit_shrinkage - found points whose visits hold less work as a target is sped up.
 *
 * A function that is called once a batch, as a log writer's, takes what gathered while the last
 * batch was written. With it sped up batches are smaller and more of them are counted, which is no
 * gain. A speedup by pauses leaves the CPU time of a unit of work as it is
 * (docs/decisions.md, "Ten programs of other kinds").
 */
#pragma once

#include "profile/recording.h"

/* Whether at some speedup of a target a visit has less than a third of its controls' CPU time. */
bool unit_shrinkage_is_met(const struct recording *recording, const struct recording_point *point);
