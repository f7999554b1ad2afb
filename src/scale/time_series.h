/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * time_series - at most TIME_SERIES_MAX snapshots of a run's sums, at equal distances.
 *
 * When there are too many, every second one is dropped, and the distance doubles.
 */
#pragma once

#include "base/memory.h"
#include "wire/scale.h"

#include <stdint.h>

#define TIME_SERIES_MAX 128

struct snapshot {
	struct scale_totals totals;
	uint64_t stolen_ns; /* core time taken from the program so far */
};

struct time_series {
	ARRAY(struct snapshot) snapshots;
	uint64_t every_ns; /* 0: keep all */
};

void time_series_clear(struct time_series *series); /* releases */
/* Keeps the snapshot if it is far enough from the last one. */
void time_series_add(struct time_series *series, const struct snapshot *snapshot);
/* Keeps the run's last snapshot in any case. */
void time_series_end(struct time_series *series, const struct snapshot *snapshot);
