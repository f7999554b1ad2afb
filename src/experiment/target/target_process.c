/* SPDX-License-Identifier: BSD-2-Clause */
/* target_process - all processes of a name, with what they do in the kernel. */
#include "experiment/target/process_names.h"
#include "experiment/target/target_kinds.h"

#include <string.h>

/* A process of this name may start at any time. */
static int find(struct target_lookup *lookup, const char *name, uint32_t *location,
		struct error *error)
{
	struct kernel_name known = process_names_cut(name);

	(void)error;
	*location = symbols_process_name(lookup->symbols, known.text);
	return 0;
}

static uint32_t location_of(struct target_lookup *lookup, const struct wire_sample *sample)
{
	return lookup->process_names ? process_names_at(lookup->process_names, sample->tgid) :
				       SYMBOLS_NONE;
}

static struct wire_range range(const struct target_lookup *lookup, uint32_t location)
{
	const char *name = symbols_location(lookup->symbols, location)->name;
	struct kernel_name known = process_names_cut(name + strlen(SYMBOLS_PROCESS_PREFIX));
	uint64_t key = kernel_name_key(&known);

	return (struct wire_range){.object = WIRE_OBJECT_PROCESSES, .start = key, .end = key + 1};
}

const struct target_kind_row target_process = {
	.kind = TARGET_PROCESS,
	.prefix = SYMBOLS_PROCESS_PREFIX,
	.needs_kernel_engine = true,
	.find = find,
	.location_of = location_of,
	.range = range,
};
