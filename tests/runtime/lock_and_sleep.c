/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock_and_sleep - two threads take turns to sleep while they hold a lock: half of their time is
 * waits for the lock (class L), half sleeps (class B), and nothing is I/O.
 *
 *	lock_and_sleep SECONDS
 */
#include <lever.h>

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define NAP_NS 2000000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn;
static time_t until;

static time_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

static void await_turn(long own)
{
	pthread_mutex_lock(&mutex);
	while (turn % 2 != own)
		pthread_cond_wait(&changed, &mutex); /* a wait for a lock */
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL); /* a sleep */
}

static void *run(void *own)
{
	while (now() < until) {
		await_turn((long)own);
		nap();
		LEVER_PROGRESS_NAMED("turn");
		turn++;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&mutex);
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
	/* Its turn may never come, as the own is over. */
	pthread_mutex_lock(&mutex);
	turn = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
	return pthread_join(other, NULL);
}
