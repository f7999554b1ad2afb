/* SPDX-License-Identifier: BSD-2-Clause */
/* target_kinds - the table of target kinds. */
#include "experiment/target/target_kinds.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

/* The name for --granularity, and the row; those without such a name stand last. */
#define TARGET_KINDS(KIND)                  \
	KIND("line", target_line)           \
	KIND("function", target_function)   \
	KIND("span", target_span)           \
	KIND("syscall", target_system_call) \
	KIND("inclusive", target_inclusive) \
	KIND("process", target_process)     \
	KIND("all", target_all)             \
	KIND(NULL, target_kernel)           \
	KIND(NULL, target_class)

#define DECLARE(name, row) extern const struct target_kind_row row;
#define GRANULARITY(name, row) name,
#define ROW(name, row) &(row),
TARGET_KINDS(DECLARE)
const char *const target_granularities[] = {TARGET_KINDS(GRANULARITY)};
static const struct target_kind_row *const rows[] = {TARGET_KINDS(ROW)};
#define ROWS (sizeof(rows) / sizeof(*rows))

const struct target_kind_row *target_granularity(int index)
{
	return rows[index];
}

const struct target_kind_row *target_kind_row(enum target_kind kind)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i]->kind == kind)
			return rows[i];
	return NULL;
}

const struct target_kind_row *target_kind_of_name(const char *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i]->prefix && text_starts_with(name, rows[i]->prefix))
			return rows[i];
	return &target_line;
}

static bool ends_in_line(const char *name)
{
	const char *colon = strrchr(name, ':');

	return colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
}

const char *target_name_of_function(const char *name, struct error *error)
{
	const char *function = name + strlen(TARGET_FUNCTION_PREFIX);

	/* "func::NAME" is in a C++ namespace of that name. */
	if (!text_starts_with(name, TARGET_FUNCTION_PREFIX) || *function == ':')
		return name;
	if (*function && !ends_in_line(function) && target_kind_of_name(function) == &target_line)
		return function;
	error_set(error, -EINVAL,
		  "'%s' names no function; func: stands before a function or a pattern, like "
		  "'func:compress_*'",
		  name);
	return NULL;
}

/* A prefix that is nearly the beginning of the name, as of "sycall:read"; NULL: none. */
static const char *prefix_like(const char *name)
{
	const char *prefixes[ROWS], *colon = strchr(name, ':');
	size_t count = 0;

	for (size_t i = 0; i < ROWS; i++)
		if (rows[i]->prefix)
			prefixes[count++] = rows[i]->prefix;
	if (!colon)
		return NULL;
	AUTO(text) char *word = text_format("%.*s", (int)(colon + 1 - name), name);
	return text_nearest(word, prefixes, count);
}

/* To the sentence of a function that is not there and has no like. */
static void add_remedy(const char *name, struct error *error)
{
	const char *prefix = prefix_like(name);

	if (prefix)
		error_add_remedy(error, "did you mean '%s%s'?", prefix, strchr(name, ':') + 1);
	else if (text_starts_with(error->text, "no function"))
		error_add_remedy(error, "\"nm -C FILE\" lists those of a binary");
}

int target_kind_find(struct target_lookup *lookup, const char *name, uint32_t *location,
		     struct error *error)
{
	const struct target_kind_row *row = target_kind_of_name(name);
	size_t prefix = row->prefix ? strlen(row->prefix) : 0;

	int code = row->find(lookup, name + prefix, location, error);
	if (code == -ENOENT && row == &target_line && error)
		add_remedy(name, error);
	return code;
}

void target_kinds_enable(struct collector_target_kinds *kinds, enum target_kind granularity,
			 const char *name)
{
	const struct target_kind_row *named = name ? target_kind_of_name(name) : NULL;
	const struct target_kind_row *drawn = target_kind_row(granularity);

	if (named && named->enable)
		named->enable(kinds, name + strlen(named->prefix));
	if (drawn->enable)
		drawn->enable(kinds, NULL);
}
