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

/* A name without a compiler's additions, and without parameters; NULL: unknown. */
struct match_key {
	char *normal, *base;
	const char *file;
};

static struct match_key *keys_of(const struct function_name *names, size_t count)
{
	struct match_key *keys = memory_new(count + 1, sizeof(*keys));

	for (size_t i = 0; i < count; i++) {
		keys[i].file = names[i].file;
		keys[i].normal = function_match_normal(names[i].name);
		if (!keys[i].normal)
			continue;
		keys[i].base = text_copy(keys[i].normal);
		keys[i].base[strcspn(keys[i].base, "(<")] = 0;
	}
	return keys;
}

static void keys_free(struct match_key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(keys[i].normal);
		free(keys[i].base);
	}
	free(keys);
}

static bool in_same_file(const struct match_key *a, const struct match_key *b)
{
	return a->file && b->file && !strcmp(path_base(a->file), path_base(b->file));
}

static bool is_equal(const struct match_key *a, const struct match_key *b)
{
	return !strcmp(a->normal, b->normal);
}

/* "ns::find(int)" and "ns::find(long)" */
static bool has_equal_base(const struct match_key *a, const struct match_key *b)
{
	return *a->base && !strcmp(a->base, b->base) &&
	       (!a->file || !b->file || in_same_file(a, b));
}

static bool is_similar(const struct match_key *a, const struct match_key *b)
{
	if (!in_same_file(a, b))
		return false;
	size_t left = strlen(a->normal), right = strlen(b->normal);
	size_t most = left > right ? left : right;
	return text_distance(a->normal, b->normal) * DISTANCE_SHARE <= most;
}

typedef bool is_match(const struct match_key *a, const struct match_key *b);

void function_match(const struct function_name *before, size_t before_count,
		    const struct function_name *after, size_t after_count, size_t *matches)
{
	static is_match *const passes[] = {is_equal, has_equal_base, is_similar};
	bool *is_taken = memory_new(after_count + 1, sizeof(*is_taken));
	struct match_key *left = keys_of(before, before_count);
	struct match_key *right = keys_of(after, after_count);

	for (size_t i = 0; i < before_count; i++)
		matches[i] = FUNCTION_MATCH_NONE;
	for (size_t pass = 0; pass < sizeof(passes) / sizeof(passes[0]); pass++)
		for (size_t i = 0; i < before_count; i++)
			for (size_t j = 0; j < after_count; j++) {
				if (matches[i] != FUNCTION_MATCH_NONE || is_taken[j] ||
				    !left[i].normal || !right[j].normal ||
				    !passes[pass](&left[i], &right[j]))
					continue;
				matches[i] = j;
				is_taken[j] = true;
			}
	keys_free(left, before_count);
	keys_free(right, after_count);
	free(is_taken);
}
