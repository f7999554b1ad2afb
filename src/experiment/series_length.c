/* SPDX-License-Identifier: BSD-2-Clause */
/* series_length - mostly one window; probes come more often at first. */
#include "experiment/series_length.h"

#include "stats/warm_up.h"

#define PROBE_LONGEST_NS 3000000000ull /* a series that only tests for warm-up */
#define SERIES_LONGEST_NS 15000000000ull
#define FIRST_PROBE 2            /* of a target's series */
#define REQUESTS_PROBE_ONE_OF 12 /* series */

static unsigned limited(unsigned length, uint64_t window_ns)
{
	unsigned most = (unsigned)(SERIES_LONGEST_NS / window_ns);

	return most < 1 ? 1 : length < most ? length : most;
}

unsigned series_length(unsigned number, unsigned level, uint64_t window_ns)
{
	unsigned usual = level + 1 == WARM_UP_LEVELS ? warm_up_series(level) :
			 level                       ? 2 * warm_up_skipped(level) :
						       1;
	unsigned probe = usual;

	if (level + 1 < WARM_UP_LEVELS && number % (number < 16 ? 16 : 32) == 9)
		probe = warm_up_series(level + 1);
	else if (number % (number < 16 ? 4 : 8) == FIRST_PROBE)
		probe = warm_up_series(level);
	return limited(probe * window_ns > PROBE_LONGEST_NS ? usual : probe, window_ns);
}

unsigned series_length_of_requests(unsigned number, unsigned level, uint64_t window_ns)
{
	if (level)
		return series_length(number, level, window_ns);
	return number % REQUESTS_PROBE_ONE_OF == FIRST_PROBE ?
		       series_length(FIRST_PROBE, level, window_ns) :
		       1;
}

unsigned series_length_longest(uint64_t window_ns)
{
	return limited(warm_up_series(WARM_UP_LEVELS - 1), window_ns);
}
