/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * switches - two threads on one core that wake each other by futex: context switches only.
 *
 *	switches ROUNDS
 *
 * Each round is two switches. Prints switches a second.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t turn;
static unsigned long rounds;

static void wait_for_turn(uint32_t mine)
{
	uint32_t seen;
	while ((seen = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) != mine)
		syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, seen, NULL);
}

static void *play(void *number)
{
	uint32_t mine = (uint32_t)(uintptr_t)number;
	for (unsigned long i = 0; i < rounds; i++) {
		wait_for_turn(mine);
		__atomic_store_n(&turn, !mine, __ATOMIC_RELEASE);
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec start, end;
	pthread_t other;
	cpu_set_t one;

	rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 500000;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	clock_gettime(CLOCK_MONOTONIC, &start);
	pthread_create(&other, NULL, play, (void *)(uintptr_t)1);
	play((void *)(uintptr_t)0);
	pthread_join(other, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	double seconds =
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
	printf("%.0f switches a second\n", 2 * (double)rounds / seconds);
	return 0;
}
