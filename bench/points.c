/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * points - the time that a point of lever.h or liblever.so adds to a loop, in nanoseconds.
 *
 * Each round times every loop once, so a change of the machine's speed affects all. The figure is
 * the median over the rounds of (loop with the macro - empty loop) / iterations. It is compared
 * with a locked addition, as in coz.h.
 */
#include <lever.h>
#include <liblever.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 101
#define ITERATIONS 200000

static unsigned long long locked_count;
static uint32_t id;

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The barrier keeps the compiler from moving work out of the loop or from merging iterations. */
#define LOOP(function, body)                                                \
	__attribute__((noinline, aligned(64))) static double function(void) \
	{                                                                   \
		double start_ns = now_ns();                                 \
		for (int i = 0; i < ITERATIONS; i++) {                      \
			body;                                               \
			__asm__ volatile("" ::: "memory");                  \
		}                                                           \
		return (now_ns() - start_ns) / ITERATIONS;                  \
	}

LOOP(loop_empty, (void)0)
LOOP(loop_progress, LEVER_PROGRESS_NAMED("bench"))
LOOP(loop_pair, LEVER_BEGIN("bench"); LEVER_END("bench"))
LOOP(loop_span, LEVER_SPAN("bench"))
LOOP(loop_library_progress, lever_progress(id))
LOOP(loop_library_pair, lever_begin(id); lever_end(id))
LOOP(loop_library_counter, lever_counter(id, i))
LOOP(loop_locked, __atomic_add_fetch(&locked_count, 1, __ATOMIC_RELAXED))

static const struct measure {
	const char *name;
	double (*loop)(void);
	unsigned listening;
	unsigned points;  /* visited in one iteration */
	double budget_ns; /* for one point; 0: none */
} measures[] = {
	{"LEVER_PROGRESS_NAMED, no listener", loop_progress, 0, 1, 1},
	{"LEVER_BEGIN and LEVER_END, no listener", loop_pair, 0, 2, 1},
	{"LEVER_SPAN, no listener", loop_span, 0, 2, 1},
	{"LEVER_PROGRESS_NAMED, listening", loop_progress, 1, 1, 5},
	{"LEVER_BEGIN and LEVER_END, listening", loop_pair, 1, 2, 5},
	{"LEVER_SPAN, listening", loop_span, 1, 2, 5},
	{"lever_progress of liblever.so, no listener", loop_library_progress, 0, 1, 2},
	{"lever_begin and lever_end, no listener", loop_library_pair, 0, 2, 3},
	{"lever_counter, no listener", loop_library_counter, 0, 1, 2},
	{"lever_progress of liblever.so, listening", loop_library_progress, 1, 1, 0},
	{"lever_begin and lever_end, listening", loop_library_pair, 1, 2, 0},
	{"for comparison: a locked addition", loop_locked, 0, 1, 0},
};
enum { MEASURES = sizeof(measures) / sizeof(measures[0]) };

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

int main(void)
{
	static double added_ns[MEASURES][ROUNDS];
	struct lever_points *page = lever_points_page();
	int over_budget = 0;

	if (!page) {
		fprintf(stderr, "bench points: this process has no page of points\n");
		return 1;
	}
	id = lever_id("bench");
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < MEASURES; i++) {
			page->head.listening = measures[i].listening;
			measures[i].loop();
			double with_ns = measures[i].loop();
			added_ns[i][round] = (with_ns - loop_empty()) / measures[i].points;
		}
	printf("%-44s %8s %8s %8s\n", "added ns per point", "median", "10 %", "90 %");
	for (int i = 0; i < MEASURES; i++) {
		qsort(added_ns[i], ROUNDS, sizeof(double), compare);
		double median = added_ns[i][ROUNDS / 2];
		int over = measures[i].budget_ns > 0 && median > measures[i].budget_ns;
		printf("%-44s %8.2f %8.2f %8.2f%s\n", measures[i].name, median,
		       added_ns[i][ROUNDS / 10], added_ns[i][ROUNDS * 9 / 10],
		       over ? "  over its budget" : "");
		over_budget += over;
	}
	return over_budget ? 1 : 0;
}
