/* SPDX-License-Identifier: BSD-2-Clause */
/* progress_code - points at lines and functions, and points of lever.h and coz.h by their names. */
#include "experiment/progress/progress_kinds.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool progress_split_group(struct point_spec *spec, const char *rest)
{
	const char *colon = strchr(rest, ':');

	if (!colon || colon == rest || !colon[1])
		return false;
	spec->group = text_format("%.*s", (int)(colon - rest), rest);
	spec->name = colon + 1;
	return true;
}

bool progress_is_file_and_line(const char *text)
{
	const char *colon = strrchr(text, ':');
	uint64_t line;

	return colon && colon > text && text_to_unsigned(colon + 1, &line) && line > 0;
}

struct progress_name progress_name_of(const char *text)
{
	struct progress_name name;

	if (strlen(text) < sizeof(name.text)) {
		strcpy(name.text, text);
		return name;
	}
	snprintf(name.text, sizeof(name.text), "%.30s#%016" PRIx64, text, hash_text(text));
	return name;
}

int progress_attach_addresses(struct progress_lookup *lookup, const struct point_spec *spec,
			      const struct symbols_addresses *addresses, unsigned *index,
			      struct error *error)
{
	struct progress_name name = progress_name_of(spec->text);
	int code = 0;

	for (size_t i = 0; !code && i < addresses->count; i++) {
		const struct symbols_object *object =
			symbols_object(lookup->symbols, addresses->items[i].object);
		const struct collector_code location = {
			.path = object->path,
			.fd = object->fd,
			.offset = addresses->items[i].offset,
			.semaphore_offset = addresses->items[i].semaphore_offset,
		};
		code = collector_add_point_uprobe(lookup->collector, name.text, &location, index,
						  error);
	}
	return code;
}

int progress_attach_code(struct progress_lookup *lookup, const struct point_spec *spec,
			 uint32_t only, unsigned *index, struct error *error)
{
	struct symbols_addresses addresses = {0};
	int code = symbols_breakpoints(lookup->symbols, spec->name, only, &addresses, error);

	if (!code)
		code = progress_attach_addresses(lookup, spec, &addresses, index, error);
	array_free(&addresses);
	return code;
}

static bool parse_line(struct point_spec *spec, const char *rest)
{
	(void)spec;
	return progress_is_file_and_line(rest);
}

static int attach_line(struct progress_lookup *lookup, const struct point_spec *spec,
		       unsigned *index, struct error *error)
{
	return progress_attach_code(lookup, spec, SYMBOLS_NONE, index, error);
}

const struct progress_kind progress_line = {
	.form = "FILE:LINE",
	.parse = parse_line,
	.attach = attach_line,
};

static bool parse_name(struct point_spec *spec, const char *rest)
{
	(void)spec;
	return *rest;
}

/* A lever.h point may have any name: one that no function has is absent, not mistaken. */
static int attach_function(struct progress_lookup *lookup, const struct point_spec *spec,
			   unsigned *index, struct error *error)
{
	int code = progress_attach_code(lookup, spec, SYMBOLS_NONE, index, error);
	return code == -ENXIO ? -ENOENT : code;
}

const struct progress_kind progress_function = {
	.form = "FUNCTION",
	.parse = parse_name,
	.attach = attach_function,
	.may_be_in_program = true,
};

static int attach_point(struct progress_lookup *lookup, const struct point_spec *spec,
			unsigned *index, struct error *error)
{
	(void)lookup;
	(void)index;
	return error_set(error, -ENOENT, "no progress point %s", spec->name);
}

const struct progress_kind progress_point = {
	.prefix = "point:",
	.form = "point:NAME",
	.parse = parse_name,
	.attach = attach_point,
	.may_be_in_program = true,
};
