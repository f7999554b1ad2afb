/* SPDX-License-Identifier: BSD-2-Clause */
/* sampled_location - the sampled time of a location, also of one that is watched late. */
#pragma once

#include <stdint.h>

struct sampled_time {
	uint64_t ns, baseline_ns;
};

struct sampled_location {
	uint64_t samples, sampled_ns, baseline_sampled_ns;
	uint64_t spun_ns;           /* in loops that wait; not in the others */
	double recent_ns;           /* halved by every sampled_code_age */
	struct sampled_time missed; /* of all code, before samples were counted for this one */
};

/* With its usual part of the time that it missed; `all` is that of all code. */
struct sampled_location sampled_location_whole(const struct sampled_location *location,
					       const struct sampled_time *all);
