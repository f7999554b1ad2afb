/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_latency - ns of a load in random order from 256 KiB, which fit the core's own cache, from
 * 8 MiB, which fit a cache shared between cores, and from 64 MiB.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE_WORDS 16 /* of 4 bytes */

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* A cycle through all lines: each holds the index of the next. */
static uint32_t *circle(uint32_t lines)
{
	uint32_t *words = calloc(lines, LINE_WORDS * sizeof(*words));
	uint32_t *order = calloc(lines, sizeof(*order));

	if (!words || !order)
		exit(1);
	for (uint32_t i = 0; i < lines; i++)
		order[i] = i;
	for (uint32_t i = lines - 1; i; i--) {
		uint32_t other = (uint32_t)random() % (i + 1), kept = order[i];
		order[i] = order[other];
		order[other] = kept;
	}
	for (uint32_t i = 0; i < lines; i++)
		words[order[i] * LINE_WORDS] = order[(i + 1) % lines];
	free(order);
	return words;
}

static double load_ns(uint32_t bytes, uint32_t loads)
{
	uint32_t lines = bytes / LINE_WORDS / 4, at = 0;
	uint32_t *words = circle(lines);

	for (uint32_t i = 0; i < lines; i++)
		at = words[at * LINE_WORDS];
	double begin = now_ns();
	for (uint32_t i = 0; i < loads; i++)
		at = words[at * LINE_WORDS];
	double length = now_ns() - begin;
	free(words);
	/* The result is used, so the compiler keeps the loads. */
	return at == UINT32_MAX ? 0 : length / loads;
}

int main(void)
{
	double own = load_ns(256 << 10, 4000000), shared = load_ns(8 << 20, 1000000);

	printf("%.1f %.1f %.1f\n", own, shared, load_ns(64 << 20, 500000));
	return 0;
}
