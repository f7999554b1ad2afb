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
	struct symbols_addresses addresses = {0};
	int code = symbols_usdt(lookup->symbols, spec->group, spec->name, &addresses, error);

	if (!code)
		code = progress_attach_addresses(lookup, spec, &addresses, index, error);
	array_free(&addresses);
	return code;
}

const struct progress_kind progress_usdt = {
	.prefix = "usdt:",
	.form = "usdt:PROVIDER:NAME",
	.parse = parse,
	.attach = attach,
};
