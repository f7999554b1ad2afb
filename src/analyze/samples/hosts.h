/* SPDX-License-Identifier: BSD-2-Clause */
/* hosts - how the work of a recording over several hosts is spread over them. */
#pragma once

#include "analyze/samples/samples.h"

struct samples_host {
	const char *name; /* borrowed from the recording; NULL: unknown */
	uint64_t wall_ns, cpu_ns;
	double busy; /* cores, on average */
};

struct samples_hosts {
	struct samples_host *items; /* by falling load */
	size_t count;
	double imbalance; /* by how much the busiest one is above the mean, as a fraction */
};

/* Of samples that passed the filter. */
struct samples_hosts samples_hosts(const struct samples *samples);
void samples_hosts_clear(struct samples_hosts *hosts);
