/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin_barrier - barrier.c with shorter rounds, and without system calls: the first thread at the
 * barrier spins, as OpenMP's threads do. No event marks the end of spinning (bpf/spin.h).
 *
 * period = max(800 * A, 640 * B)
 */
#include "work.h"

static unsigned arrived, is_over;

WORK_FUNCTION void longer(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void shorter(uint64_t loops)
{
	WORK(loops); /* target B */
}

static int goes_on(void)
{
	return !__atomic_load_n(&is_over, __ATOMIC_ACQUIRE);
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
	unsigned mine = __atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);

	while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) / 2 == mine / 2 && goes_on())
		relax();
}

static void *run_shorter(void *unused)
{
	uint64_t loops = work_loops(640, 'B');

	while (goes_on()) {
		shorter(loops);
		meet();
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t other;

	work_begin(count, arguments);
	uint64_t loops = work_loops(800, 'A');
	pthread_create(&other, NULL, run_shorter, NULL);
	while (work_goes_on()) {
		longer(loops);
		meet();
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
	}
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
	work_end();
	return 0;
}
