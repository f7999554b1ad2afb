/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress_requests - requests, requests:PORT, requests:/PATH: a message in and the answer out on a
 * connection that the program has accepted.
 */
#include "experiment/progress/progress_kinds.h"

#include "base/text.h"
#include "collect/requests.h"

#include <string.h>

static bool parse_any(struct point_spec *spec, const char *rest)
{
	spec->name = NULL;
	return !strcmp(rest, "requests");
}

static bool parse(struct point_spec *spec, const char *rest)
{
	uint64_t port;

	(void)spec;
	if ((*rest == '/' || *rest == '@') && rest[1])
		return strlen(rest) < WIRE_UNIX_PATH_BYTES;
	return text_to_unsigned(rest, &port) && port > 0 && port <= UINT16_MAX;
}

static int attach(struct progress_lookup *lookup, const struct point_spec *spec, unsigned *index,
		  struct error *error)
{
	struct collector_connections connections = {0};
	uint64_t port;

	if (spec->name && text_to_unsigned(spec->name, &port))
		connections.port = (uint16_t)port;
	else
		connections.path = spec->name;
	return collector_add_point_requests(lookup->collector, progress_name_of(spec->text).text,
					    &connections, index, error);
}

const struct progress_kind progress_requests = {
	.parse = parse_any,
	.attach = attach,
	.never_appears_late = true,
	.counts_requests = true,
};

const struct progress_kind progress_requests_of = {
	.prefix = "requests:",
	.form = "requests:PORT, requests:/PATH or requests:@NAME (a Unix socket)",
	.parse = parse,
	.attach = attach,
	.never_appears_late = true,
	.counts_requests = true,
};
