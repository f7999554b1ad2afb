/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cores_spin - cores_barrier.c with shorter rounds, and a barrier at which threads spin, as
 * OpenMP's do.
 *
 * period = 300 * A + 600 * B
 */
#include "work.h"

static unsigned arrived, rounds, thread_count;
static int ends;    /* written by the first thread */
static int is_over; /* written by the last thread to arrive */

WORK_FUNCTION void alone(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void together(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void meet(void)
{
	unsigned round = __atomic_load_n(&rounds, __ATOMIC_ACQUIRE);

	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) % thread_count) {
		while (__atomic_load_n(&rounds, __ATOMIC_ACQUIRE) == round)
			relax();
		return;
	}
	is_over = ends;
	__atomic_store_n(&rounds, round + 1, __ATOMIC_RELEASE);
}

static void *run_other(void *unused)
{
	uint64_t loops = work_loops(600, 'B');

	while (!is_over) {
		together(loops);
		meet();
	}
	return unused;
}

static void *run_first(void *unused)
{
	uint64_t alone_loops = work_loops(300, 'A'), together_loops = work_loops(600, 'B');

	while (!is_over) {
		alone(alone_loops);
		together(together_loops);
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
		ends = !work_goes_on();
		meet();
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t first;

	work_begin(count, arguments);
	thread_count = (unsigned)work_cores();
	pthread_create(&first, NULL, run_first, NULL);
	work_in_threads(work_cores() - 1, run_other);
	pthread_join(first, NULL);
	work_end();
	return 0;
}
