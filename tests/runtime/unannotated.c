/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unannotated - a program without lever.h: two processes with THREADS threads each, of which
 * each does its work VISITS times; with SECONDS until they have passed, ten times as much a visit.
 *
 *	unannotated THREADS VISITS [SECONDS]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef UNANNOTATED_PROBES
/* Only passed while somebody has raised its semaphore: the harder kind of probe. */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
__extension__ unsigned short unannotated_begin_semaphore __attribute__((section(".probes")));
__extension__ unsigned short unannotated_end_semaphore __attribute__((section(".probes")));
#define PROBE(name)                                    \
	do {                                           \
		if (unannotated_##name##_semaphore)    \
			STAP_PROBE(unannotated, name); \
	} while (0)
#else
#define PROBE(name) ((void)0)
#endif

static volatile long sink;
static int visits;
static time_t until;

void visit(long amount);
void work(long amount);
void one(void);
void two(void);
void three(void);

__attribute__((noinline)) void visit(long amount)
{
	for (long i = 0; i < amount; i++)
		sink += i;
}

__attribute__((noinline)) void work(long amount)
{
	for (long i = 0; i < amount; i++)
		sink += i;
}

__attribute__((noinline)) void one(void)
{
	sink++;
}

__attribute__((noinline)) void two(void)
{
	sink += 2;
}

__attribute__((noinline)) void three(void)
{
	sink += 3;
}

static time_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

static void *run(void *unused)
{
	long times = until ? 10 : 1;

	for (int i = 0; i < visits || now() < until; i++) {
		PROBE(begin);
		work(100000 * times);
		sink = i; /* a line */
		PROBE(end);
		visit(50000 * times);
	}
	one();
	two();
	three();
	return unused;
}

int main(int count, char **words)
{
	int threads = count > 1 ? atoi(words[1]) : 1, status;
	pthread_t ids[16];

	visits = count > 2 ? atoi(words[2]) : 1;
	until = count > 3 ? now() + atoi(words[3]) : 0;
	pid_t child = fork();
	for (int i = 0; i < threads && i < 16; i++)
		if (pthread_create(&ids[i], NULL, run, NULL))
			return 1;
	for (int i = 0; i < threads && i < 16; i++)
		pthread_join(ids[i], NULL);
	return child && (waitpid(child, &status, 0) != child || status);
}
