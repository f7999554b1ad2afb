/* SPDX-License-Identifier: BSD-2-Clause */
/* progress_binaries - bin:GLOB:..., a point in all files that match, also in those mapped later. */
#include "experiment/progress/progress_kinds.h"

#include "base/cleanup.h"
#include "symbolize/scope.h"

#include <errno.h>
#include <string.h>

struct binaries_search {
	const struct point_spec *spec;
	char *glob;
	uint32_t searched; /* objects */
	unsigned index;    /* WIRE_POINTS_MOST until one is found */
};

void progress_binaries_free(struct progress_lookup *lookup)
{
	for (size_t i = 0; i < lookup->searches.count; i++)
		free(lookup->searches.items[i].glob);
	array_free(&lookup->searches);
}

static int search(struct progress_lookup *lookup, struct binaries_search *search,
		  struct error *error)
{
	uint32_t count = symbols_object_count(lookup->symbols);
	struct error absent;

	for (; search->searched < count; search->searched++) {
		const struct symbols_object *object =
			symbols_object(lookup->symbols, search->searched);
		if (symbols_is_kernel(lookup->symbols, search->searched) ||
		    !scope_glob_matches(search->glob, object->path))
			continue;
		int code = progress_attach_code(lookup, search->spec, search->searched,
						&search->index, &absent);
		if (!code || code == -ENOENT || code == -ENXIO)
			continue;
		if (error)
			*error = absent;
		return code;
	}
	return 0;
}

static struct binaries_search *search_of(struct progress_lookup *lookup,
					 const struct point_spec *spec)
{
	for (size_t i = 0; i < lookup->searches.count; i++)
		if (lookup->searches.items[i].spec == spec)
			return &lookup->searches.items[i];
	/* One file that exists is known before anything runs. */
	AUTO(text) char *file = *spec->group == '/' ? realpath(spec->group, NULL) : NULL;
	uint32_t object;
	if (file)
		symbols_add_object(lookup->symbols, file, NULL, false, &object, NULL);
	struct binaries_search *added = array_add(&lookup->searches);
	*added = (struct binaries_search){.spec = spec,
					  .glob = text_copy(file ? file : spec->group),
					  .index = WIRE_POINTS_MOST};
	return added;
}

static int attach(struct progress_lookup *lookup, const struct point_spec *spec, unsigned *index,
		  struct error *error)
{
	struct binaries_search *own = search_of(lookup, spec);
	int code = search(lookup, own, error);

	if (code)
		return code;
	*index = own->index;
	return own->index < WIRE_POINTS_MOST ?
		       0 :
		       error_set(error, -ENOENT, "no binary that matches '%s' has %s", spec->group,
				 spec->name);
}

static int search_more(struct progress_lookup *lookup, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < lookup->searches.count && !code; i++)
		code = search(lookup, &lookup->searches.items[i], error);
	return code;
}

const struct progress_kind progress_binaries = {
	.prefix = "bin:",
	.form = "bin:GLOB:FUNCTION or bin:GLOB:FILE:LINE",
	.parse = progress_split_group,
	.attach = attach,
	.search_more = search_more,
	.is_in_all_files = true,
};
