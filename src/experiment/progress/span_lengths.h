/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * span_lengths - how long the spans of a latency point took in a window, as rows of the profile.
 */
#pragma once

#include "collect/collector.h"
#include "profile/recording.h"

/*
 * Adds what the window closed last saw of the pair, whose points are ends[0] and ends[1], if these are a span's,
 * the engine measures spans, and there were any.
 */
void span_lengths_collect(const struct collector *collector, unsigned pair, const unsigned *ends,
			  int64_t point_id, struct recording_experiment *experiment);
