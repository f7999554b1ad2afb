/* SPDX-License-Identifier: BSD-2-Clause */
/* tick_cost - finds holes in this thread's time; ticks are the longest ones. */
#include "collect/tick_cost.h"

#include "base/clock.h"

#include <stdlib.h>

#define HOLE_NS 1000ull /* the clock is read every 30 ns: a longer hole is an interrupt */

static int by_size(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return left < right ? -1 : left > right;
}

size_t tick_cost_find_holes(uint64_t holes[TICK_COST_HOLES_MOST], uint64_t duration_ns)
{
	uint64_t start = clock_now_ns(), before = start;
	size_t count = 0;

	while (before - start < duration_ns) {
		uint64_t now = clock_now_ns();
		if (now - before > HOLE_NS && count < TICK_COST_HOLES_MOST)
			holes[count++] = now - before;
		before = now;
	}
	qsort(holes, count, sizeof(*holes), by_size);
	return count;
}

uint64_t tick_cost_of(const uint64_t *holes, size_t count, size_t ticks, unsigned quarters)
{
	if (!ticks || count < ticks / 2)
		return 0; /* the host held the ticks back */
	if (ticks > count)
		ticks = count;
	return holes[count - ticks + ticks * quarters / 4];
}

uint64_t tick_cost_mean(const uint64_t *holes, size_t count, size_t ticks)
{
	uint64_t most = tick_cost_of(holes, count, ticks, 1) * 3 / 2, sum = 0;

	if (!most)
		return 0;
	if (ticks > count)
		ticks = count;
	for (size_t i = count - ticks; i < count; i++)
		sum += holes[i] < most ? holes[i] : most;
	return sum / ticks;
}
