/* SPDX-License-Identifier: BSD-2-Clause */
/* nearest - the few known names that are nearest to what a user typed, for messages. */
#pragma once

#define NEAREST_MOST 3
struct nearest {
	const char *names[NEAREST_MOST]; /* borrowed; nearest first */
	unsigned distances[NEAREST_MOST];
	unsigned count;
};
void nearest_offer(struct nearest *nearest, const char *name, unsigned distance);
/* "LEADa, b", or "" if there are none. Free it. */
char *nearest_text(const struct nearest *nearest, const char *lead);
/* Distance of a name from a wanted one, UINT_MAX if too far to be offered. */
unsigned nearest_distance(const char *name, const char *wanted);
