/* SPDX-License-Identifier: BSD-2-Clause */
/* code_ranges - locations and the scope as ranges of the collector, sorted and without overlaps. */
#pragma once

#include "experiment/target/target_kinds.h"

/* Of a location; `value` goes into each range. To be freed. */
struct wire_range *code_ranges_of(const struct target_lookup *lookup, uint32_t location,
				  uint32_t value, size_t *count);
/* Of everything in scope. To be freed. */
struct wire_range *code_ranges_of_scope(const struct target_lookup *lookup, size_t *count);
/* Whether the location's code, in the units decoded so far, has the offset. */
bool code_ranges_hold(const struct target_lookup *lookup, uint32_t location, uint32_t object,
		      uint64_t offset);
