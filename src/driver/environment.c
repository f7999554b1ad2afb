/* SPDX-License-Identifier: BSD-2-Clause */
/* environment - an array of owned texts. */
#include "driver/environment.h"

#include <stdbool.h>

void environment_add(struct environment *environment, const char *entry)
{
	*array_add(environment) = text_copy(entry);
}

void environment_add_default(struct environment *environment, const char *name, const char *value)
{
	if (value && !getenv(name))
		*array_add(environment) = text_format("%s=%s", name, value);
}

void environment_preload(struct environment *environment, const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	bool has_old = old && *old;

	*array_add(environment) =
		text_format("LD_PRELOAD=%s%s%s", library, has_old ? ":" : "", has_old ? old : "");
}

const char *const *environment_entries(struct environment *environment)
{
	*array_add(environment) = NULL;
	return (const char *const *)environment->items;
}

void environment_auto_release(struct environment *environment)
{
	for (size_t i = 0; i < environment->count; i++)
		free(environment->items[i]);
	array_free(environment);
}
