/* SPDX-License-Identifier: BSD-2-Clause */
/* tick_cost - finds the holes of ticks in this thread's time. */
#include "collect/tick_cost.h"

#include "base/clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>

#define HOLE_NS 1000ull /* the clock is read every 30 ns: a longer hole is an interrupt */

static int by_size(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return left < right ? -1 : left > right;
}

static uint64_t count_of(const volatile uint64_t *ticks)
{
	return ticks ? *ticks : 0;
}

/* Of this thread, by others that took its core. */
static long interruptions(void)
{
	struct rusage usage = {0};

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

size_t tick_cost_find_holes(uint64_t holes[TICK_COST_HOLES_MOST], size_t count,
			    uint64_t duration_ns, const volatile uint64_t *ticks)
{
	uint64_t start = clock_now_ns(), before = start;
	uint64_t last = count_of(ticks), earlier = last;
	long interrupted = interruptions();

	while (before - start < duration_ns) {
		uint64_t now = clock_now_ns(), seen = count_of(ticks);
		/* The tick came before or after the count was read the last time. */
		bool is_tick = !ticks || seen - earlier == 1;
		if (now - before > HOLE_NS) {
			long before_hole = interrupted;
			interrupted = interruptions();
			is_tick = is_tick && interrupted == before_hole;
			if (is_tick && count < TICK_COST_HOLES_MOST)
				holes[count++] = now - before;
			now = clock_now_ns();
		}
		before = now;
		earlier = last;
		last = seen;
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
