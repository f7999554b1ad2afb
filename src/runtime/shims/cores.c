/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cores - tells a program that is pinned to some cores of all cores of the machine.
 *
 * Programs create as many threads as sched_getaffinity reports cores. `lever scale --on 1` measures
 * the threads of the whole machine on one core, so the interposed functions add the machine's
 * cores, from the environment (LEVER_CORES, 16 hexadecimal digits for each 64 cores), to the answer
 * about the calling thread. sysconf(3) reads the machine, not the affinity. Programs that make
 * system calls themselves (Go, static programs) are not reached.
 *
 * The law of this folder (runtime.h) holds: no printing, no allocation, no lock.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RUNTIME_EXPORT __attribute__((visibility("default")))
#define BITS 64

static unsigned long long digit_of(char letter)
{
	if (letter >= '0' && letter <= '9')
		return (unsigned long long)(letter - '0');
	return letter >= 'a' && letter <= 'f' ? (unsigned long long)(letter - 'a') + 10 : 0;
}

static void add_cores(size_t size, cpu_set_t *set)
{
	const char *text = secure_getenv("LEVER_CORES");

	for (size_t first = 0; text && *text && first + BITS <= size * 8; first += BITS) {
		unsigned long long word = 0;
		for (int i = 0; i < BITS / 4 && *text; i++)
			word = word << 4 | digit_of(*text++);
		for (size_t bit = 0; bit < BITS; bit++)
			if (word >> bit & 1)
				CPU_SET_S(first + bit, size, set);
	}
}

static int affinity_of(pid_t tid, size_t size, cpu_set_t *set)
{
	long bytes = syscall(SYS_sched_getaffinity, tid, size, set);

	if (bytes < 0)
		return -1;
	for (size_t i = (size_t)bytes; i < size; i++)
		((char *)set)[i] = 0;
	add_cores(size, set);
	return 0;
}

RUNTIME_EXPORT int sched_getaffinity(pid_t tid, size_t size, cpu_set_t *set)
{
	return affinity_of(tid, size, set);
}

/* The number of a thread's CPU clock contains its id (clock_getcpuclockid(3)). */
RUNTIME_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	int before = errno;
	pid_t tid = 0;
	clockid_t clock;

	if (!pthread_equal(thread, pthread_self())) {
		if (pthread_getcpuclockid(thread, &clock))
			return ESRCH;
		tid = (pid_t) ~(clock >> 3);
	}
	int code = affinity_of(tid, size, set) ? errno : 0;
	errno = before;
	return code;
}
