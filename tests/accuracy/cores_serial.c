/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cores_serial - one thread prepares a round alone; then a thread on each core computes, one of
 * them for longer, and all meet. Waits sleep, as those of a pool do.
 *
 * period = 500 * A + max(1500 * B, 1000 * C)
 */
#include "work.h"

static pthread_barrier_t begins, ends;
static uint64_t prepare_loops, heavy_loops, light_loops;
static int is_over;

WORK_FUNCTION void prepare(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void heavy(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void light(uint64_t loops)
{
	WORK(loops); /* target C */
}

static void *run_light(void *unused)
{
	for (;;) {
		pthread_barrier_wait(&begins);
		if (is_over)
			return unused;
		light(light_loops);
		pthread_barrier_wait(&ends);
	}
}

/* The thread that prepares computes the longer part, too. */
static void run_rounds(void)
{
	while (!is_over) {
		prepare(prepare_loops);
		is_over = !work_goes_on();
		pthread_barrier_wait(&begins);
		if (is_over)
			return;
		heavy(heavy_loops);
		pthread_barrier_wait(&ends);
		work.visits++;
		LEVER_PROGRESS_NAMED("round");
	}
}

int main(int count, char **arguments)
{
	pthread_t threads[WORK_CORES_MOST];

	work_begin(count, arguments);
	prepare_loops = work_loops(500, 'A');
	heavy_loops = work_loops(1500, 'B');
	light_loops = work_loops(1000, 'C');
	pthread_barrier_init(&begins, NULL, (unsigned)work_cores());
	pthread_barrier_init(&ends, NULL, (unsigned)work_cores());
	for (int i = 1; i < work_cores(); i++)
		pthread_create(&threads[i], NULL, run_light, NULL);
	run_rounds();
	for (int i = 1; i < work_cores(); i++)
		pthread_join(threads[i], NULL);
	work_end();
	return 0;
}
