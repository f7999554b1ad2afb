/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * histogram - percentiles of very many durations, in bounded memory.
 *
 * Up to HISTOGRAM_EXACT values are kept as they are. From then on they are counted in buckets, 256
 * to each power of two, so that a percentile is off by at most HISTOGRAM_ERROR of itself; the
 * greatest stays exact.
 */
#pragma once

#include "base/memory.h"

#include <stdint.h>

#define HISTOGRAM_EXACT 65536
#define HISTOGRAM_ERROR 0.002

struct histogram {
	ARRAY(float) values;
	uint64_t *buckets; /* NULL: `values` has all */
	uint64_t count, total_ns, max_ns;
};

void histogram_add(struct histogram *histogram, uint64_t length_ns);
/* The percentile by nearest rank; 0 without values. */
double histogram_quantile(struct histogram *histogram, double share);
void histogram_release(struct histogram *histogram);
