/* SPDX-License-Identifier: BSD-2-Clause */
/* levels - a sorted list of levels of parallelism. */
#include "analyze/scale/parts.h"

#include <string.h>

struct parallel_level *scale_find_or_add_level(struct level_list *levels, unsigned threads)
{
	size_t at = 0;

	while (at < levels->count && levels->items[at].threads < threads)
		at++;
	if (at < levels->count && levels->items[at].threads == threads)
		return &levels->items[at];
	(void)array_add(levels);
	memmove(&levels->items[at + 1], &levels->items[at],
		(levels->count - 1 - at) * sizeof(levels->items[0]));
	levels->items[at] = (struct parallel_level){.threads = threads};
	return &levels->items[at];
}
