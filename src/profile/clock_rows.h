/* SPDX-License-Identifier: BSD-2-Clause */
/* clock_rows - the part of recording.h on clocks of hosts that record together. */
#pragma once

#include <stdint.h>

/* At time_ns of the run's clock, that of the first run is ahead by low_ns to high_ns. */
struct recording_clock {
	int64_t run_id, first_run_id;
	uint64_t time_ns;
	int64_t low_ns, high_ns;
};
