/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * regions - finds spans that several threads go through together, and how unevenly they are loaded.
 *
 * Two ways in which programs do that: the same threads meet at barriers, so that the n-th span of each
 * belongs to the n-th round; or threads come and go, and spans that overlap belong together. Names
 * whose spans fit neither are no parallel regions.
 */
#pragma once

#include "analyze/timeline/spans.h"

struct regions;

/* The timeline must live as long. */
struct regions *regions_new(const struct timeline *timeline);
void regions_free(struct regions *regions);
/* Threads one after the other, each in order of time. */
void regions_add(struct regions *regions, size_t thread, const struct timeline_span *span);
void regions_find(const struct regions *regions, struct spans *spans);
