/* SPDX-License-Identifier: BSD-2-Clause */
/* target_spec - what a target or one of its members is. */
#include "experiment/target/target_spec.h"

#include "collect/collector.h"
#include "symbolize/symbols.h"

bool target_spec_is_among(const struct target_spec *spec, const uint32_t *locations, size_t count)
{
	size_t member_count;
	const struct target_member *members = target_spec_members(spec, &member_count);

	for (size_t i = 0; i < member_count; i++)
		for (size_t j = 0; j < count; j++)
			if (members[i].code == locations[j])
				return true;
	return false;
}

bool target_spec_has_class(const struct target_spec *spec, uint32_t class)
{
	size_t count;
	const struct target_member *members = target_spec_members(spec, &count);

	for (size_t i = 0; i < count; i++)
		if (members[i].code == SYMBOLS_NONE && members[i].classes & WAIT_CLASS_BIT(class))
			return true;
	return false;
}
