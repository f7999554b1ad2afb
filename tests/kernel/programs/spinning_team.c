/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spinning_team - two threads do a part each, as OpenMP's do: who has nothing to do spins.
 *
 *	spinning_team COUNT
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef __x86_64__
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() __asm__ volatile("yield")
#endif
#define LOOPS 200000 /* 0.2 ms or so */

static atomic_long begun, done;
static atomic_int is_over;

__attribute__((noinline, noipa)) static void part(long loops)
{
	unsigned long value = 1;

	for (long i = 0; i < loops; i++) {
		value = value * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(value));
	}
}

__attribute__((noinline, noipa)) static void serial(void)
{
	part(2 * LOOPS);
}

static void *member(void *unused)
{
	for (long i = 1; !atomic_load(&is_over); i++) {
		while (atomic_load(&begun) < i && !atomic_load(&is_over))
			PAUSE();
		part(LOOPS);
		atomic_store(&done, i);
	}
	return unused;
}

int main(int count, char **arguments)
{
	long rounds = count > 1 ? atol(arguments[1]) : 1000;
	pthread_t thread;

	pthread_create(&thread, NULL, member, NULL);
	for (long i = 1; i <= rounds; i++) {
		atomic_store(&begun, i);
		part(LOOPS);
		while (atomic_load(&done) < i)
			PAUSE();
		serial();
	}
	atomic_store(&is_over, 1);
	pthread_join(thread, NULL);
	return 0;
}
