/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * time_series - a run's sums as they grew: snapshots of it, at most TIME_SERIES_MAX, evenly spread.
 *
 * Where there are too many, every second one is forgotten, and from then on only every second one
 * is kept. So the time between two doubles as the run goes on.
 */
#pragma once

#include "base/memory.h"
#include "wire/scale.h"

#include <stdint.h>

#define TIME_SERIES_MAX 128

struct snapshot {
	struct scale_totals totals;
	uint64_t stolen_ns; /* from the program, by the hypervisor, so far; core time */
};

struct time_series {
	ARRAY(struct snapshot) snapshots;
	uint64_t every_ns; /* 0: keep all */
};

void time_series_clear(struct time_series *series); /* releases */
/* Takes a snapshot in, if it is far enough from the last. */
void time_series_add(struct time_series *series, const struct snapshot *snapshot);
/* The last one, which is always kept. */
void time_series_end(struct time_series *series, const struct snapshot *snapshot);
