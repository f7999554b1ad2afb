/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * course - a run's sums as they grew: moments of it, at most COURSE_MOST, evenly spread.
 *
 * Where there are too many, every second one is forgotten, and from then on only every second one
 * is kept. So the time between two doubles as the run goes on.
 */
#pragma once

#include "base/memory.h"
#include "wire/scale.h"

#include <stdint.h>

#define COURSE_MOST 128

struct moment {
	struct scale_totals totals;
	uint64_t stolen_ns; /* from the program, by the hypervisor, so far; core time */
};

struct course {
	ARRAY(struct moment) moments;
	uint64_t every_ns; /* 0: keep all */
};

void course_clear(struct course *course); /* releases */
/* Takes a moment in, if it is far enough from the last. */
void course_add(struct course *course, const struct moment *moment);
/* The last one, which is always kept. */
void course_end(struct course *course, const struct moment *moment);
