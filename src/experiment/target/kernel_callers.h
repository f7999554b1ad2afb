/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_callers - sampled time of kernel locations by system call and by the code that called. */
#pragma once

#include "base/memory.h"
#include "collect/collector.h"

struct kernel_caller {
	uint32_t location, user_location; /* user: SYMBOLS_NONE without user code in scope */
	int system_call;                  /* -1: none */
	uint64_t samples, sampled_ns;
};

struct kernel_callers_found {
	ARRAY(struct kernel_caller) items;
};

void kernel_callers_count(struct kernel_callers_found *callers, uint32_t location,
			  uint32_t user_location, const struct wire_sample *sample);
