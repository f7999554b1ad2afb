/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * idle_core - a thread prices items, another checks them and becomes idle in between, while main
 * sleeps and looks at the time. CPU time is the progress: no unit is counted.
 *
 * period = max(300 * A, 200) + 0 * B
 * options = --progress sampled:*
 * cuts = 25 50 75
 */
#include "work.h"

#include <semaphore.h>

static volatile int is_over;
static sem_t priced, checked;
static uint64_t price_loops, check_loops;

WORK_FUNCTION void price(void)
{
	WORK(price_loops); /* target A */
}

WORK_FUNCTION void check(void)
{
	WORK(check_loops);
}

static void *check_items(void *unused)
{
	while (!is_over) {
		sem_wait(&priced);
		check();
		sem_post(&checked);
	}
	return unused;
}

static void *price_items(void *unused)
{
	while (!is_over) {
		sem_wait(&checked);
		price();
		sem_post(&priced);
		work.visits++;
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t threads[2];

	work_begin(count, arguments);
	price_loops = work_loops(300, 'A');
	check_loops = work_loops(200, 'C');
	sem_init(&priced, 0, 0);
	sem_init(&checked, 0, 4);
	pthread_create(&threads[0], NULL, check_items, NULL);
	pthread_create(&threads[1], NULL, price_items, NULL);
	while (work_goes_on())
		usleep((useconds_t)(1 + work_left_of(20000, 'B'))); /* target B */
	is_over = 1;
	sem_post(&priced);
	sem_post(&checked);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	work_end();
	return 0;
}
