/* SPDX-License-Identifier: BSD-2-Clause */
/* rows - a run's sums, as rows of the profile. */
#pragma once

#include "profile/profile.h"
#include "scale/time_series.h"

/* The whole, as slice 0, and how it grew from snapshot to snapshot. */
int level_writer_write(struct profile *profile, int64_t run_id, const struct time_series *series,
		       struct error *error);
