/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress_tracepoint - tracepoint:CATEGORY:NAME, an event of the kernel in the program's threads.
 */
#include "experiment/progress/progress_kinds.h"

#include <string.h>

static bool parse(struct point_spec *spec, const char *rest)
{
	return progress_split_group(spec, rest) && !strchr(spec->name, ':');
}

static int attach(struct progress_lookup *lookup, const struct point_spec *spec, unsigned *index,
		  struct error *error)
{
	return collector_add_point_tracepoint(lookup->collector, spec->group, spec->name,
					      progress_name_of(spec->text).text, index, error);
}

const struct progress_kind progress_tracepoint = {
	.prefix = "tracepoint:",
	.form = "tracepoint:CATEGORY:NAME",
	.parse = parse,
	.attach = attach,
	.never_appears_late = true,
};
