/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch_sort - a batch is read by one thread, sorted by two and written by one, as `sort` does: its
 * lines, which are the progress, all come in the last part of a cycle.
 *
 * period = (200 * A + 250 * B + 100 * C) / 100
 */
#include "work.h"

static pthread_barrier_t begins, ends;
static int is_over;

WORK_FUNCTION void read_part(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void sort_part(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void write_part(uint64_t loops)
{
	WORK(loops); /* target C */
}

static void sort_half(void)
{
	uint64_t loops = work_loops(2500, 'B');

	for (int i = 0; i < 100; i++)
		sort_part(loops);
}

static void *other(void *unused)
{
	for (;;) {
		pthread_barrier_wait(&begins);
		if (is_over)
			return unused;
		sort_half();
		pthread_barrier_wait(&ends);
	}
}

int main(int count, char **arguments)
{
	pthread_t thread;

	work_begin(count, arguments);
	uint64_t a = work_loops(2000, 'A'), c = work_loops(1000, 'C');

	pthread_barrier_init(&begins, NULL, 2);
	pthread_barrier_init(&ends, NULL, 2);
	pthread_create(&thread, NULL, other, NULL);
	while (work_goes_on()) {
		for (int i = 0; i < 100; i++)
			read_part(a);
		pthread_barrier_wait(&begins);
		sort_half();
		pthread_barrier_wait(&ends);
		for (int i = 0; i < 100; i++) {
			write_part(c);
			LEVER_PROGRESS_NAMED("line");
			work.visits++;
		}
	}
	is_over = 1;
	pthread_barrier_wait(&begins);
	pthread_join(thread, NULL);
	work_end();
	return 0;
}
