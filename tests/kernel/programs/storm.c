/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * storm - more tasks than a profiler may expect, and some work in each. Prints how many there were.
 *
 *	storm forks SECONDS	children that end at once, one after the other
 *	storm execs SECONDS	one process that executes itself again and again
 *	storm bomb SECONDS	each process forks ten times and ends, up to 300 of them at once
 *	storm threads COUNT	threads that all live at the same time
 */
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BOMB_MOST 300
#define STACK_BYTES (64u << 10)

static uint64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static unsigned long forks(uint64_t end_ms)
{
	unsigned long count = 0;

	for (; now_ms() < end_ms; count++) {
		pid_t pid = fork();
		if (!pid)
			_exit(0);
		if (pid < 0)
			return 0;
		waitpid(pid, NULL, 0);
		if (count % 100 == 0)
			unit();
	}
	return count;
}

static unsigned long execs(char **arguments, uint64_t end_ms, unsigned long count)
{
	char begun[24], counted[24];

	if (now_ms() >= end_ms)
		return count;
	if (count % 100 == 0)
		unit();
	snprintf(begun, sizeof(begun), "%llu", (unsigned long long)end_ms);
	snprintf(counted, sizeof(counted), "%lu", count + 1);
	execl("/proc/self/exe", arguments[0], "execs", begun, counted, NULL);
	return 0;
}

static unsigned long bomb(uint64_t end_ms)
{
	unsigned long *alive = mmap(NULL, 2 * sizeof(*alive), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t first = getpid();

	if (alive == MAP_FAILED)
		return 0;
	signal(SIGCHLD, SIG_IGN);
	for (int turns = 0; now_ms() < end_ms && (turns < 10 || getpid() == first); turns++) {
		if (__atomic_add_fetch(&alive[0], 1, __ATOMIC_SEQ_CST) < BOMB_MOST) {
			pid_t pid = fork();
			if (!pid) {
				__atomic_add_fetch(&alive[1], 1, __ATOMIC_SEQ_CST);
				turns = 0;
			}
			if (pid >= 0)
				continue;
		}
		__atomic_sub_fetch(&alive[0], 1, __ATOMIC_SEQ_CST);
		unit();
	}
	if (getpid() != first) {
		__atomic_sub_fetch(&alive[0], 1, __ATOMIC_SEQ_CST);
		_exit(0);
	}
	return alive[1];
}

static pthread_barrier_t all_live;

static void *live(void *nothing)
{
	pthread_barrier_wait(&all_live);
	return nothing;
}

static unsigned long threads(unsigned long count)
{
	pthread_t *all = calloc(count, sizeof(*all));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, STACK_BYTES);
	pthread_barrier_init(&all_live, NULL, (unsigned)count + 1);
	for (unsigned long i = 0; i < count; i++) {
		if (pthread_create(&all[i], &small, live, NULL))
			return 0;
		if (i % 100 == 0)
			unit();
	}
	pthread_barrier_wait(&all_live);
	for (unsigned long i = 0; i < count; i++)
		pthread_join(all[i], NULL);
	free(all);
	return count;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[1] : "";
	uint64_t number = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	unsigned long count = 0;

	if (!strcmp(kind, "forks"))
		count = forks(now_ms() + 1000 * number);
	else if (!strcmp(kind, "bomb"))
		count = bomb(now_ms() + 1000 * number);
	else if (!strcmp(kind, "threads"))
		count = threads(number);
	else if (!strcmp(kind, "execs")) /* with a count: the time is that of the end */
		count = execs(argv, argc > 3 ? number : now_ms() + 1000 * number,
			      argc > 3 ? strtoul(argv[3], NULL, 10) : 0);
	printf("%lu\n", count);
	return count == 0;
}
