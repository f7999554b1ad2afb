/* SPDX-License-Identifier: BSD-2-Clause */
/* target_system_call - system calls as targets; for the collector, the range of one number. */
#include "experiment/target/target_kinds.h"

#include "symbolize/kernel/system_calls.h"

static void enable(struct collector_target_kinds *kinds, const char *name)
{
	(void)name;
	kinds->calls = true;
}

static int find(struct target_lookup *lookup, const char *name, uint32_t *location,
		struct error *error)
{
	return symbols_find_system_call(lookup->symbols, name, location, error);
}

static uint32_t location_of(struct target_lookup *lookup, const struct wire_sample *sample)
{
	return sample->system_call < 0 ? SYMBOLS_NONE :
					 symbols_system_call(lookup->symbols, sample->system_call);
}

static struct wire_range range(const struct target_lookup *lookup, uint32_t location)
{
	struct wire_range result = {.object = WIRE_OBJECT_SYSTEM_CALLS};
	const struct range *number;

	if (symbols_location_ranges(lookup->symbols, location, &number)) {
		result.start = number->start;
		result.end = number->end;
	}
	return result;
}

const struct target_kind_row target_system_call = {
	.kind = TARGET_SYSTEM_CALL,
	.prefix = SYSTEM_CALL_PREFIX,
	.needs_kernel_engine = true,
	.enable = enable,
	.find = find,
	.location_of = location_of,
	.range = range,
};
