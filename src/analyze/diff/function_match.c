/* SPDX-License-Identifier: BSD-2-Clause */
/* function_match - three passes, from equal names to similar ones. */
#include "analyze/diff/function_match.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"

#include <string.h>

#define DISTANCE_SHARE 4 /* at most a quarter of the letters differ */

static const char *const additions[] = {
	" [clone", ".part.",      ".cold",   ".constprop.", ".isra.", ".lto_priv.",
	".llvm.",  ".localalias", ".clone.", "@@",          "@plt",
};

char *function_match_normal(const char *name)
{
	if (!name)
		return NULL;
	char *normal = text_copy(name);
	for (size_t i = 0; i < sizeof(additions) / sizeof(additions[0]); i++) {
		char *at = strstr(normal, additions[i]);
		if (at && at > normal)
			*at = 0;
	}
	return normal;
}

static bool in_same_file(const struct function_name *a, const struct function_name *b)
{
	return a->file && b->file && !strcmp(path_base(a->file), path_base(b->file));
}

static bool is_equal(const struct function_name *a, const struct function_name *b)
{
	AUTO(text) char *left = function_match_normal(a->name);
	AUTO(text) char *right = function_match_normal(b->name);

	return left && right && !strcmp(left, right);
}

/* "ns::find(int)" and "ns::find(long)" */
static bool has_equal_base(const struct function_name *a, const struct function_name *b)
{
	AUTO(text) char *left = function_match_normal(a->name);
	AUTO(text) char *right = function_match_normal(b->name);

	if (!left || !right || (a->file && b->file && !in_same_file(a, b)))
		return false;
	left[strcspn(left, "(<")] = 0;
	right[strcspn(right, "(<")] = 0;
	return *left && !strcmp(left, right);
}

static bool is_similar(const struct function_name *a, const struct function_name *b)
{
	AUTO(text) char *left = function_match_normal(a->name);
	AUTO(text) char *right = function_match_normal(b->name);

	if (!left || !right || !in_same_file(a, b))
		return false;
	size_t most = strlen(left) > strlen(right) ? strlen(left) : strlen(right);
	return text_distance(left, right) * DISTANCE_SHARE <= most;
}

typedef bool is_match(const struct function_name *a, const struct function_name *b);

void function_match(const struct function_name *before, size_t before_count,
		    const struct function_name *after, size_t after_count, size_t *matches)
{
	static is_match *const passes[] = {is_equal, has_equal_base, is_similar};
	bool *is_taken = memory_new(after_count, sizeof(*is_taken));

	for (size_t i = 0; i < before_count; i++)
		matches[i] = FUNCTION_MATCH_NONE;
	for (size_t pass = 0; pass < sizeof(passes) / sizeof(passes[0]); pass++)
		for (size_t i = 0; i < before_count; i++)
			for (size_t j = 0; j < after_count; j++) {
				if (matches[i] != FUNCTION_MATCH_NONE || is_taken[j] ||
				    !passes[pass](&before[i], &after[j]))
					continue;
				matches[i] = j;
				is_taken[j] = true;
			}
	free(is_taken);
}
