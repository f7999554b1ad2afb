/* SPDX-License-Identifier: BSD-2-Clause */
/* workers - threads that take the next number until none is left. */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define THREADS_MOST 64
#define PIECES_LEAST 16 /* for each thread; fewer are not worth its start */

struct workers {
	atomic_size_t next;
	size_t count;
	void (*work)(void *argument, size_t number);
	void *argument;
};

static void *take_pieces(void *argument)
{
	struct workers *workers = argument;
	size_t number;

	while ((number = atomic_fetch_add(&workers->next, 1)) < workers->count)
		workers->work(workers->argument, number);
	return NULL;
}

static size_t threads_for(size_t count)
{
	cpu_set_t cores;
	size_t threads = count / PIECES_LEAST;
	size_t most = sched_getaffinity(0, sizeof(cores), &cores) ? THREADS_MOST :
								    (size_t)CPU_COUNT(&cores);

	most = most < THREADS_MOST ? most : THREADS_MOST;
	return threads < most ? threads : most;
}

void workers_run(size_t count, void (*work)(void *argument, size_t number), void *argument)
{
	struct workers workers = {.count = count, .work = work, .argument = argument};
	size_t threads = threads_for(count), started = 0;
	pthread_t others[THREADS_MOST];

	/* Where no thread can be had, fewer do the work. */
	while (started + 1 < threads &&
	       !pthread_create(&others[started], NULL, take_pieces, &workers))
		started++;
	take_pieces(&workers);
	for (size_t i = 0; i < started; i++)
		pthread_join(others[i], NULL);
}
