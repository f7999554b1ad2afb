/* SPDX-License-Identifier: BSD-2-Clause */
/* clock - the one clock of Lever: CLOCK_MONOTONIC in nanoseconds, as BPF's bpf_ktime_get_ns. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
