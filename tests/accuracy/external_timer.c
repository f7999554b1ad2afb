/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * external_timer - a timer starts a piece of work in two threads every 2 ms. Both end long before
 * the next: faster work does not change the rate, and a pause between two pieces delays nothing
 * (analyze/causal/external_pacing.h).
 *
 * period = 2000
 */
#include "work.h"

#include <semaphore.h>
#include <sys/timerfd.h>

#define EACH_NS 2000000

static sem_t ready;
static int is_over; /* before the last two posts */

WORK_FUNCTION void answer(uint64_t loops)
{
	WORK(loops); /* target A */
}

static void *run_worker(void *unused)
{
	uint64_t loops = work_loops(1200, 'A');

	for (;;) {
		sem_wait(&ready);
		if (__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
			return unused;
		answer(loops);
		LEVER_PROGRESS_NAMED("answer");
		__atomic_fetch_add(&work.visits, 1, __ATOMIC_RELAXED);
	}
}

static void send_all(int timer)
{
	uint64_t times;

	while (work_goes_on() && read(timer, &times, sizeof(times)) == sizeof(times))
		while (times--)
			sem_post(&ready);
	__atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
	sem_post(&ready);
	sem_post(&ready);
}

int main(int count, char **arguments)
{
	struct itimerspec each = {{0, EACH_NS}, {0, EACH_NS}};
	pthread_t workers[2];

	work_begin(count, arguments);
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	if (timer < 0 || timerfd_settime(timer, 0, &each, NULL) || sem_init(&ready, 0, 0))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&workers[i], NULL, run_worker, NULL);
	send_all(timer);
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i], NULL);
	work_end();
	return 0;
}
