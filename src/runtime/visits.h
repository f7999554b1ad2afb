/* SPDX-License-Identifier: BSD-2-Clause */
/* visits - counts visits to progress points. */
#pragma once

#include "runtime/runtime.h"

/* Of a point that is not in the program's own page: visits, or sampled ns. */
void visits_add(uint32_t index, uint64_t visits, uint64_t now);

/* False: another thread of the process counts. */
bool visits_begin(void);
/* Between visits_begin and visits_end. `index` must be valid. */
void visits_count(uint32_t index, uint64_t visits, uint64_t now);
void visits_end(void);
/* In the child of a fork. */
void visits_fork(void);
