/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lengths - percentiles of very many lengths of time, in bounded memory.
 *
 * Up to LENGTHS_EXACT values are kept as they are. From then on they are counted in buckets, 256 to each
 * power of two, so that a percentile is off by at most LENGTHS_ERROR of itself; the greatest stays exact.
 */
#pragma once

#include "base/memory.h"

#include <stdint.h>

#define LENGTHS_EXACT 65536
#define LENGTHS_ERROR 0.002

struct lengths {
	ARRAY(float) values;
	uint64_t *buckets; /* NULL: `values` has all */
	uint64_t count, total_ns, max_ns;
};

void lengths_add(struct lengths *lengths, uint64_t length_ns);
/* The value at or below which the share of all lies: the nearest rank. 0 if there is none. */
double lengths_at(struct lengths *lengths, double share);
void lengths_release(struct lengths *lengths);
