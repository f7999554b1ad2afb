/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock_fit - one clock's offset from another over time, from bounds by messages.
 *
 * A message that left at a and came at b by one clock, and was answered at t by the other, says
 * that the offset at t is from a - t to b - t. Clocks run at constant rates as far as bounds allow;
 * where no straight line passes through all, the time is halved, and lines meet between the parts.
 */
#pragma once

#include "base/memory.h"

#include <stdint.h>

/* At a time of the other clock; INT64_MIN and INT64_MAX: no bound on that side. */
struct clock_bound {
	uint64_t time_ns;
	int64_t low_ns, high_ns;
};

struct clock_knot {
	uint64_t time_ns;
	int64_t offset_ns;
};

struct clock_fit {
	ARRAY(struct clock_knot) knots; /* by time; straight lines between and beyond */
	double drift;                   /* of the offset, from the first knot to the last */
	uint64_t uncertainty_ns;        /* the true offset is that near, if rates are constant */
};

/* `bounds`: by time, with at least one. */
void clock_fit(const struct clock_bound *bounds, size_t count, struct clock_fit *fit);
void clock_fit_clear(struct clock_fit *fit);
/* A time of the other clock, by this one. */
uint64_t clock_fit_time(const struct clock_fit *fit, uint64_t time_ns);
