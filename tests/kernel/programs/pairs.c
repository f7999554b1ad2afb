/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pairs - jobs that begin and end in functions of two threads, with a static probe for each: the
 * arguments say how many jobs, and how long ones (10000 turns). No line of Lever is in it.
 */
#include <pthread.h>
#include <stdlib.h>
#ifdef HAS_PROBES
#include <sys/sdt.h>
#else
#define DTRACE_PROBE(provider, name)
#endif

#define WAITING_MOST 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long waiting, count;
static unsigned job_turns;
static volatile unsigned result;

__attribute__((noinline)) static void spin(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		result = result * 1664525 + i; /* hot line */
}

__attribute__((noinline)) void job_begin(void);
__attribute__((noinline)) void job_begin(void)
{
	pthread_mutex_lock(&lock);
	while (waiting == WAITING_MOST)
		pthread_cond_wait(&changed, &lock);
	waiting++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void job_end(void);
__attribute__((noinline)) void job_end(void)
{
	DTRACE_PROBE(pairs, ended);
	__asm__ volatile("" ::: "memory"); /* ended line */
}

static void *serve(void *unused)
{
	for (long i = 0; i < count; i++) {
		pthread_mutex_lock(&lock);
		while (!waiting)
			pthread_cond_wait(&changed, &lock);
		waiting--;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
		spin(4 * job_turns);
		job_end();
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t server;

	count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	job_turns = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10000;
	if (pthread_create(&server, NULL, serve, NULL))
		return 1;
	for (long i = 0; i < count; i++) {
		spin(job_turns);
		job_begin();
	}
	return pthread_join(server, NULL);
}
