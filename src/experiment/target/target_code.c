/* SPDX-License-Identifier: BSD-2-Clause */
/* target_code - lines and functions of the program, its libraries and the kernel. */
#include "experiment/target/target_kinds.h"

static int find(struct target_lookup *lookup, const char *name, uint32_t *location,
		struct error *error)
{
	return symbols_find(lookup->symbols, name, location, error);
}

const struct target_kind_row target_line = {.kind = TARGET_LINE, .is_in_files = true, .find = find};
const struct target_kind_row target_function = {.kind = TARGET_FUNCTION,
						.is_in_files = true,
						.find = find};

static void enable(struct collector_target_kinds *kinds, const char *name)
{
	(void)name;
	kinds->kernel = true;
}

static int find_kernel(struct target_lookup *lookup, const char *name, uint32_t *location,
		       struct error *error)
{
	return symbols_find_kernel(lookup->symbols, name, location, error);
}

const struct target_kind_row target_kernel = {
	.kind = TARGET_FUNCTION,
	.prefix = "kernel:",
	.enable = enable,
	.find = find_kernel,
};
