/* SPDX-License-Identifier: BSD-2-Clause */
/* series_length - how many of a target's windows are spent on probes for warm-up. */
#include "check.h"

#include "experiment/series_length.h"

#define WINDOW_NS 80000000ull
#define SERIES 48

typedef unsigned series_function(unsigned number, unsigned level, uint64_t window_ns);

static unsigned windows_of(series_function *length_of, unsigned level)
{
	unsigned windows = 0;

	for (unsigned i = 0; i < SERIES; i++)
		windows += length_of(i, level, WINDOW_NS);
	return windows;
}

TEST("where the unit is a request, probes take a fifth of the windows at most")
{
	CHECK(windows_of(series_length, 0) > SERIES * 3 / 2);
	CHECK(windows_of(series_length_of_requests, 0) > SERIES);
	CHECK(windows_of(series_length_of_requests, 0) <= SERIES * 5 / 4);
}

TEST("once a probe has found something, requests are probed as all others")
{
	for (unsigned i = 0; i < SERIES; i++)
		CHECK_EQUAL(series_length_of_requests(i, 1, WINDOW_NS),
			    series_length(i, 1, WINDOW_NS));
}
