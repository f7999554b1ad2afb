/* SPDX-License-Identifier: BSD-2-Clause */
/* function_match - six passes, from equal names to equal places. */
#include "analyze/diff/function_match.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"

#include <stdint.h>
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

/* Cuts `count` letters away at `at`, and writes `text` there, which is not longer. */
static void replace(char *at, size_t count, const char *text)
{
	size_t length = strlen(text);

	memcpy(at, text, length);
	memmove(at + length, at + count, strlen(at + count) + 1);
}

/* The length of a lambda's name: "$_0", "{lambda(int)#1}" or "{lambda:20}"; 0: it is none. */
static size_t lambda_length(const char *at)
{
	if (!strncmp(at, "$_", 2))
		return 2 + strspn(at + 2, "0123456789");
	if (!strncmp(at, "{lambda:", 8)) {
		size_t digits = strspn(at + 8, "0123456789");
		return at[8 + digits] == '}' ? 8 + digits + 1 : 0;
	}
	const char *end = strncmp(at, "{lambda(", 8) ? NULL : strstr(at, ")#");
	size_t length = end ? (size_t)(end + 2 - at) : 0;
	length += end ? strspn(end + 2, "0123456789") : 0;
	return length && at[length] == '}' ? length + 1 : 0;
}

/* Without what differs by compiler and C++ library, and without parameters. */
static char *portable_name(const char *normal)
{
	static const struct {
		const char *from, *to;
	} replaced[] = {
		{"std::__cxx11::", "std::"},
		{"std::__1::", "std::"},
		{"(anonymous namespace)::", ""},
	};
	char *name = text_copy(normal);

	for (size_t i = 0; i < sizeof(replaced) / sizeof(*replaced); i++)
		for (char *at = name; (at = strstr(at, replaced[i].from));)
			replace(at, strlen(replaced[i].from), replaced[i].to);
	for (char *at = name, *end; (at = strstr(at, "[abi:")) && (end = strchr(at, ']'));)
		replace(at, (size_t)(end + 1 - at), "");
	for (char *at = name; *at; at++)
		if (lambda_length(at))
			replace(at, lambda_length(at), "@");
	name[strcspn(name, "(<")] = 0;
	return name;
}

/* A name without a compiler's additions; `base` without parameters, too; NULL: unknown. */
struct match_key {
	char *normal, *base, *portable;
	const char *file;
	unsigned line;
	bool is_single; /* no other one that is not matched yet has this portable name */
};

static struct match_key *keys_of(const struct function_name *names, size_t count)
{
	struct match_key *keys = memory_new(count + 1, sizeof(*keys));

	for (size_t i = 0; i < count; i++) {
		keys[i].file = names[i].file;
		keys[i].line = names[i].line;
		keys[i].normal = function_match_normal(names[i].name);
		if (!keys[i].normal)
			continue;
		keys[i].base = text_copy(keys[i].normal);
		keys[i].base[strcspn(keys[i].base, "(<")] = 0;
		keys[i].portable = portable_name(keys[i].normal);
	}
	return keys;
}

