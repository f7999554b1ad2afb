/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * future_pool - a pool of two threads; the main thread keeps four results under way, and takes them
 * in the order in which it asked for them. Each fourth one takes twice as long.
 *
 * period = measured
 */
#include "work.h"

#include <semaphore.h>

#define UNDER_WAY 4

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t has_task;
	unsigned asked, taken; /* under the mutex */
	sem_t is_done[UNDER_WAY];
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .has_task = PTHREAD_COND_INITIALIZER};

WORK_FUNCTION void prepare(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void execute(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void use(uint64_t loops)
{
	WORK(loops); /* target C */
}

static void ask(void)
{
	prepare(work_loops(100, 'A'));
	pthread_mutex_lock(&pool.mutex);
	pool.asked++;
	pthread_mutex_unlock(&pool.mutex);
	pthread_cond_signal(&pool.has_task);
}

static unsigned take_task(void)
{
	pthread_mutex_lock(&pool.mutex);
	while (pool.taken == pool.asked)
		pthread_cond_wait(&pool.has_task, &pool.mutex);
	unsigned task = pool.taken++;
	pthread_mutex_unlock(&pool.mutex);
	return task;
}

static void *run_worker(void *unused)
{
	uint64_t loops = work_loops(500, 'B');

	for (;;) {
		unsigned task = take_task();
		execute(task % 4 ? loops : 2 * loops);
		sem_post(&pool.is_done[task % UNDER_WAY]);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t threads[2];

	work_begin(count, arguments);
	for (int i = 0; i < UNDER_WAY; i++)
		sem_init(&pool.is_done[i], 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run_worker, NULL);
	for (int i = 1; i < UNDER_WAY; i++)
		ask();
	for (unsigned next = 0; work_goes_on(); next++) {
		ask();
		sem_wait(&pool.is_done[next % UNDER_WAY]);
		use(work_loops(200, 'C'));
		work.visits++;
		LEVER_PROGRESS_NAMED("answer");
	}
	work_end();
	return 0;
}
