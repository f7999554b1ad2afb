/* SPDX-License-Identifier: BSD-2-Clause */
/* target_pattern - by the table of target kinds. */
#include "experiment/target/target_pattern.h"

#include "symbolize/patterns.h"

#include <fnmatch.h>
#include <string.h>

bool target_pattern_is(const char *name)
{
	static const char operator[] = "operator";
	size_t length = strlen(operator);
	int depth = 0;

	for (const char *at = name; *at; at++) {
		bool is_operator =
			(size_t)(at - name) >= length && !strncmp(at - length, operator, length);
		if (strchr("(<{", *at))
			depth++;
		else if (strchr(")>}", *at))
			depth--;
		else if (strchr("*?", *at) && depth <= 0 && !is_operator)
			return true;
	}
	return false;
}

const char *target_pattern_glob(const char *name)
{
	const char *prefix = target_kind_of_name(name)->prefix;
	return name + (prefix ? strlen(prefix) : 0);
}

/* Of the program or the kernel. */
bool target_pattern_is_code(const char *name)
{
	enum target_kind kind = target_kind_of_name(name)->kind;
	return kind == TARGET_LINE || kind == TARGET_FUNCTION || kind == TARGET_INCLUSIVE;
}

bool target_pattern_is_kernel(const char *name)
{
	return target_kind_of_name(name)->kind == TARGET_FUNCTION;
}

enum target_kind target_pattern_granularity(const char *name, enum target_kind asked)
{
	enum target_kind kind = target_kind_of_name(name)->kind;

	if (kind != TARGET_LINE)
		return kind;
	return asked == TARGET_INCLUSIVE ? asked : TARGET_FUNCTION;
}

int target_pattern_find(struct target_lookup *lookup, const char *name, struct error *error)
{
	if (!target_pattern_is_code(name))
		return 0; /* seen when one is sampled */
	return symbols_find_pattern(lookup->symbols, target_pattern_glob(name),
				    target_pattern_is_kernel(name), error);
}

bool target_pattern_matches(const char *name, const struct symbols_location *location)
{
	if (!target_pattern_is_code(name))
		return !fnmatch(name, location->name, 0);
	return location->function &&
	       symbols_name_matches(location->function, target_pattern_glob(name));
}