static void keys_free(struct match_key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(keys[i].normal);
		free(keys[i].base);
		free(keys[i].portable);
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

/* Of another compiler, or of a file with another name. */
static bool is_same_elsewhere(const struct match_key *a, const struct match_key *b)
{
	return a->is_single && b->is_single && *a->portable && !strcmp(a->portable, b->portable);
}

typedef bool is_match(const struct match_key *a, const struct match_key *b);

struct side {
	struct match_key *keys;
	size_t count;
	bool *is_matched;
};

static void find_singles(struct side *side)
{
	for (size_t i = 0; i < side->count; i++) {
		struct match_key *key = &side->keys[i];
		key->is_single = key->normal && !side->is_matched[i];
		for (size_t j = 0; j < side->count && key->is_single; j++)
			key->is_single = j == i || side->is_matched[j] || !side->keys[j].normal ||
					 strcmp(key->portable, side->keys[j].portable) != 0;
	}
}

static void match_by(is_match *matches_with, struct side *left, struct side *right, size_t *matches)
{
	for (size_t i = 0; i < left->count; i++)
		for (size_t j = 0; j < right->count; j++) {
			if (left->is_matched[i] || right->is_matched[j] || !left->keys[i].normal ||
			    !right->keys[j].normal ||
			    !matches_with(&left->keys[i], &right->keys[j]))
				continue;
			matches[i] = j;
			left->is_matched[i] = right->is_matched[j] = true;
		}
}

/* The nearest function of the same file that is matched, above the line or below. */
static size_t neighbour_of(const struct side *side, size_t number, bool is_above)
{
	const struct match_key *key = &side->keys[number];
	size_t nearest = FUNCTION_MATCH_NONE;

	for (size_t i = 0; i < side->count; i++) {
		const struct match_key *other = &side->keys[i];
		if (!side->is_matched[i] || !other->line || !in_same_file(key, other) ||
		    (is_above ? other->line >= key->line : other->line <= key->line))
			continue;
		if (nearest == FUNCTION_MATCH_NONE ||
		    (is_above ? other->line > side->keys[nearest].line :
				other->line < side->keys[nearest].line))
			nearest = i;
	}
	return nearest;
}

/* Does the function stand as far from its neighbour as the other from what that has become? */
static bool is_as_far(const struct side *left, size_t number, size_t neighbour,
		      const struct side *right, size_t other, const size_t *matches)
{
	const struct match_key *moved = &right->keys[matches[neighbour]];

	return moved->line && in_same_file(moved, &right->keys[other]) &&
	       (int64_t)left->keys[number].line - left->keys[neighbour].line ==
		       (int64_t)right->keys[other].line - moved->line;
}

/* The function that stands where this one was; FUNCTION_MATCH_NONE: there is none. */
static size_t find_in_place(const struct side *left, size_t number, const struct side *right,
			    const size_t *matches)
{
	size_t neighbours[] = {neighbour_of(left, number, true), neighbour_of(left, number, false)};
	bool is_alone =
		neighbours[0] == FUNCTION_MATCH_NONE && neighbours[1] == FUNCTION_MATCH_NONE;

	for (size_t i = 0; i < right->count; i++) {
		const struct match_key *key = &right->keys[i];
		if (right->is_matched[i] || !key->normal || !key->line ||
		    !in_same_file(&left->keys[number], key))
			continue;
		bool is_there = is_alone && key->line == left->keys[number].line;
		for (unsigned j = 0; j < 2; j++)
			is_there = is_there ||
				   (neighbours[j] != FUNCTION_MATCH_NONE &&
				    is_as_far(left, number, neighbours[j], right, i, matches));
		if (is_there)
			return i;
	}
	return FUNCTION_MATCH_NONE;
}

/* Neighbours are those of the passes before. */
static void match_by_place(struct side *left, struct side *right, size_t *matches)
{
	size_t *found = memory_new(left->count + 1, sizeof(*found));

	for (size_t i = 0; i < left->count; i++)
		found[i] = left->is_matched[i] || !left->keys[i].normal || !left->keys[i].line ?
				   FUNCTION_MATCH_NONE :
				   find_in_place(left, i, right, matches);
	for (size_t i = 0; i < left->count; i++) {
		if (found[i] == FUNCTION_MATCH_NONE || right->is_matched[found[i]])
			continue;
		matches[i] = found[i];
		left->is_matched[i] = right->is_matched[found[i]] = true;
	}
	free(found);
}

static struct side side_of(const struct function_name *names, size_t count)
{
	return (struct side){.keys = keys_of(names, count),
			     .count = count,
			     .is_matched = memory_new(count + 1, sizeof(bool))};
}

static void side_free(struct side *side)
{
	keys_free(side->keys, side->count);
	free(side->is_matched);
}

static void match_by_content(const struct content_sides *lines, struct side *left,
			     struct side *right, size_t *matches)
{
	content_match(lines, matches);
	for (size_t i = 0; i < left->count; i++)
		if (matches[i] != FUNCTION_MATCH_NONE)
			left->is_matched[i] = right->is_matched[matches[i]] = true;
}

void function_match(const struct function_name *before, const struct function_name *after,
		    const struct content_sides *lines, size_t *matches)
{
	struct side left = side_of(before, lines->before.function_count);
	struct side right = side_of(after, lines->after.function_count);

	for (size_t i = 0; i < left.count; i++)
		matches[i] = FUNCTION_MATCH_NONE;
	match_by(is_equal, &left, &right, matches);
	match_by(has_equal_base, &left, &right, matches);
	find_singles(&left);
	find_singles(&right);
	match_by(is_same_elsewhere, &left, &right, matches);
	match_by_content(lines, &left, &right, matches);
	match_by(is_similar, &left, &right, matches);
	match_by_place(&left, &right, matches);
	side_free(&left);
	side_free(&right);
}

bool function_match_is_renamed(const struct function_name *before,
			       const struct function_name *after)
{
	struct match_key *keys[] = {keys_of(before, 1), keys_of(after, 1)};
	bool is_renamed = keys[0]->normal && keys[1]->normal &&
			  strcmp(keys[0]->portable, keys[1]->portable) != 0;

	keys_free(keys[0], 1);
	keys_free(keys[1], 1);
	return is_renamed;
}
