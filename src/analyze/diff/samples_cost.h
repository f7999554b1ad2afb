/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples_cost - the time of each function's own samples in a recording of `lever record`, by run.
 *
 * A function on CPU and the same function waiting are two rows. A sample belongs to its innermost
 * function in user space, or in the kernel where there is none.
 */
#pragma once

#include "analyze/samples/samples.h"
#include "base/memory.h"

struct samples_cost {
	const struct samples_entry *heaviest;
	const struct recording_frame *frame; /* of its code; NULL: unknown */
	bool is_waiting;
	uint64_t samples;
	double weight_ns, variance;
	double *by_run;             /* ns of each run, in the order of the recording */
	ARRAY(const char *) joined; /* functions whose cost was added; borrowed */
};

struct samples_costs {
	struct samples_cost *items;
	size_t count, runs;
	size_t *of_entry; /* by number of a sample's entry */
};

struct samples_costs samples_costs_of(const struct samples *samples);
void samples_costs_release(struct samples_costs *costs);

/* Adds the cost of `part`, whose code is in the function of `whole` on the other side. */
void samples_cost_join(struct samples_cost *whole, const struct samples_cost *part, size_t runs);

/* All of one kind as one row; its `heaviest` and `frame` are NULL. */
struct samples_cost samples_costs_sum(const struct samples_costs *costs, bool is_waiting);
