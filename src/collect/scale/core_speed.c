/* SPDX-License-Identifier: BSD-2-Clause */
/* core_speed - times a loop piece by piece; the fastest pieces were not interrupted. */
#include "collect/scale/core_speed.h"

#include "base/clock.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define PIECE_LOOPS 100000u
#define MEASURE_NS 12000000ull
#define CORES_MOST CPU_SETSIZE
#define PIECES_MOST 4096

struct measurement {
	int core;
	pthread_mutex_t *gate; /* held until all may begin; NULL: this core alone is measured */
	double core_speed;
};

/* Each step needs the result of the last, so neither compiler nor core can shorten it. */
static uint64_t piece_ns(void)
{
	uint64_t begin = clock_now_ns();
	uint32_t value = (uint32_t)begin | 1;

	for (uint32_t i = 0; i < PIECE_LOOPS; i++)
		value = value * 1664525u + 1013904223u;
	uint64_t end = clock_now_ns();
	return end - begin + (value == 0);
}

static int by_size(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

static void *measure(void *context)
{
	struct measurement *measurement = context;
	uint64_t pieces[PIECES_MOST], begin;
	size_t count = 0;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(measurement->core, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (measurement->gate) {
		pthread_mutex_lock(measurement->gate);
		pthread_mutex_unlock(measurement->gate);
	}
	begin = clock_now_ns();
	while (count < 3 || (clock_now_ns() - begin < MEASURE_NS && count < PIECES_MOST))
		pieces[count++] = piece_ns();
	qsort(pieces, count, sizeof(pieces[0]), by_size);
	/* The fastest quarter's slowest: not interrupted, and no outlier. */
	measurement->core_speed = PIECE_LOOPS * 1e3 / (double)pieces[count / 4];
	return NULL;
}

static double alone_on(int core)
{
	struct measurement measurement = {.core = core};
	pthread_t thread;

	if (pthread_create(&thread, NULL, measure, &measurement))
		return 0;
	pthread_join(thread, NULL);
	return measurement.core_speed;
}

static double together_on(const int *cores, unsigned count)
{
	struct measurement *measurements = memory_new(count, sizeof(*measurements));
	pthread_t *threads = memory_new(count, sizeof(*threads));
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	unsigned started = 0;
	double sum = 0;

	pthread_mutex_lock(&gate);
	for (unsigned i = 0; i < count; i++) {
		measurements[started] = (struct measurement){.core = cores[i], .gate = &gate};
		started +=
			!pthread_create(&threads[started], NULL, measure, &measurements[started]);
	}
	pthread_mutex_unlock(&gate);
	for (unsigned i = 0; i < started; i++) {
		pthread_join(threads[i], NULL);
		sum += measurements[i].core_speed;
	}
	free(measurements);
	free(threads);
	return started ? sum / started : 0;
}

struct core_speed core_speed_measure(const cpu_set_t *cores)
{
	struct core_speed core_speed = {0};
	int list[CORES_MOST];
	unsigned count = 0;

	for (int core = 0; core < CPU_SETSIZE && count < CORES_MOST; core++)
		if (CPU_ISSET(core, cores))
			list[count++] = core;
	if (!count)
		return core_speed;
	/* The first and the last: on some machines they differ. */
	core_speed.alone = (alone_on(list[0]) + alone_on(list[count - 1])) / 2;
	core_speed.together = count > 1 ? together_on(list, count) : core_speed.alone;
	return core_speed;
}
