/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * condvar_ping_pong - two threads hand a turn to each other by a condition, each after a piece
 * shorter than a sampling period: the kernel's work for each wait belongs to no target.
 *
 * period = measured
 */
#include "work.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, is_over; /* below the mutex */

WORK_FUNCTION void first(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void second(uint64_t loops)
{
	WORK(loops); /* target B */
}

/* Waits for this turn; false: there is none any more. */
static int take_turn(int own)
{
	pthread_mutex_lock(&mutex);
	while (turn != own && !is_over)
		pthread_cond_wait(&changed, &mutex);
	int goes_on = !is_over;
	pthread_mutex_unlock(&mutex);
	return goes_on;
}

static void give_turn(int next, int ends)
{
	pthread_mutex_lock(&mutex);
	turn = next;
	is_over = ends;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
}

static void *run_second(void *unused)
{
	while (take_turn(1)) {
		second(work_loops(300, 'B'));
		give_turn(0, 0);
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t thread;

	work_begin(count, arguments);
	pthread_create(&thread, NULL, run_second, NULL);
	while (work_goes_on() && take_turn(0)) {
		first(work_loops(200, 'A'));
		LEVER_PROGRESS_NAMED("round");
		work.visits++;
		give_turn(1, 0);
	}
	give_turn(0, 1);
	pthread_join(thread, NULL);
	work_end();
	return 0;
}
