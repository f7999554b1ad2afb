/* SPDX-License-Identifier: BSD-2-Clause */
/* length_rows - the part of recording.h with lengths of spans, and visits by process. */
#pragma once

#include <stdint.h>

/*
 * A bucket of the spans of a latency point that ended in an experiment. Bucket 0 holds spans that
 * are too short to be measured, with length 0. Lengths in any other bucket differ by a few percent,
 * and the row has their mean. A length excludes pauses; the credit is the time that the speedup of
 * the experiment saves.
 */
struct recording_length {
	int64_t experiment_id, point_id;
	unsigned bucket;
	uint64_t spans;
	double weight; /* spans, plus the estimate of those that began before the window */
	double length_ns, credit_ns;
	double credit_squares, credit_cubes; /* means of ns^2 and ns^3 */
};

/* The part of a point's visits made by one process, where the engine knows it. */
struct recording_process_visits {
	int64_t run_id, point_id;
	unsigned pid;
	char *command; /* its comm */
	uint64_t visits;
};
