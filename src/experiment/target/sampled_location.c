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

static void advance(struct recent_threads *threads, uint64_t time_ns, uint64_t stretch_ns)
{
	uint64_t passed_ns = time_ns > threads->since_ns ? time_ns - threads->since_ns : 0;

	if (passed_ns <= stretch_ns)
		return;
	threads->before = passed_ns <= 2 * stretch_ns ? threads->now : 0;
	threads->now = 0;
	threads->since_ns = time_ns;
}

uint64_t sampled_location_alone(struct sampled_location *location, uint32_t tid, uint64_t time_ns,
				uint64_t weight_ns)
{
	struct recent_threads *threads = &location->threads;

	advance(threads, time_ns, 2 * weight_ns);
	threads->now |= 1ull << (tid * 2654435761u >> 26);
	return weight_ns / (unsigned)__builtin_popcountll(threads->now | threads->before);
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
	whole.baseline_alone_ns = scaled(location->baseline_alone_ns,
					 factor_of(all->baseline_ns, location->missed.baseline_ns));
	return whole;
}
