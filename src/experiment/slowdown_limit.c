/* SPDX-License-Identifier: BSD-2-Clause */
/* slowdown_limit - sums up delays, and compares them with the time that has passed. */
#include "experiment/slowdown_limit.h"

bool slowdown_limit_allows(struct slowdown_limit *limit, uint64_t now_ns, uint64_t delay_ns,
			   uint64_t next_ns)
{
	if (limit->most <= 0)
		return true;
	if (!limit->has_begun) {
		limit->has_begun = true;
		limit->first_ns = now_ns;
		limit->first_delay_ns = limit->delay_ns = delay_ns;
	}
	uint64_t step = delay_ns - limit->delay_ns;
	limit->delay_ns = delay_ns;
	if (step > limit->dearest_ns)
		limit->dearest_ns = step;
	next_ns = next_ns > limit->dearest_ns ? next_ns : limit->dearest_ns;
	double passed = (double)(now_ns - limit->first_ns);
	double delayed = (double)(delay_ns - limit->first_delay_ns);
	/* delayed / (passed - delayed) <= most */
	return delayed + (double)next_ns <= passed * limit->most / (1 + limit->most);
}

uint64_t slowdown_limit_period_ns(const struct slowdown_limit *limit, uint64_t usual_ns,
				  uint64_t tick_ns)
{
	double longest = (double)tick_ns / (SLOWDOWN_REST_SHARE * limit->most);

	return longest > (double)usual_ns ? (uint64_t)longest : usual_ns;
}
