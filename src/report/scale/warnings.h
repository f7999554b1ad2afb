/* SPDX-License-Identifier: BSD-2-Clause */
/* warnings - the warnings of the analysis, and how the session ended. */
#pragma once

#include "analyze/scale/scale.h"
#include "report/warnings.h"

/* The caller releases them. */
struct warnings scale_warnings(const struct scale *scale);
