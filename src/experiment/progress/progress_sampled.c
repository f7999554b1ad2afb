/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress_sampled - sampled:FILE:LINE, a line whose sampled time stands for its visits; and
 * sampled:*, the CPU time in all code in scope.
 *
 * CPU time is progress as far as the work for a result stays the same: pauses are not sampled, so a
 * program that pauses less does more of it in its effective time.
 */
#include "experiment/progress/progress_kinds.h"

#include "experiment/target/code_ranges.h"

#include <errno.h>
#include <string.h>

static bool parse(struct point_spec *spec, const char *rest)
{
	(void)spec;
	return !strcmp(rest, "*") || progress_is_file_and_line(rest);
}

/* All code of all objects: a sample is looked up by its innermost code in scope. */
static int set_all(struct progress_lookup *lookup, struct error *error)
{
	uint32_t objects = symbols_object_count(lookup->symbols);
	struct wire_range all = {.end = UINT64_MAX, .value = lookup->all_index};
	int code;

	lookup->sampled.count = 0;
	for (all.object = 1; all.object <= objects && all.object < WIRE_RANGES_MOST; all.object++)
		*array_add(&lookup->sampled) = all;
	all.object = WIRE_OBJECT_PYTHON;
	*array_add(&lookup->sampled) = all;
	all.object = WIRE_OBJECT_NO_FILE;
	*array_add(&lookup->sampled) = all;
	code = collector_set_sampled(lookup->collector, lookup->sampled.items,
				     lookup->sampled.count);
	lookup->all_objects = objects;
	return code ? error_set(error, code, "cannot sample all code as progress") : 0;
}

static int attach_all(struct progress_lookup *lookup, const struct point_spec *spec,
		      unsigned *index, struct error *error)
{
	if (lookup->sampled.count)
		return error_set(error, -EINVAL,
				 "sampled:* and sampled:FILE:LINE exclude each other");
	int code = collector_add_point_sampled(lookup->collector, progress_name_of(spec->text).text,
					       index, error);
	lookup->all_index = *index;
	return code ? code : set_all(lookup, error);
}

static int search_more(struct progress_lookup *lookup, struct error *error)
{
	if (!lookup->all_objects || lookup->all_objects == symbols_object_count(lookup->symbols))
		return 0;
	return set_all(lookup, error);
}

static int attach(struct progress_lookup *lookup, const struct point_spec *spec, unsigned *index,
		  struct error *error)
{
	uint32_t location;
	size_t count;
	if (!strcmp(spec->name, "*"))
		return attach_all(lookup, spec, index, error);
	if (lookup->all_objects)
		return error_set(error, -EINVAL,
				 "sampled:* and sampled:FILE:LINE exclude each other");
	int code = symbols_find(lookup->symbols, spec->name, &location, error);

	code = code ? code :
		      collector_add_point_sampled(lookup->collector,
						  progress_name_of(spec->text).text, index, error);
	if (code)
		return code;
	struct wire_range *ranges =
		code_ranges_of(sampled_code_lookup(lookup->code), location, *index, &count);
	for (size_t i = 0; i < count; i++)
		*array_add(&lookup->sampled) = ranges[i];
	free(ranges);
	code = collector_set_sampled(lookup->collector, lookup->sampled.items,
				     lookup->sampled.count);
	return code ? error_set(error, code,
				"'%s' has too many ranges of code; at most %d are possible in all "
				"sampled points",
				spec->text, WIRE_RANGES_MOST) :
		      0;
}

const struct progress_kind progress_sampled = {
	.prefix = "sampled:",
	.form = "sampled:FILE:LINE or sampled:*",
	.parse = parse,
	.attach = attach,
	.search_more = search_more,
	.stored = POINT_SAMPLED,
};
