/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * span_lengths - how long the spans of a latency point took in a window, as rows of the profile.
 */
#pragma once

#include "collect/collector.h"
#include "profile/recording.h"

/*
 * Adds the lengths of the window closed last, of the pair with the points ends[0] and ends[1].
 * Nothing if these are not the two ends of a span, or the engine measures no spans.
 */
void span_lengths_collect(const struct collector *collector, unsigned pair, const unsigned *ends,
			  int64_t point_id, struct recording_experiment *experiment);
