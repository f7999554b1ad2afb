/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * marks - the time of an annotation, compared with other ways of tracing.
 *
 *	marks WAY THREADS COUNT [PACE]
 *
 * Each thread executes WAY COUNT times: nothing, counter (reads the processor's counter, as each
 * annotation does), span (a begin and an end), instant, value, marker (a write to trace_marker),
 * null (the same to /dev/null), lttng (a tracepoint of LTTng-UST, if compiled with HAS_LTTNG).
 * PACE steps of work before each let the reader keep up. Prints ns of CPU time for each, less that
 * of the loop with the work alone.
 */
#include <lever.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef HAS_LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_marks.h"
#define LTTNG_MARK(value) lttng_ust_tracepoint(lever_bench, mark, value)
#else
#define LTTNG_MARK(value) abort()
#endif

#define THREADS_MOST 16
#define ROUNDS 20

static const char *way;
static long count, pace;
static int file = -1;

static double cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#define LOOP(body)                                         \
	for (long i = 0; i < count / ROUNDS; i++) {        \
		for (long step = 0; step < pace; step++)   \
			__asm__ volatile("" ::: "memory"); \
		body;                                      \
		__asm__ volatile("" ::: "memory");         \
	}

static double timed(int is_bare)
{
	static const char text[] = "B|1234|a name of a span";
	double start = cpu_ns();

	if (is_bare || !strcmp(way, "nothing")) {
		LOOP((void)0)
	} else if (!strcmp(way, "counter")) {
		unsigned long long ticks = 0;
		LOOP(ticks += lever_ticks(); __asm__ volatile("" : "+r"(ticks)))
	} else if (!strcmp(way, "lttng")) {
		LOOP(LTTNG_MARK(i))
	} else if (!strcmp(way, "span")) {
		LOOP(LEVER_BEGIN("bench"); LEVER_END("bench"))
	} else if (!strcmp(way, "instant")) {
		LOOP(LEVER_INSTANT("bench"))
	} else if (!strcmp(way, "value")) {
		LOOP(LEVER_INSTANT_VALUE("bench", i))
	} else {
		LOOP(if (write(file, text, sizeof(text) - 1) < 0) abort())
	}
	return (cpu_ns() - start) / (double)(count / ROUNDS);
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

/* The median of rounds, each with and without: a change of the machine's speed affects both. */
static void *run(void *result)
{
	double added[ROUNDS];

	for (int i = 0; i < ROUNDS; i++)
		added[i] = timed(0) - timed(1);
	qsort(added, ROUNDS, sizeof(double), compare);
	*(double *)result = added[ROUNDS / 2] / (strcmp(way, "span") ? 1 : 2);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MOST];
	double results[THREADS_MOST], sum = 0;
	int thread_count = argc > 2 ? atoi(argv[2]) : 0;

	if (argc < 4 || thread_count < 1 || thread_count > THREADS_MOST) {
		fprintf(stderr, "usage: marks WAY THREADS COUNT [PACE]\n");
		return 2;
	}
	way = argv[1];
	count = atol(argv[3]);
	pace = argc > 4 ? atol(argv[4]) : 0;
	if (!strcmp(way, "marker"))
		file = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	else if (!strcmp(way, "null"))
		file = open("/dev/null", O_WRONLY);
	for (int i = 0; i < thread_count; i++)
		pthread_create(&threads[i], NULL, run, &results[i]);
	for (int i = 0; i < thread_count; i++) {
		pthread_join(threads[i], NULL);
		sum += results[i];
	}
	printf("%.2f\n", sum / thread_count);
	return 0;
}
