/* SPDX-License-Identifier: BSD-2-Clause */
/* level_writer - writes a run's levels of parallelism to the profile. */
#pragma once

#include "profile/profile.h"
#include "scale/time_series.h"

/* The sums of the run as slice 0, and what each snapshot added as a slice of its own. */
int level_writer_write(struct profile *profile, int64_t run_id, const struct time_series *series,
		       struct error *error);
