/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callers - the target is a function, called from two threads with unlike shares: what it gains in
 * one is worth only so much as the other lets it.
 *
 * period = max(900 * A + 300, 450 * A + 750 * B)
 */
#include "work.h"

static pthread_barrier_t round_done, round_begins;
static int is_over; /* written between the barriers */

WORK_FUNCTION void encode(uint64_t loops) /* function A */
{
	WORK(loops);
}

WORK_FUNCTION void read_text(uint64_t loops)
{
	WORK(loops);
}

WORK_FUNCTION void read_image(uint64_t loops) /* function B */
{
	WORK(loops);
}

static void *run_texts(void *unused)
{
	uint64_t own = work_loops(300, 'Z'), encoding = work_loops(900, 'A');

	while (!is_over) {
		read_text(own);
		encode(encoding);
		pthread_barrier_wait(&round_done);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
		is_over = !work_goes_on();
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

static void *run_images(void *unused)
{
	uint64_t own = work_loops(750, 'B'), encoding = work_loops(450, 'A');

	while (!is_over) {
		read_image(own);
		encode(encoding);
		pthread_barrier_wait(&round_done);
		pthread_barrier_wait(&round_begins);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t texts, images;

	work_begin(count, arguments);
	pthread_barrier_init(&round_done, NULL, 2);
	pthread_barrier_init(&round_begins, NULL, 2);
	pthread_create(&texts, NULL, run_texts, NULL);
	pthread_create(&images, NULL, run_images, NULL);
	pthread_join(texts, NULL);
	pthread_join(images, NULL);
	work_end();
	return 0;
}
