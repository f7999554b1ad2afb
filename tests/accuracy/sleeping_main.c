/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sleeping_main - two threads work, each by itself, while main sleeps and looks at the time.
 *
 * period = (300 * A + 100) / 2 + 0 * B
 */
#include "work.h"

static volatile int is_over;
static uint64_t loops, other_loops;

WORK_FUNCTION void propose(void)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void prepare(void)
{
	WORK(other_loops);
}

static void *work_on(void *unused)
{
	while (!is_over) {
		propose();
		prepare();
		LEVER_PROGRESS_NAMED("unit");
		__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t threads[2];

	work_begin(count, arguments);
	loops = work_loops(300, 'A');
	other_loops = work_loops(100, 'C');
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work_on, NULL);
	while (work_goes_on())
		usleep((useconds_t)(1 + work_left_of(20000, 'B'))); /* target B */
	is_over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	work_end();
	return 0;
}
