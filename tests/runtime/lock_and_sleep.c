/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock_and_sleep - two threads take turns to sleep while they hold a lock: half of their time is
 * waits for the lock (class L), half sleeps (class B), and nothing is I/O.
 *
 *	lock_and_sleep SECONDS
 */
#include <lever.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define NAP_NS 2000000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_long holder;
static time_t until;

static time_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

static void take(long own)
{
	pthread_mutex_lock(&mutex); /* a wait for a lock */
	holder = own;
}

/* To the other thread, which waits for it. */
static void give(long own)
{
	pthread_mutex_unlock(&mutex);
	while (holder == own && now() < until)
		sched_yield();
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL); /* a sleep */
}

static void *run(void *own)
{
	while (now() < until) {
		take((long)own);
		nap();
		LEVER_PROGRESS_NAMED("turn");
		give((long)own);
	}
	return NULL;
}

int main(int count, char **words)
{
	pthread_t other;

	until = now() + (count > 1 ? atoi(words[1]) : 1);
	if (pthread_create(&other, NULL, run, (void *)1))
		return 1;
	run((void *)0);
	return pthread_join(other, NULL);
}
