/* SPDX-License-Identifier: BSD-2-Clause */
/* rows - a run's sums, as rows of the profile. */
#pragma once

#include "profile/profile.h"
#include "scale/course.h"

/* The whole, as slice 0, and how it grew from moment to moment. */
int rows_write_course(struct profile *profile, int64_t run_id, const struct course *course,
		      struct error *error);
