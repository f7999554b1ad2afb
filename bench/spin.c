/* SPDX-License-Identifier: BSD-2-Clause */
/* spin - CPU-bound threads with a fixed amount of work: spin THREADS MILLION_LOOPS */
#include <lever.h>

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static unsigned long rounds;

__attribute__((noinline)) static uint64_t work(uint64_t x)
{
	for (int i = 0; i < 500000; i++) {
		x *= 2654435761u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static void *run(void *unused)
{
	uint64_t x = 1;
	for (unsigned long i = 0; i < rounds; i++) {
		x = work(x);
		LEVER_PROGRESS_NAMED("round");
	}
	(void)unused;
	return (void *)(uintptr_t)(x & 1);
}

int main(int count, char **arguments)
{
	int threads = count > 1 ? atoi(arguments[1]) : 2;
	pthread_t *all = calloc((size_t)threads, sizeof(*all));

	rounds = (count > 2 ? strtoul(arguments[2], NULL, 10) : 1000) * 2;
	for (int i = 0; i < threads; i++)
		pthread_create(&all[i], NULL, run, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	free(all);
	return 0;
}
