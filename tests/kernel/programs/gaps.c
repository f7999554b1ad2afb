/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gaps - does units, and beside them tells how much time it loses.
 *
 *	gaps FILE SECONDS
 *
 * One thread works, another reads the clock all the time. What passes between two readings beyond
 * 80 us is added up in FILE, an array of nanoseconds by slots of 10 ms of CLOCK_MONOTONIC, modulo
 * SLOTS; what an earlier run wrote is gone.
 */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SLOTS 4096
#define SLOT_NS 10000000ull
#define GAP_NS 80000ull

static volatile int has_ended;
static volatile uint64_t turns; /* most of the time: reading the clock looks like spinning */

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *watch(void *mapped)
{
	volatile uint64_t *slots = mapped;
	uint64_t last = now_ns();

	while (!has_ended) {
		uint64_t now = now_ns();
		if (now - last > GAP_NS)
			slots[now / SLOT_NS % SLOTS] += now - last;
		last = now;
		for (int i = 0; i < 4000; i++)
			turns++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int file = argc > 2 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	uint64_t end = now_ns() + (argc > 2 ? strtoul(argv[2], NULL, 10) : 0) * 1000000000u;
	pthread_t thread;

	if (file < 0 || ftruncate(file, SLOTS * sizeof(uint64_t)))
		return 1;
	void *slots =
		mmap(NULL, SLOTS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (slots == MAP_FAILED || pthread_create(&thread, NULL, watch, slots))
		return 1;
	while (now_ns() < end)
		unit();
	has_ended = 1;
	pthread_join(thread, NULL);
	return 0;
}
