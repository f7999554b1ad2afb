/* SPDX-License-Identifier: BSD-2-Clause */
/* sampled_location - extrapolates by the time of all code. */
#include "experiment/target/sampled_location.h"

static double factor_of(uint64_t all_ns, uint64_t missed_ns)
{
	return all_ns > missed_ns ? (double)all_ns / (double)(all_ns - missed_ns) : 1;
}

static uint64_t scaled(uint64_t value, double factor)
{
	return (uint64_t)((double)value * factor);
}

struct sampled_location sampled_location_whole(const struct sampled_location *location,
					       const struct sampled_time *all)
{
	struct sampled_location whole = *location;
	double factor = factor_of(all->ns, location->missed.ns);

	whole.samples = scaled(location->samples, factor);
	whole.sampled_ns = scaled(location->sampled_ns, factor);
	whole.baseline_sampled_ns =
		scaled(location->baseline_sampled_ns,
		       factor_of(all->baseline_ns, location->missed.baseline_ns));
	return whole;
}
