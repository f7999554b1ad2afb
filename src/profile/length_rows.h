/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * length_rows - the part of recording.h that holds how long spans took in an experiment.
 */
#pragma once

#include <stdint.h>

/*
 * Spans of a latency point that ended in an experiment, by length: bucket 0 those too short to be
 * measured, with a length of 0; others alike to a few percent, with their means. A span is counted in
 * what it took without pauses; credit is by how much less it would take at the experiment's speedup.
 */
struct recording_length {
	int64_t experiment_id, point_id;
	unsigned bucket;
	uint64_t spans;
	double weight; /* spans, and those of this length that had begun too early to be measured */
	double length_ns, credit_ns;
	double credit_squares, credit_cubes; /* means of ns^2 and ns^3 */
};
