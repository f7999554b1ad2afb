/* SPDX-License-Identifier: BSD-2-Clause */
/* progress_sampled - sampled:FILE:LINE, a line whose sampled time stands for its visits. */
#include "experiment/progress/progress_kinds.h"

#include "experiment/target/code_ranges.h"

static bool parse(struct point_spec *spec, const char *rest)
{
	(void)spec;
	return progress_is_file_and_line(rest);
}

static int attach(struct progress_lookup *lookup, const struct point_spec *spec, unsigned *index,
		  struct error *error)
{
	uint32_t location;
	size_t count;
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
	.form = "sampled:FILE:LINE",
	.parse = parse,
	.attach = attach,
	.stored = POINT_SAMPLED,
};
