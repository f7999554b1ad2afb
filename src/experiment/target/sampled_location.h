/* SPDX-License-Identifier: BSD-2-Clause */
/* sampled_location - the sampled time of a location, also of one that is watched late. */
#pragma once

#include <stdint.h>

struct sampled_time {
	uint64_t ns, baseline_ns;
};

/* The threads that were seen lately, by hashes of their ids. */
struct recent_threads {
	uint64_t now, before; /* since `since_ns`, and in the stretch before */
	uint64_t since_ns;
};

struct sampled_location {
	uint64_t samples, sampled_ns, baseline_sampled_ns;
	uint64_t baseline_alone_ns; /* each sample divided by the threads that are there together */
	struct recent_threads threads;
	uint64_t spun_ns;           /* in loops that wait; not in the others */
	uint64_t retried_ns;        /* in its loops that retry, while other threads are in such */
	double recent_ns;           /* halved by every sampled_code_age */
	struct sampled_time missed; /* of all code, before samples were counted for this one */
};

/*
 * Adds a sample, and returns its weight divided by the threads that had one within twice its
 * weight: by that, two threads in a target at once are one core's time, as in the growth of G.
 */
uint64_t sampled_location_alone(struct sampled_location *location, uint32_t tid, uint64_t time_ns,
				uint64_t weight_ns);
/* With its usual part of the time that it missed; `all` is that of all code. */
struct sampled_location sampled_location_whole(const struct sampled_location *location,
					       const struct sampled_time *all);
