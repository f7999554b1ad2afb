/* SPDX-License-Identifier: BSD-2-Clause */
/* nearest - keeps the names of least distance. */
#include "symbolize/nearest.h"

#include "base/memory.h"
#include "base/text.h"

#include <limits.h>
#include <string.h>

void nearest_offer(struct nearest *nearest, const char *name, unsigned distance)
{
	unsigned at = nearest->count;

	if (distance == UINT_MAX || !name)
		return;
	for (unsigned i = 0; i < nearest->count; i++) {
		if (strcmp(nearest->names[i], name) == 0)
			return;
	}
	while (at > 0 && nearest->distances[at - 1] > distance)
		at--;
	if (at == NEAREST_MOST)
		return;
	if (nearest->count < NEAREST_MOST)
		nearest->count++;
	for (unsigned i = nearest->count - 1; i > at; i--) {
		nearest->names[i] = nearest->names[i - 1];
		nearest->distances[i] = nearest->distances[i - 1];
	}
	nearest->names[at] = name;
	nearest->distances[at] = distance;
}

char *nearest_text(const struct nearest *nearest, const char *lead)
{
	char *text = text_copy("");

	for (unsigned i = 0; i < nearest->count; i++) {
		char *longer = text_format("%s%s%s", text, i ? ", " : lead, nearest->names[i]);
		free(text);
		text = longer;
	}
	return text;
}

unsigned nearest_distance(const char *name, const char *wanted)
{
	size_t length = strlen(name), size = strlen(wanted);
	size_t allowed = size / 3 > 2 ? size / 3 : 2;
	size_t apart = length > size ? length - size : size - length;

	if (apart > allowed)
		return size >= 3 && apart < 40 && strcasestr(name, wanted) ?
			       (unsigned)(allowed + apart) :
			       UINT_MAX;
	unsigned distance = text_distance(name, wanted);
	return distance <= allowed ? distance : UINT_MAX;
}
