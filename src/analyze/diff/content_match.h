/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * content_match - functions of two builds by what their sampled source lines say.
 *
 * A line tells where code has gone if no other function of its build has one that says the same. A
 * function is another one, with another name in another file, if such lines are half of the sampled
 * time of both. Its code is in another one, which it was inlined into or joined, if those that it
 * shares with that are half of its own time; likewise one that was split off after.
 */
#pragma once

#include <stddef.h>

/* A sampled line. */
struct content_line {
	const char *content; /* equal: they say the same; NULL: unknown */
	size_t function;     /* number */
	double sampled_ns;
};

struct content_side {
	const struct content_line *lines;
	size_t line_count, function_count;
};

/* Both sides of a comparison. */
struct content_sides {
	struct content_side before, after;
};

/* Sets matches[i], as function_match does, of functions that have none. */
void content_match(const struct content_sides *sides, size_t *matches);
/*
 * Of functions without a match: into[i] is the number in `after` of the matched function that has
 * before[i]'s code, from[j] the number in `before` of the one that had after[j]'s.
 * FUNCTION_MATCH_NONE: none.
 */
void content_match_joined(const struct content_sides *sides, const size_t *matches, size_t *into,
			  size_t *from);
