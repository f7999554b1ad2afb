/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * token_bucket - two workers need a token for each unit; a thread fills up to twelve every 2 ms.
 * Faster workers run out of tokens; the cap is told too late (docs/limits.md).
 *
 * period = measured
 */
#include <semaphore.h>

#include "work.h"

static sem_t tokens;
static int is_over;

WORK_FUNCTION void serve(void)
{
	WORK(work_loops(250, 'A')); /* target A */
}

WORK_FUNCTION void account(void)
{
	WORK(work_loops(150, 'B')); /* target B */
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
	(void)argument;
	for (;;) {
		sem_wait(&tokens);
		if (__atomic_load_n(&is_over, __ATOMIC_RELAXED))
			return NULL;
		serve();
		pthread_mutex_lock(&mutex);
		account();
		work.visits++;
		LEVER_PROGRESS_NAMED("unit");
		pthread_mutex_unlock(&mutex);
	}
}

int main(int count, char **arguments)
{
	pthread_t threads[2];
	work_begin(count, arguments);
	sem_init(&tokens, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	while (work_goes_on()) {
		int value;
		usleep(2000);
		sem_getvalue(&tokens, &value);
		for (int i = value; i < 12; i++)
			sem_post(&tokens);
	}
	is_over = 1;
	for (int i = 0; i < 2; i++)
		sem_post(&tokens);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	work_end();
	return 0;
}
