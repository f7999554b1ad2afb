/* SPDX-License-Identifier: BSD-2-Clause */
/* scale_parts - what scale.c leaves to other files: the course of a run, and doubts. */
#pragma once

#include "analyze/scale.h"

/* The first run's slices, and its phases. */
void scale_find_course(struct scale *scale);
/* Whether the preconditions of predictions hold, as far as the runs show it. */
void scale_add_warnings(struct scale *scale);
