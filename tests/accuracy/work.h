/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * work - what the accuracy cases share: options, measured portions of work, the period they print.
 *
 * 	CASE [-t SECONDS] [-l LOOPS] [-X PERCENT]...
 *
 * A case names its targets A, B, ... in comments on their lines. `-A 25` removes a quarter of the
 * work of target A; the result is compared with the prediction. LOOPS is the number of loops in a
 * microsecond, measured by run.py. At its end a case prints the mean nanoseconds per progress visit
 * and of a latency.
 *
 * Built with -DWORK_CUT="'A'" -DWORK_CUT_PERCENT=25, a case is a program that was changed so.
 *
 * The opening comment of a case has lines for run.py:
 * 	period =, latency =   the truth as a formula; A is the share of target A's work that is
 * 	                      left, 1 to 0; `measured`: run.py runs the case instead
 * 	p99 =                 of a latency, the same for its 99th percentile
 * 	options =             more options for lever run
 * 	cuts =                the percentages that make sense, where not all do
 * `target A is` names a target that is not its line: syscall:NAME, a class of waits (class:L), or
 * that class of its line (class:L here).
 */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef WORK_FOR_COZ
#include <coz.h>
#define LEVER_PROGRESS_NAMED(name) COZ_PROGRESS_NAMED(name)
#define LEVER_BEGIN(name) COZ_BEGIN(name)
#define LEVER_END(name) COZ_END(name)
#else
#include <lever.h>
#endif

/* Neither inlined nor merged, so that a line's code is in one place. */
#define WORK_FUNCTION __attribute__((noinline, noipa)) static

/* A chain of multiplications in registers: its speed does not depend on addresses. */
#define WORK(loops)                                                                      \
	for (uint64_t work_left = (loops), work_value = 1; work_left > 0; work_left--) { \
		work_value = work_value * 6364136223846793005u + 1442695040888963407u;   \
		__asm__ volatile("" : "+r"(work_value));                                 \
	}

struct work {
	double kept[26]; /* by target: the share of its work that is left */
	double loops_per_us;
	uint64_t start_ns, end_ns;
	uint64_t visits;               /* written in one thread at a time */
	uint64_t latency_ns, requests; /* likewise, of the latency point */
};
static struct work work;

/* An empty file without a name, in the folder where the case runs. */
static inline int work_file(void)
{
	char path[] = "work.XXXXXX";
	int file = mkstemp(path);

	if (file < 0) {
		perror("a file here");
		exit(1);
	}
	unlink(path);
	return file;
}

static inline uint64_t work_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void work_begin(int count, char **arguments)
{
	double seconds = 2;
	int option;

	work.loops_per_us = 500;
	for (int i = 0; i < 26; i++)
		work.kept[i] = 1;
	while ((option = getopt(count, arguments, "t:l:A:B:C:D:")) != -1) {
		if (option == '?')
			exit(2);
		if (option == 't')
			seconds = atof(optarg);
		else if (option == 'l')
			work.loops_per_us = atof(optarg);
		else
			work.kept[option - 'A'] = 1 - atof(optarg) / 100;
	}
#ifdef WORK_CUT_PERCENT
	work.kept[WORK_CUT - 'A'] = 1 - WORK_CUT_PERCENT / 100.0;
#endif
	work.start_ns = work_now_ns();
	work.end_ns = work.start_ns + (uint64_t)(seconds * 1e9);
}

/* The remaining amount of target `letter`'s work; a letter without an option keeps all. */
static inline double work_left_of(double amount, char letter)
{
	return amount * work.kept[letter - 'A'];
}

static inline uint64_t work_loops(double microseconds, char letter)
{
	return (uint64_t)(work_left_of(microseconds, letter) * work.loops_per_us);
}

static inline int work_goes_on(void)
{
	return work_now_ns() < work.end_ns;
}

#define WORK_CORES_MOST 128
#define WORK_THREADS_MOST (2 * WORK_CORES_MOST + 1)

/* The cores that the program may use; 2 to WORK_CORES_MOST. */
static inline int work_cores(void)
{
	cpu_set_t cores;
	int count = sched_getaffinity(0, sizeof(cores), &cores) ? 2 : CPU_COUNT(&cores);

	return count < 2 ? 2 : count < WORK_CORES_MOST ? count : WORK_CORES_MOST;
}

static inline void work_in_threads(int count, void *(*run)(void *))
{
	pthread_t threads[WORK_THREADS_MOST];

	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static inline void work_end(void)
{
	uint64_t elapsed_ns = work_now_ns() - work.start_ns;

	printf("period_ns=%.1f", work.visits ? (double)elapsed_ns / (double)work.visits : 0);
	if (work.requests)
		printf(" latency_ns=%.1f", (double)work.latency_ns / (double)work.requests);
	putchar('\n');
}
