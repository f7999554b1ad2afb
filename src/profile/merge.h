/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge - runs of lever record from several files as one recording.
 *
 * Equal frames and call chains become one, so that sums over all files cost no more than over one.
 */
#pragma once

#include "profile/recording.h"

struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *merge);
/* Copies its runs of samples that were on between two Unix times. Returns how many. */
size_t merge_add(struct merge *merge, const struct recording *from, int64_t first_s,
		 int64_t last_s);
/* The caller frees it. The merge is then empty. */
struct recording *merge_take(struct merge *merge);
