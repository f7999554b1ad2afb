/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_callers - one row for each location, system call and calling code. */
#include "experiment/target/kernel_callers.h"

void kernel_callers_count(struct kernel_callers_found *callers, uint32_t location,
			  uint32_t user_location, const struct wire_sample *sample)
{
	struct kernel_caller *caller = NULL;

	for (size_t i = 0; i < callers->items.count && !caller; i++) {
		struct kernel_caller *one = &callers->items.items[i];
		if (one->location == location && one->user_location == user_location &&
		    one->system_call == sample->system_call)
			caller = one;
	}
	if (!caller) {
		caller = array_add(&callers->items);
		*caller = (struct kernel_caller){.location = location,
						 .user_location = user_location,
						 .system_call = sample->system_call};
	}
	caller->samples++;
	caller->sampled_ns += sample->weight_ns;
}
