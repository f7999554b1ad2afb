/* SPDX-License-Identifier: BSD-2-Clause */
/* target_inclusive - functions with all that they call: found anywhere in a call chain. */
#include "experiment/target/target_kinds.h"

static void enable(struct collector_target_kinds *kinds, const char *name)
{
	(void)name;
	kinds->callers = true;
}

static int find(struct target_lookup *lookup, const char *name, uint32_t *location,
		struct error *error)
{
	return symbols_find_inclusive(lookup->symbols, name, location, error);
}

const struct target_kind_row target_inclusive = {
	.kind = TARGET_INCLUSIVE,
	.prefix = SYMBOLS_INCLUSIVE_PREFIX,
	.is_in_files = true,
	.enable = enable,
	.find = find,
};
