/* SPDX-License-Identifier: BSD-2-Clause */
/* progress_usdt - usdt:PROVIDER:NAME, a static probe in the program or a library. */
#include "experiment/progress/progress_kinds.h"

#include <string.h>

static bool parse(struct point_spec *spec, const char *rest)
{
	return progress_split_group(spec, rest) && !strchr(spec->name, ':');
}

static int attach(struct progress_lookup *lookup, const struct point_spec *spec, unsigned *index,
		  struct error *error)
{
	struct symbols_usdt probes[PROGRESS_ADDRESSES_MOST];
	struct progress_name name = progress_name_of(spec->text);
	size_t count = 0;
	int code = symbols_usdt(lookup->symbols, spec->group, spec->name, probes,
				PROGRESS_ADDRESSES_MOST, &count, error);

	for (size_t i = 0; !code && i < count && i < PROGRESS_ADDRESSES_MOST; i++)
		code = collector_add_point_uprobe(lookup->collector, name.text,
						  progress_path(lookup, probes[i].object),
						  probes[i].offset, probes[i].semaphore_offset,
						  index, error);
	return code;
}

const struct progress_kind progress_usdt = {
	.prefix = "usdt:",
	.form = "usdt:PROVIDER:NAME",
	.parse = parse,
	.attach = attach,
};
