/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared_memory_ring - two processes with a ring of slots in shared memory; semaphores wake across
 * processes.
 *
 * period = max(320 * A + 160 * B, 300 * C)
 */
#include "work.h"

#include <errno.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define SLOTS 12

struct ring {
	sem_t full, empty;
	volatile int is_over;
};

WORK_FUNCTION void parse(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void store(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void produce(uint64_t loops)
{
	WORK(loops); /* target C */
}

static void take(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		continue;
}

static void run_producer(struct ring *ring)
{
	uint64_t loops = work_loops(300, 'C');

	while (!ring->is_over) {
		produce(loops);
		take(&ring->empty);
		sem_post(&ring->full);
	}
}

static void run_consumer(struct ring *ring)
{
	uint64_t parse_loops = work_loops(320, 'A'), store_loops = work_loops(160, 'B');

	while (work_goes_on()) {
		take(&ring->full);
		parse(parse_loops);
		store(store_loops);
		sem_post(&ring->empty);
		LEVER_PROGRESS_NAMED("item");
		work.visits++;
	}
	ring->is_over = 1;
	sem_post(&ring->empty);
}

int main(int count, char **arguments)
{
	struct ring *ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (ring == MAP_FAILED)
		return 1;
	work_begin(count, arguments);
	sem_init(&ring->full, 1, 0);
	sem_init(&ring->empty, 1, SLOTS);
	pid_t producer = fork();
	if (!producer) {
		run_producer(ring);
		_exit(0);
	}
	run_consumer(ring);
	waitpid(producer, NULL, 0);
	work_end();
	return 0;
}
